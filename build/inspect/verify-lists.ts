// Checks the lists in the folder of the serving index. The lists of purged, withdrawn and pruned versions and of
// advisories are unchanged since their writing. The first two have all rows that the announcement names, and the last
// is there if the announcement counts it. The list of quarantined versions can be read.

import { missingRows, type AnnouncedLists } from '../contract/announced-lists.ts';
import { hasWrongChecksum, isAsWritten } from '../contract/checksum.ts';
import { parsePackageName } from '../contract/name.ts';
import { parsePruned, prunedFolder } from '../contract/pruned.ts';
import { lookUpPurged, nothingPurged, parsePurged, purgedPath, type PurgedLookup } from '../contract/purged.ts';
import type { Publication } from '../contract/publication.ts';
import { parseQuarantined, quarantinedPath } from '../contract/quarantined.ts';
import { advisoryListsPath, describeLostAdvisories, parseAdvisoryLists } from '../contract/advisory-lists.ts';
import { parseWithheld, withheldPath } from '../contract/withheld.ts';
import type { Output } from '../output/output.ts';
import { describeMissing, repairPurged } from '../package/purged.ts';
import { indexFault, type Fault, type VerifyNotice } from './verify-fault.ts';
import { describeMissingWithheld, repairWithheld } from '../version-lists/withheld.ts';

const repairQuarantined = 'Nothing depends on it: the next build that reads a source writes it again.';
const repairAdvisoryLists =
  'Build with the libretto.json that names them, which writes it again, or restore it from a backup.';
const repairPruned =
  'Restore it from a backup; or remove it, and the releases that `prune` removed may come back with other bytes.';

export interface CheckedLists {
  readonly tombstones: PurgedLookup;
  readonly faults: readonly Fault[];
  /** rows that no announcement names; empty during a publication */
  readonly unannounced: readonly VerifyNotice[];
}

export async function verifyLists(output: Output, announced: AnnouncedLists): Promise<CheckedLists> {
  const purged = await guardedList(output, {
    path: purgedPath,
    what: 'purged versions',
    repair: repairPurged,
    isWrong: isEdited,
    parse: parsePurged,
    announced: announced.purged,
    describe: (missing) => `${describeMissing(missing)} ${repairPurged}`,
  });
  const withheld = await guardedList(output, {
    path: withheldPath,
    what: 'versions withdrawn by hand',
    repair: repairWithheld,
    isWrong: hasWrongChecksum,
    parse: parseWithheld,
    announced: announced.withheld,
    describe: describeMissingWithheld,
  });
  return {
    tombstones: purged.rows.length === 0 ? nothingPurged : lookUpPurged(purged.rows),
    faults: [
      ...purged.faults,
      ...(await prunedFaults(output)),
      ...withheld.faults,
      ...(await quarantinedFaults(output)),
    ],
    unannounced: [...purged.unannounced, ...withheld.unannounced],
  };
}

/** A list whose rows the announcement names. */
interface GuardedList<Announced, Row> extends ListCheck {
  /** below index/ */
  readonly path: string;
  /** the name of the list's rows, in words */
  readonly what: string;
  readonly parse: (text: string) => readonly Row[];
  readonly announced: readonly Announced[];
  /** the missing rows, and the remedy */
  readonly describe: (missing: readonly Announced[]) => string;
}

type ListedVersion = Parameters<typeof missingRows>[1][number];

async function guardedList<Announced extends ListedVersion, Row extends ListedVersion>(
  output: Output,
  { path: below, what, parse, announced, describe, ...check }: GuardedList<Announced, Row>,
): Promise<{
  readonly rows: readonly Row[];
  readonly faults: readonly Fault[];
  readonly unannounced: readonly VerifyNotice[];
}> {
  const path = `index/${below}`;
  const text = await output.read('index', below);
  let rows: readonly Row[] = [];
  const faults = text === undefined ? [] : listFaults(text, { path }, check, () => (rows = parse(text)));
  if (faults.length > 0) return { rows, faults, unannounced: [] };
  const missing = missingRows(announced, rows);
  const more = missingRows(rows, announced).length;
  return {
    rows,
    faults: missing.length === 0 ? [] : [incompleteFault(text, { path, what, described: describe(missing) })],
    unannounced: more === 0 ? [] : [{ path, message: notAnnounced(more, rows.length) }],
  };
}

/** A publication may be running: the list has its rows before they are announced. */
function incompleteFault(
  text: string | undefined,
  { path, what, described }: { readonly path: string; readonly what: string; readonly described: string },
): Fault {
  return text === undefined
    ? { code: 'MISSING_FILE', path, message: `The list of ${what} is lost. ${described}` }
    : { code: 'MALFORMED_INDEX', path, message: `It is not the list that was published. ${described}` };
}

function notAnnounced(more: number, all: number): string {
  const what =
    more === all
      ? 'The announcement names none of its rows'
      : `The announcement does not name ${more} of its ${all} rows`;
  return (
    `${what}: an older version of Libretto wrote them. A loss of the list would go unnoticed. ` +
    'Run `libretto build`, which announces them.'
  );
}

async function prunedFaults(output: Output): Promise<readonly Fault[]> {
  const faults: Fault[] = [];
  for (const path of await output.list('index', prunedFolder)) {
    const name = parsePackageName(path.slice(`${prunedFolder}/`.length, -'.json'.length));
    const pruned = (await output.read('index', path)) ?? '';
    faults.push(
      ...listFaults(
        pruned,
        { path: `index/${path}`, ...(name === undefined ? {} : { name }) },
        { repair: repairPruned, isWrong: isEdited },
        () => parsePruned(pruned),
      ),
    );
  }
  return faults;
}

async function quarantinedFaults(output: Output): Promise<readonly Fault[]> {
  const text = await output.read('index', quarantinedPath);
  if (text === undefined) return [];
  const check = { repair: repairQuarantined, isWrong: () => false };
  return listFaults(text, { path: `index/${quarantinedPath}` }, check, () => parseQuarantined(text));
}

/** Published advisories and filter lists, which the announcement counts. */
export async function verifyAdvisoryLists(
  output: Output,
  announced: Pick<Publication, 'advised'> = {},
): Promise<readonly Fault[]> {
  const { advised } = announced;
  const text = await output.read('index', advisoryListsPath);
  const path = `index/${advisoryListsPath}`;
  if (text === undefined) {
    if (advised === undefined) return [];
    const message = `${describeLostAdvisories(advised)} ${repairAdvisoryLists}`;
    return [{ code: 'MISSING_FILE', path, message }];
  }
  const check = { repair: repairAdvisoryLists, isWrong: isEdited };
  return listFaults(text, { path }, check, () => parseAdvisoryLists(text));
}

const isEdited = (text: string): boolean => !isAsWritten(text);

interface ListCheck {
  readonly repair: string;
  /** true if its checksum does not match its text */
  readonly isWrong: (text: string) => boolean;
}

function listFaults(
  text: string,
  place: Pick<Fault, 'path' | 'name'>,
  { repair, isWrong }: ListCheck,
  parse: () => unknown,
): readonly Fault[] {
  try {
    parse();
    return isWrong(text)
      ? [
          {
            code: 'MALFORMED_INDEX',
            ...place,
            message: `It was changed after it was written: its checksum is wrong. ${repair}`,
          },
        ]
      : [];
  } catch (error) {
    return [indexFault(error, place, repair)];
  }
}
