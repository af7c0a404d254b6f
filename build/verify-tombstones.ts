// What `verify` checks of the lists beside the serving index. The lists of purged and pruned versions are as they were written, and those of withdrawn and
// quarantined versions can be read. Nothing purged stands in the tree or in its history (I21).

import { isAsWritten } from './contract/checksum.ts';
import { isJsonObject } from './contract/json.ts';
import { parsePackageName, type PackageName } from './contract/name.ts';
import { distPath, type DistLabel } from './contract/paths.ts';
import { parsePruned, prunedFolder } from './contract/pruned.ts';
import { lookUpPurged, nothingPurged, parsePurged, purgedPath, type PurgedLookup, type PurgedVersion } from './contract/purged.ts';
import { parseQuarantined, quarantinedPath } from './contract/quarantined.ts';
import type { IndexEntry } from './contract/serving-index.ts';
import { parseWithheld, withheldPath } from './contract/withheld.ts';
import { historyFolder } from './history/record.ts';
import type { Output } from './output/output.ts';
import { recordsOf, referenceOf } from './purge/sweep-history.ts';
import { indexFault, repairByComparing, type Fault, type VerifyContext } from './verify-fault.ts';

const repairPurged = 'Restore it from a backup, or from another copy of the tree: until then no build goes on, since what was purged would come back.';
const repairWithheld = 'Restore it from a backup; or remove it and withdraw the versions again. Until then no build goes on.';
const repairQuarantined = 'Nothing depends on it: the next build that reads a source writes it again.';
const repairPruned = 'Restore it from a backup; or remove it, and the releases that `prune` removed may come back with other bytes.';

export async function verifyTombstones(output: Output): Promise<{ readonly tombstones: PurgedLookup; readonly faults: readonly Fault[] }> {
  const faults: Fault[] = [];
  let rows: readonly PurgedVersion[] = [];
  const text = await output.read('index', purgedPath);
  if (text !== undefined) faults.push(...listFaults(text, { path: `index/${purgedPath}` }, repairPurged, () => (rows = parsePurged(text))));
  for (const path of await output.list('index', prunedFolder)) {
    const name = parsePackageName(path.slice(`${prunedFolder}/`.length, -'.json'.length));
    const pruned = (await output.read('index', path)) ?? '';
    faults.push(...listFaults(pruned, { path: `index/${path}`, ...(name === undefined ? {} : { name }) }, repairPruned, () => parsePruned(pruned)));
  }
  faults.push(...(await unreadable(output, withheldPath, repairWithheld, parseWithheld)), ...(await unreadable(output, quarantinedPath, repairQuarantined, parseQuarantined)));
  return { tombstones: rows.length === 0 ? nothingPurged : lookUpPurged(rows), faults };
}

/** Of a list without a checksum. */
async function unreadable(output: Output, path: string, repair: string, parse: (text: string) => unknown): Promise<readonly Fault[]> {
  const text = await output.read('index', path);
  try {
    if (text !== undefined) parse(text);
    return [];
  } catch (error) {
    return [indexFault(error, { path: `index/${path}` }, repair)];
  }
}

function listFaults(text: string, place: Pick<Fault, 'path' | 'name'>, repair: string, parse: () => unknown): readonly Fault[] {
  try {
    parse();
    return isAsWritten(text) ? [] : [{ code: 'MALFORMED_INDEX', ...place, message: `It was changed after it was written: its checksum is wrong. ${repair}` }];
  } catch (error) {
    return [indexFault(error, place, repair)];
  }
}

interface Content {
  readonly version: string;
  readonly version_normalized: string;
  readonly reference: string;
}

/** An entry of the serving index, or a record of a document, whose label, reference or archive was purged. `path`: of the file, below the data folder. */
export function purgedFaults(name: PackageName, path: string, contents: readonly (Content & Partial<Pick<IndexEntry, 'shasum'>>)[], { tombstones, settled }: Pick<VerifyContext, 'tombstones' | 'settled'>): readonly Fault[] {
  // a purge that is under way removes them yet
  if (tombstones.rows.length === 0 || !settled) return [];
  return contents.flatMap(({ version, version_normalized: normalized, reference, shasum }) => {
    const row = tombstones.blocks(name, { normalized, reference }) ?? tombstones.rows.find(({ sha1 }) => sha1 !== null && sha1 === shasum);
    if (row === undefined) return [];
    const repair = path.startsWith('public/') ? repairByComparing : `Run \`libretto package purge ${name} ${version} --reason ${row.reason} --yes\`, which removes it.`;
    return [{ code: 'PURGED_CONTENT' as const, path, name, version, message: `It has ${name} ${version}, ${purgedOn(row, name, version)}. ${repair}` }];
  });
}

/** undefined: nothing that is known of the file says that it was purged. `file`: below public/, and no serving index knows it. */
export async function purgedFileFault(file: string, { tombstones, output, fast }: VerifyContext): Promise<Fault | undefined> {
  if (tombstones.rows.length === 0) return undefined;
  const sha1 = fast ? undefined : await output.sha1('public', file);
  const row = tombstones.rows.find((one) => isArchiveOf(one, file) || (one.sha1 !== null && one.sha1 === sha1));
  if (row === undefined) return undefined;
  return { code: 'PURGED_CONTENT', path: `public/${file}`, name: row.name, version: row.version, message: `It is an archive of ${row.name} ${row.version}, ${purgedOn(row, row.name, row.version)}. Remove it.` };
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
      const contents = Object.entries(versions).flatMap(([version, record]) => (isJsonObject(record) ? [{ version, version_normalized: String(record['version_normalized']), reference: referenceOf(record) }] : []));
      if (known !== undefined) faults.push(...purgedFaults(known, `build/${path}`, contents, { tombstones, settled }));
    }
  }
  return faults;
}

function purgedOn(row: PurgedVersion, name: string, version: string): string {
  const isSame = row.name === name && row.version === version;
  return `${isSame ? 'which was' : `whose bytes are those of ${row.name} ${row.version}, which was`} purged on ${row.since.slice(0, 10)} (${row.reason})`;
}
