// `verify` checks purged versions: neither the tree nor its history contains a purged version (I21).

import { isJsonObject } from '../contract/json.ts';
import { parsePackageName, type PackageName } from '../contract/name.ts';
import { distPath, type DistLabel, type PublicPath } from '../contract/paths.ts';
import type { PurgedLookup, PurgedVersion } from '../contract/purged.ts';
import type { IndexEntry } from '../contract/serving-index.ts';
import { historyFolder } from '../history/record.ts';
import type { Output } from '../output/output.ts';
import { purgeCommand } from '../version-lists/purge-command.ts';
import { archiveBlocker } from '../package/purged.ts';
import { recordsWithPurged, referenceOf } from '../publish/sweep-history.ts';
import type { Fault, SameFiles, VerifyContext } from './verify-fault.ts';

interface Content {
  readonly version: string;
  readonly version_normalized: string;
  readonly reference: string;
}

/**
 * Faults for entries of the serving index, or records of a document, whose label, reference or archive was purged.
 * `path`: of the file, below the data folder.
 */
export function purgedFaults(
  name: PackageName,
  path: string,
  contents: readonly (Content & Partial<Pick<IndexEntry, 'shasum'>>)[],
  { tombstones, settled, repairs }: Pick<VerifyContext, 'tombstones' | 'settled' | 'repairs'>,
): readonly Fault[] {
  // a running purge will still remove them
  if (tombstones.rows.length === 0 || !settled) return [];
  return contents.flatMap(({ version, version_normalized: normalized, reference, shasum }) => {
    const row =
      tombstones.blocks(name, { normalized, reference }) ??
      tombstones.rows.find(({ sha1 }) => sha1 !== null && sha1 === shasum);
    if (row === undefined) return [];
    const repair = path.startsWith('public/')
      ? repairs.byComparing
      : `Run \`${purgeCommand({ name, version, version_normalized: normalized, reference }, row.reason)} --yes\`, ` +
        'which removes it.';
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

/** undefined: the file is not known to be purged. `file`: below public/, and absent from every serving index. */
export async function purgedFileFault(
  file: string,
  { tombstones, output, fast }: VerifyContext,
): Promise<Fault | undefined> {
  if (tombstones.rows.length === 0) return undefined;
  const sha1 = fast ? undefined : await output.sha1('public', file);
  const row =
    tombstones.rows.find((one) => isArchiveOf(one, file)) ??
    (sha1 === undefined ? undefined : await purgedArchive(output, file as PublicPath, sha1, tombstones));
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
 * An archive of the serving index with the files of a purged version: a purge leaves such an archive, and reports it.
 * The archive is no fault, since two releases may have the same files. `entry`: an entry that no tombstone blocks.
 */
export async function sameFiles(
  name: PackageName,
  entry: IndexEntry,
  { tombstones, output }: Pick<VerifyContext, 'tombstones' | 'output'>,
): Promise<SameFiles | undefined> {
  const { version, version_normalized: normalized, reference, path } = entry;
  if (tombstones.rows.length === 0 || tombstones.blocks(name, { normalized, reference }) !== undefined)
    return undefined;
  const row = await purgedArchive(output, path, entry.shasum, tombstones);
  if (row === undefined || row.sha1 === entry.shasum) return undefined;
  const message =
    `${name} ${version} (${reference.slice(0, 12)}, ${entry.state}) has the files of ${row.name} ${row.version}, ` +
    `which was ${purgedWhen(row)}. If it must go: ${purgeCommand({ name, ...entry }, row.reason)}`;
  return { path: `public/${path}`, name, version, reference, message };
}

/** The tombstone of an archive with these bytes or these files; undefined also for a file that is no ZIP. */
async function purgedArchive(
  output: Output,
  path: PublicPath,
  sha1: string,
  { rows }: PurgedLookup,
): Promise<PurgedVersion | undefined> {
  try {
    return (await archiveBlocker(rows))(await output.locate(path), sha1);
  } catch {
    return undefined; // damage is a separate fault
  }
}

function isArchiveOf({ name, version, reference }: PurgedVersion, file: string): boolean {
  const plain = distPath(name, version as DistLabel);
  return file === plain || (reference !== '' && file === plain.replace(/\.zip$/, `@${reference}.zip`));
}

/** Checks the stored documents of history, for a tree whose last purge was completed. */
export async function verifyHistory(context: VerifyContext): Promise<readonly Fault[]> {
  const { output, tombstones, settled, fast } = context;
  const faults: Fault[] = [];
  if (tombstones.rows.length === 0 || !settled || fast) return faults;
  for (const path of await output.list('build', historyFolder)) {
    if (path.endsWith('/record.json')) continue;
    for (const [name, versions] of Object.entries(recordsWithPurged((await output.read('build', path)) ?? ''))) {
      const known = parsePackageName(name);
      const contents = Object.entries(versions).flatMap(([version, record]) =>
        isJsonObject(record)
          ? [{ version, version_normalized: String(record['version_normalized']), reference: referenceOf(record) }]
          : [],
      );
      if (known !== undefined) faults.push(...purgedFaults(known, `build/${path}`, contents, context));
    }
  }
  return faults;
}

function purgedOn(row: PurgedVersion, name: string, version: string): string {
  const isSame = row.name === name && row.version === version;
  const which = isSame ? 'which was' : `whose bytes are those of ${row.name} ${row.version}, which was`;
  return `${which} ${purgedWhen(row)}`;
}

function purgedWhen({ since, reason }: PurgedVersion): string {
  return `purged on ${since.slice(0, 10)} (${reason})`;
}
