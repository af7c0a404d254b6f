// Takes over packages that another registry has mirrored. Everything is checked before the first file moves to its
// place. An archive that was accepted here stays, whatever another registry has accepted for the version (I18).

import { link, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { createHash, randomUUID } from 'node:crypto';
import { dirname, join } from 'node:path';
import type { PurgedLookup } from '../../../build/contract/purged.ts';
import { BuildRefused } from '../../../build/contract/refusals.ts';
import { isThere } from '../../../build/shared/files/atomic-file.ts';
import { stampFile } from '../../../build/shared/files/file-stamp.ts';
import { syncFolder } from '../../../build/shared/files/sync-folder.ts';
import { messageOf } from '../../../build/shared/text/message-of.ts';
import { readDocumentFile } from '../upstream/document-file.ts';
import { offeredVersions, type CheckRecord } from '../versions/offered-version.ts';
import { AcceptedArchiveStore } from './accepted-archive-store.ts';
import { archivePath } from './accepted-package.ts';
import type { CheckArchive } from './archive-fetcher.ts';
import type { ArchiveRecord } from './archive-record.ts';
import { LastLists } from './last-lists.ts';
import { filesBelow, mirroredNames } from './mirror-inventory.ts';

export interface TakeOverOptions {
  /** what came, in the form of a mirror's folder */
  readonly from: string;
  /** the folder of the mirror here */
  readonly folder: string;
  readonly checkRecord: CheckRecord;
  readonly checkArchive: CheckArchive;
  readonly blocks: PurgedLookup['blocks'];
}

export interface StoredTakeOver {
  readonly taken: readonly ArchiveRecord[];
  /** the number of versions that are stored here with the same bytes */
  readonly here: number;
  /** a sentence for each version that was accepted here with other bytes */
  readonly leftOut: readonly string[];
  /** the first archive that did not come, and is not here either */
  readonly lacking: ArchiveRecord | undefined;
  /** folders of upstreams, below p2 */
  readonly upstreams: readonly string[];
  /** Moves everything to its place. After a kill, the same again completes it. */
  readonly place: () => Promise<void>;
}

/** Throws BuildRefused for a file that is not what it says. */
export async function checkStored(options: TakeOverOptions): Promise<StoredTakeOver> {
  const { from, folder } = options;
  const [incoming, here] = [from, folder].map((path) => new AcceptedArchiveStore(path, 0)) as [
    AcceptedArchiveStore,
    AcceptedArchiveStore,
  ];
  const taken: ArchiveRecord[] = [];
  const leftOut: string[] = [];
  let [same, lacking] = [0, undefined as ArchiveRecord | undefined];
  for await (const name of mirroredNames(from)) {
    const { records, unreadable } = await incoming.inspect(name);
    if (unreadable[0] !== undefined) throw refused(`the record of an archive of ${name} is damaged`);
    for (const record of records) {
      if (record.name !== name) throw refused(`a record of ${name} is of ${record.name}`);
      await checkVersion(incoming, record, options);
      const before = await here.record(record);
      const isStored = isThere(join(folder, archivePath(name, record.shasum)));
      if (options.blocks(name, record) !== undefined) continue; // it was purged here
      if (before !== undefined && before.shasum !== record.shasum)
        leftOut.push(`${name} ${record.version} is stored here with other bytes, which stay.`);
      else if (before !== undefined && isStored) same += 1;
      else if (isStored || isThere(join(from, archivePath(name, record.shasum)))) taken.push(record);
      else lacking ??= record;
    }
  }
  const documents = await checkDocuments(options);
  return {
    taken,
    here: same,
    leftOut,
    lacking,
    upstreams: [...new Set(documents.flatMap((path) => (path.startsWith('p2/') ? [path.split('/')[1] ?? ''] : [])))],
    place: async () => {
      for (const record of taken) await placeArchive(here, record, options);
      for (const path of documents) await placeNewer(join(from, path), join(folder, path));
    },
  };
}

function refused(fault: string): BuildRefused {
  return new BuildRefused(`The mirrored packages cannot be received: ${fault}. Nothing was changed.`);
}

/** The record is one that this mirror could have written, and the archive is the one that it names. */
async function checkVersion(
  incoming: AcceptedArchiveStore,
  record: ArchiveRecord,
  { from, checkRecord, checkArchive }: TakeOverOptions,
): Promise<void> {
  const { name, version, normalized, dev, shasum, size } = record;
  const label = `${name} ${version}`;
  const {
    versions: [offered],
    leftOut: [fault],
  } = offeredVersions(name, [record.record], checkRecord);
  if (offered === undefined) throw refused(`the record of ${label} is unusable: ${fault?.because ?? 'it is empty'}`);
  if (offered.version !== version || offered.normalized !== normalized || offered.dev !== dev)
    throw refused(`the record of ${label} is of ${offered.version}`);
  const found = await incoming.digest(record);
  if (found === undefined) return;
  const path = join(from, archivePath(name, shasum));
  if (found !== shasum || (await stat(path)).size !== size)
    throw refused(`the archive of ${label} is not the one that its record names`);
  await checkArchive(path).catch((error: unknown) => {
    throw refused(`the archive of ${label} is refused: ${messageOf(error).replace(/\.$/, '')}`);
  });
}

/** Paths below the folder. */
async function checkDocuments({ from }: TakeOverOptions): Promise<readonly string[]> {
  const paths: string[] = [];
  for await (const path of filesBelow(from, 'p2')) {
    const file = await readDocumentFile(join(from, path));
    const digest = createHash('sha256')
      .update(file?.body ?? '')
      .digest('hex');
    if (file === undefined || digest !== file.digest) throw refused(`the document ${path} is damaged`);
    paths.push(path);
  }
  const lists = new LastLists(from, () => undefined);
  for await (const path of filesBelow(from, 'lists')) {
    const name = path.slice('lists/'.length).replace(/\.json$/, '') as ArchiveRecord['name'];
    await lists.read(name).catch((error: unknown) => Promise.reject(refused(messageOf(error))));
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
  const incoming = join(from, path);
  const staged = join(folder, '.staging', `${randomUUID()}.partial`);
  await mkdir(dirname(staged), { recursive: true });
  await link(isThere(incoming) ? incoming : join(folder, path), staged);
  const file = await open(staged, 'r');
  await file.datasync().finally(() => file.close());
  // two names of one file: the rename does nothing, and the staged name stays
  await here.accept(staged, record).finally(() => rm(staged, { force: true }));
}

/** A document that was checked here later stays. */
async function placeNewer(incoming: string, target: string): Promise<void> {
  const before = stampFile(target);
  if (before !== undefined && Number(before.mtimeNs) >= Number(stampFile(incoming)?.mtimeNs ?? 0)) return;
  await mkdir(dirname(target), { recursive: true });
  await rename(incoming, target);
  await syncFolder(dirname(target));
}
