// Takes over packages that another registry has mirrored. Everything is checked before the first file moves to its
// place. An archive that was accepted here stays, whatever another registry has accepted for the version (I18).

import { createHash, randomUUID } from 'node:crypto';
import { link, mkdir, open, rename, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { PurgedLookup } from '../../../build/contract/purged.ts';
import { BuildRefused } from '../../../build/contract/refusals.ts';
import { isThere } from '../../../build/shared/files/atomic-file.ts';
import { stampFile } from '../../../build/shared/files/file-stamp.ts';
import { syncFolder } from '../../../build/shared/files/sync-folder.ts';
import { messageOf } from '../../../build/shared/text/message-of.ts';
import { fileOf, readDocumentFile, writeDocumentFile } from '../upstream/document-file.ts';
import { offeredVersions, type CheckRecord } from '../versions/offered-version.ts';
import { AcceptedArchiveStore } from './accepted-archive-store.ts';
import { archivePath } from './accepted-package.ts';
import type { CheckArchive } from './archive-fetcher.ts';
import type { ArchiveRecord } from './archive-record.ts';
import { LastLists } from './last-lists.ts';
import { filesBelow, mirroredNames } from './mirror-inventory.ts';
import { cutMark } from './stored-files.ts';

export interface TakeOverOptions {
  /** what came, in the form of a mirror's folder, on its disk; the caller removes it, also after a kill */
  readonly from: string;
  /** the folder of the mirror here */
  readonly folder: string;
  readonly checkRecord: CheckRecord;
  readonly checkArchive: CheckArchive;
  readonly blocks: PurgedLookup['blocks'];
}

export interface StoredTakeOver {
  /** versions without those that were purged here */
  readonly taken: readonly ArchiveRecord[];
  /** the number of versions that are stored here with the same bytes */
  readonly here: number;
  /** a sentence for each version that was accepted here with other bytes */
  readonly leftOut: readonly string[];
  /** archives that did not come, and are not here either */
  readonly lacking: readonly ArchiveRecord[];
  /** folders of upstreams, below p2 */
  readonly upstreams: readonly string[];
  /** Moves everything to its place. After a kill, the same again completes it. */
  readonly place: () => Promise<void>;
}

/** Throws BuildRefused for a file that is not what it says. */
export async function checkStored(options: TakeOverOptions): Promise<StoredTakeOver> {
  const { from, folder, blocks } = options;
  const here = new AcceptedArchiveStore(folder, 0);
  const [taken, lacking, leftOut]: [ArchiveRecord[], ArchiveRecord[], string[]] = [[], [], []];
  let same = 0;
  for (const record of await checkVersions(options)) {
    const { name, version, shasum } = record;
    if (blocks(name, record) !== undefined) continue;
    const before = await here.record(record);
    const isStored = isThere(join(folder, archivePath(name, shasum)));
    if (before !== undefined && before.shasum !== shasum)
      leftOut.push(`${name} ${version} is stored here with other bytes, which stay.`);
    else if (before !== undefined && isStored) same += 1;
    else if (isStored || isThere(join(from, archivePath(name, shasum)))) taken.push(record);
    else lacking.push(record);
  }
  const documents = await checkDocuments(options);
  const upstreams = new Set(documents.flatMap((path) => /^p2\/([^/]+)\//.exec(path)?.[1] ?? []));
  const place = async (): Promise<void> => {
    for (const record of taken) await placeArchive(here, record, options);
    for (const path of documents) await placeNewer(join(from, path), join(folder, path));
    for (const path of documents) await placeOther(path, folder);
  };
  return { taken, here: same, leftOut, lacking, upstreams: [...upstreams], place };
}

function refused(fault: string): BuildRefused {
  return new BuildRefused(`The mirrored packages cannot be received: ${fault}. Nothing was changed.`);
}

/** Each record is one that this mirror could have written, and its archive, if it came, is the one that it names. */
async function checkVersions({ from, checkRecord, checkArchive }: TakeOverOptions): Promise<readonly ArchiveRecord[]> {
  const incoming = new AcceptedArchiveStore(from, 0);
  const all: ArchiveRecord[] = [];
  for await (const name of mirroredNames(from)) {
    const { records, unreadable } = await incoming.inspect(name);
    if (unreadable.length > 0) throw refused(`the record of an archive of ${name} is damaged`);
    for (const record of records) {
      const label = `${name} ${record.version}`;
      const { versions, leftOut } = offeredVersions(name, [record.record], checkRecord);
      if (versions[0] === undefined) throw refused(`the record of ${label} is unusable: ${leftOut[0]?.because ?? ''}`);
      const { version, normalized, dev } = versions[0];
      if (
        [record.name, record.version, record.normalized, record.dev].join() !== [name, version, normalized, dev].join()
      )
        throw refused(`the record of ${label} is of another version`);
      const path = join(from, archivePath(name, record.shasum));
      all.push(record);
      if (!isThere(path)) continue;
      if ((await incoming.digest(record)) !== record.shasum || (await stat(path)).size !== record.size)
        throw refused(`the archive of ${label} is not the one that its record names`);
      await checkArchive(path).catch((error: unknown) =>
        Promise.reject(refused(`the archive of ${label} is refused: ${messageOf(error).replace(/\.$/, '')}`)),
      );
    }
  }
  return all;
}

/** `path`: of a packages.json. */
function hidesOthers(path: string): BuildRefused {
  const upstream = path.split('/')[1]?.replace(/-\w+$/, '') ?? '';
  return refused(
    `they are what one token sees, and this registry has more of ${upstream}, which would be hidden. Receive them with ` +
      'a registry of their own',
  );
}

/** Paths below the folder. */
async function checkDocuments({ from, folder }: TakeOverOptions): Promise<readonly string[]> {
  const paths: string[] = [];
  for await (const path of filesBelow(from, 'p2')) {
    const file = await readDocumentFile(join(from, path));
    const hash = createHash('sha256').update(file?.body ?? '');
    if (file?.digest !== hash.digest('hex')) throw refused(`the document ${path} is damaged`);
    const isCut = path.endsWith('/packages.json') && file.body?.includes(cutMark) === true;
    const before = isCut ? (await readDocumentFile(join(folder, path)))?.body : undefined;
    if (before?.includes(cutMark) === false) throw hidesOthers(path);
    paths.push(path);
  }
  const lists = new LastLists(from, () => undefined);
  for await (const path of filesBelow(from, 'lists')) {
    const name = path.slice('lists/'.length).replace(/\.json$/, '') as ArchiveRecord['name'];
    await lists.read(name).catch(() => Promise.reject(refused(`the document ${path} is damaged`)));
    paths.push(path);
  }
  return paths;
}

async function placeArchive(
  here: AcceptedArchiveStore,
  record: ArchiveRecord,
  { from, folder }: TakeOverOptions,
): Promise<void> {
  const path = archivePath(record.name, record.shasum);
  const staged = join(from, '.staging', randomUUID());
  await mkdir(dirname(staged), { recursive: true });
  await link(join(isThere(join(from, path)) ? from : folder, path), staged);
  const file = await open(staged, 'r');
  await file.datasync().finally(() => file.close());
  await here.accept(staged, record);
}

/** A document that was checked here later stays. */
async function placeNewer(incoming: string, target: string): Promise<void> {
  const [before, next] = [stampFile(target), stampFile(incoming)];
  if (before !== undefined && before.mtimeNs >= (next?.mtimeNs ?? 0n)) return;
  await mkdir(dirname(target), { recursive: true });
  await rename(incoming, target);
  await syncFolder(dirname(target));
}

/**
 * A package has a document of releases and one of dev versions, and a mirror stores none that is missing. Here nobody
 * may be there to ask, so the other one counts as missing until its upstream says more.
 */
async function placeOther(path: string, folder: string): Promise<void> {
  const [, base, dev] = /^(p2\/[^/]+\/p2\/.+?)(~dev)?\.json$/.exec(path) ?? [];
  const target = join(folder, `${base}${dev === undefined ? '~dev' : ''}.json`);
  if (base === undefined || isThere(target)) return;
  const unknown = { etag: undefined, lastModified: undefined };
  const checkedMs = Number((stampFile(join(folder, path))?.mtimeNs ?? 0n) / 1_000_000n);
  await writeDocumentFile(target, fileOf(undefined, unknown, checkedMs));
}
