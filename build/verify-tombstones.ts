// What `verify` checks of the lists beside the serving index. The lists of purged, withdrawn and pruned versions are as
// they were written, the first with all that is announced, and that of quarantined versions can be read. Nothing purged
// stands in the tree or in its history (I21).

import { missingPurges, type AnnouncedPurge } from './contract/announced-purges.ts';
import { hasWrongChecksum, isAsWritten } from './contract/checksum.ts';
import { isJsonObject } from './contract/json.ts';
import { parsePackageName, type PackageName } from './contract/name.ts';
import { distPath, type DistLabel, type PublicPath } from './contract/paths.ts';
import { parsePruned, prunedFolder } from './contract/pruned.ts';
import {
  lookUpPurged,
  nothingPurged,
  parsePurged,
  purgedPath,
  type PurgedLookup,
  type PurgedVersion,
} from './contract/purged.ts';
import { parseQuarantined, quarantinedPath } from './contract/quarantined.ts';
import type { IndexEntry } from './contract/serving-index.ts';
import { parseWithheld, withheldPath } from './contract/withheld.ts';
import { historyFolder } from './history/record.ts';
import type { Output } from './output/output.ts';
import { purgeCommand } from './purge/purge-command.ts';
import { archiveBlocker, describeMissing, repairPurged } from './purge/purged.ts';
import { recordsOf, referenceOf } from './purge/sweep-history.ts';
import { indexFault, repairByComparing, type Fault, type SameFiles, type VerifyContext } from './verify-fault.ts';

const repairWithheld =
  'Restore it from a backup; or remove it and withdraw the versions again with `libretto package withdraw`, before a build publishes them. Until then no build goes on.';
const repairQuarantined = 'Nothing depends on it: the next build that reads a source writes it again.';
const repairPruned =
  'Restore it from a backup; or remove it, and the releases that `prune` removed may come back with other bytes.';

export async function verifyTombstones(
  output: Output,
  announced: readonly AnnouncedPurge[],
): Promise<{ readonly tombstones: PurgedLookup; readonly faults: readonly Fault[] }> {
  const faults: Fault[] = [];
  let rows: readonly PurgedVersion[] = [];
  const text = await output.read('index', purgedPath);
  if (text !== undefined)
    faults.push(
      ...listFaults(
        text,
        { path: `index/${purgedPath}` },
        { repair: repairPurged, isWrong: isEdited },
        () => (rows = parsePurged(text)),
      ),
    );
  if (faults.length === 0) faults.push(...incompleteFaults(text, announced, rows));
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
  const withheld = await output.read('index', withheldPath);
  if (withheld !== undefined)
    faults.push(
      ...listFaults(
        withheld,
        { path: `index/${withheldPath}` },
        { repair: repairWithheld, isWrong: hasWrongChecksum },
        () => parseWithheld(withheld),
      ),
    );
  const quarantined = await output.read('index', quarantinedPath);
  if (quarantined !== undefined)
    faults.push(
      ...listFaults(
        quarantined,
        { path: `index/${quarantinedPath}` },
        { repair: repairQuarantined, isWrong: () => false },
        () => parseQuarantined(quarantined),
      ),
    );
  return { tombstones: rows.length === 0 ? nothingPurged : lookUpPurged(rows), faults };
}

/** A publication may be under way: the list has its tombstones before they are announced. */
function incompleteFaults(
  text: string | undefined,
  announced: readonly AnnouncedPurge[],
  rows: readonly PurgedVersion[],
): readonly Fault[] {
  const missing = missingPurges(announced, rows);
  if (missing.length === 0) return [];
  const path = `index/${purgedPath}`;
  if (text === undefined)
    return [
      {
        code: 'MISSING_FILE',
        path,
        message: `The list of purged versions is lost. ${describeMissing(missing)} ${repairPurged}`,
      },
    ];
  return [
    {
      code: 'MALFORMED_INDEX',
      path,
      message: `It is not the list that was published. ${describeMissing(missing)} ${repairPurged}`,
    },
  ];
}

const isEdited = (text: string): boolean => !isAsWritten(text);

interface ListCheck {
  readonly repair: string;
  /** whether its checksum says that it was changed */
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

interface Content {
  readonly version: string;
  readonly version_normalized: string;
  readonly reference: string;
}

/**
 * An entry of the serving index, or a record of a document, whose label, reference or archive was purged. `path`: of
 * the file, below the data folder.
 */
export function purgedFaults(
  name: PackageName,
  path: string,
  contents: readonly (Content & Partial<Pick<IndexEntry, 'shasum'>>)[],
  { tombstones, settled }: Pick<VerifyContext, 'tombstones' | 'settled'>,
): readonly Fault[] {
  // a purge that is under way removes them yet
  if (tombstones.rows.length === 0 || !settled) return [];
  return contents.flatMap(({ version, version_normalized: normalized, reference, shasum }) => {
    const row =
      tombstones.blocks(name, { normalized, reference }) ??
      tombstones.rows.find(({ sha1 }) => sha1 !== null && sha1 === shasum);
    if (row === undefined) return [];
    const repair = path.startsWith('public/')
      ? repairByComparing
      : `Run \`${purgeCommand({ name, version, version_normalized: normalized, reference }, row.reason)} --yes\`, which removes it.`;
    return [
      {
        code: 'PURGED_CONTENT' as const,
        path,
        name,
        version,
        message: `It has ${name} ${version}, ${purgedOn(row, name, version)}. ${repair}`,
      },
    ];
  });
}

/**
 * undefined: nothing that is known of the file says that it was purged. `file`: below public/, and no serving index
 * knows it.
 */
export async function purgedFileFault(
  file: string,
  { tombstones, output, fast }: VerifyContext,
): Promise<Fault | undefined> {
  if (tombstones.rows.length === 0) return undefined;
  const sha1 = fast ? undefined : await output.sha1('public', file);
  const row =
    tombstones.rows.find((one) => isArchiveOf(one, file)) ??
    (sha1 === undefined ? undefined : purgedArchive(output, file as PublicPath, sha1, tombstones));
  if (row === undefined) return undefined;
  return {
    code: 'PURGED_CONTENT',
    path: `public/${file}`,
    name: row.name,
    version: row.version,
    message: `It is an archive of ${row.name} ${row.version}, ${purgedOn(row, row.name, row.version)}. Remove it.`,
  };
}

/**
 * An archive of the serving index with the files of a purged version: a purge leaves it, and names it. It is no fault,
 * since two releases may have the same files. `entry` is none that a tombstone blocks.
 */
export function sameFiles(
  name: PackageName,
  entry: IndexEntry,
  { tombstones, output }: Pick<VerifyContext, 'tombstones' | 'output'>,
): SameFiles | undefined {
  const { version, version_normalized: normalized, reference, path } = entry;
  if (tombstones.rows.length === 0 || tombstones.blocks(name, { normalized, reference }) !== undefined)
    return undefined;
  const row = purgedArchive(output, path, entry.shasum, tombstones);
  if (row === undefined || row.sha1 === entry.shasum) return undefined;
  const message = `${name} ${version} (${reference.slice(0, 12)}, ${entry.state}) has the files of ${row.name} ${row.version}, which was purged on ${row.since.slice(0, 10)} (${row.reason}). If it must go: ${purgeCommand({ name, ...entry }, row.reason)}`;
  return { path: `public/${path}`, name, version, reference, message };
}

/** The tombstone of an archive with these bytes or these files; undefined also for what is no ZIP. */
function purgedArchive(
  output: Output,
  path: PublicPath,
  sha1: string,
  { rows }: PurgedLookup,
): PurgedVersion | undefined {
  try {
    return archiveBlocker(rows)(output.locate(path), sha1);
  } catch {
    return undefined; // damage is a fault of its own
  }
}

function isArchiveOf({ name, version, reference }: PurgedVersion, file: string): boolean {
  const plain = distPath(name, version as DistLabel);
  return file === plain || (reference !== '' && file === plain.replace(/\.zip$/, `@${reference}.zip`));
}

/** Documents that history keeps. For a tree whose last purge was finished. */
export async function verifyHistory({ output, tombstones, settled, fast }: VerifyContext): Promise<readonly Fault[]> {
  const faults: Fault[] = [];
  if (tombstones.rows.length === 0 || !settled || fast) return faults;
  for (const path of await output.list('build', historyFolder)) {
    if (path.endsWith('/record.json')) continue;
    for (const [name, versions] of Object.entries(recordsOf((await output.read('build', path)) ?? ''))) {
      const known = parsePackageName(name);
      const contents = Object.entries(versions).flatMap(([version, record]) =>
        isJsonObject(record)
          ? [{ version, version_normalized: String(record['version_normalized']), reference: referenceOf(record) }]
          : [],
      );
      if (known !== undefined) faults.push(...purgedFaults(known, `build/${path}`, contents, { tombstones, settled }));
    }
  }
  return faults;
}

function purgedOn(row: PurgedVersion, name: string, version: string): string {
  const isSame = row.name === name && row.version === version;
  return `${isSame ? 'which was' : `whose bytes are those of ${row.name} ${row.version}, which was`} purged on ${row.since.slice(0, 10)} (${row.reason})`;
}
