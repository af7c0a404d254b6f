// The store of accepted archives on disk: each ZIP under its SHA-1, and next to it a record that names its version. A
// ZIP is in place before its record names it. The first process that makes a record wins, and a record is never
// replaced: accepted bytes stay forever.

import { createReadStream, statSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { mkdir, readdir, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { PackageName } from '../../../build/contract/name.ts';
import type { IndexEntry } from '../../../build/contract/serving-index.ts';
import type { Answer } from '../../core/http/answer.ts';
import type { MaybeAsync } from '../../../build/shared/concurrency/maybe-async.ts';
import { folderFault } from '../../../build/shared/files/folder-fault.ts';
import { ArchiveStore } from '../../core/tree/archive-store.ts';
import { ByteCache } from '../../../build/shared/caches/byte-cache.ts';
import { isAbsence } from '../../../build/shared/files/file-stamp.ts';
import type { Conditions } from '../../core/http/representation.ts';
import { AcceptedPackage, archivePath, nothingAccepted } from './accepted-package.ts';
import {
  archiveKey,
  formatArchiveRecord,
  recordKeys,
  type ArchivedVersion,
  type ArchiveRecord,
} from './archive-record.ts';
import { createFile, isThere } from '../../../build/shared/files/atomic-file.ts';
import { readRecord, UnreadableRecord } from './read-record.ts';

/** The memory of one entry of a package. */
const bytesOfEntry = 800;

export class AcceptedArchiveStore {
  readonly #folder: string;
  readonly #store: ArchiveStore;
  readonly #known: ByteCache<AcceptedPackage>;

  /**
   * `folder`: the mirror's folder. `cacheBytes`: memory for small archives, plus up to a quarter of it for the facts of
   * packages.
   */
  constructor(folder: string, cacheBytes: number) {
    this.#folder = folder;
    this.#store = new ArchiveStore(folder, cacheBytes);
    this.#known = new ByteCache(cacheBytes / 4);
  }

  /** The mirror's folder. */
  get folder(): string {
    return this.#folder;
  }

  /** The accepted archives of a package in this process's cache, without reading the disk. */
  atHand(name: PackageName): AcceptedPackage | undefined {
    return this.#known.get(name);
  }

  /** The accepted archives of a package, cached by this process. Rejects if a record cannot be read. */
  accepted(name: PackageName): MaybeAsync<AcceptedPackage> {
    return this.#known.get(name) ?? this.acceptedNow(name);
  }

  /** The same, looked for on disk: other processes may have accepted something. */
  acceptedNow(name: PackageName): MaybeAsync<AcceptedPackage> {
    return isThere(this.#folderOf(name)) ? this.#readAccepted(name) : nothingAccepted;
  }

  /** Throws ArchiveMismatch if the file is missing or differs from the accepted one. */
  answer(entry: IndexEntry, conditions: Conditions): MaybeAsync<Answer> {
    return this.#store.answer(entry, conditions);
  }

  /**
   * Moves the file to its place. `bytes`: its content, if in memory. Returns the record that counts from now on: this
   * one, or an earlier one of another process.
   */
  async accept(staged: string, record: ArchiveRecord, bytes?: Buffer): Promise<ArchiveRecord> {
    const archive = join(this.#folder, archivePath(record.name, record.shasum));
    const isNew = !isThere(dirname(archive));
    if (isNew)
      await mkdir(dirname(archive), { recursive: true }).catch((error: unknown) =>
        Promise.reject(folderFault(error, dirname(archive))),
      );
    const path = this.#recordPath(record.name, archiveKey(record));
    const before = await this.record(record);
    if (before !== undefined && before.shasum !== record.shasum) return before;
    await rename(staged, archive); // replaces a damaged one too: the name identifies the content
    if (before === undefined) await this.#makeRoom(path, record);
    const created = before === undefined && (await createFile(path, [formatArchiveRecord(record)]));
    const first = before ?? (created ? record : await readRecord(path));
    this.#learn(record, created, isNew);
    const found =
      bytes === undefined || (first ?? record).shasum !== record.shasum
        ? undefined
        : statSync(archive, { throwIfNoEntry: false });
    if (bytes !== undefined && found !== undefined) this.#store.remember(record.shasum, bytes, found.mtimeMs);
    return first ?? record;
  }

  /** The cached records and the new one are all that this process needs to know about the package. */
  #learn(record: ArchiveRecord, created: boolean, isNew: boolean): void {
    const known = this.#known.get(record.name) ?? (isNew ? nothingAccepted : undefined);
    if (created && known !== undefined) this.#remember(record.name, known.with(record));
    else this.#known.delete(record.name);
  }

  /** The record of a version; undefined without an accepted archive. */
  async record(version: ArchivedVersion & Pick<ArchiveRecord, 'name'>): Promise<ArchiveRecord | undefined> {
    for (const key of recordKeys(version)) {
      const found = await readRecord(this.#recordPath(version.name, key));
      if (found !== undefined && archiveKey(found) === archiveKey(version)) return found;
    }
    return undefined;
  }

  /** An older version of Libretto may have kept the record of another label there. */
  async #makeRoom(path: string, { name }: ArchiveRecord): Promise<void> {
    const found = isThere(path) ? await readRecord(path) : undefined;
    const own = found && this.#recordPath(name, archiveKey(found));
    if (own !== undefined && own !== path) await rename(path, own);
  }

  /**
   * The records of one package, from disk. Rejects if one of them cannot be read, because the served bytes depend on
   * it.
   */
  async records(name: PackageName): Promise<readonly ArchiveRecord[]> {
    const {
      records,
      unreadable: [first],
    } = await this.inspect(name);
    if (first !== undefined) throw first;
    return records;
  }

  /** The readable records, for checks of the whole store. */
  async inspect(
    name: PackageName,
  ): Promise<{ readonly records: readonly ArchiveRecord[]; readonly unreadable: readonly UnreadableRecord[] }> {
    const folder = this.#folderOf(name);
    const records: ArchiveRecord[] = [];
    const unreadable: UnreadableRecord[] = [];
    for (const file of (await entriesIn(folder)).filter((entry) => entry.endsWith('.json'))) {
      try {
        const record = await readRecord(join(folder, file));
        if (record !== undefined) records.push(record);
      } catch (error) {
        if (!(error instanceof UnreadableRecord)) throw error;
        unreadable.push(error);
      }
    }
    return { records, unreadable };
  }

  /** SHA-1 of the file's present bytes; undefined if it is missing. */
  async digest({ name, shasum }: Pick<ArchiveRecord, 'name' | 'shasum'>): Promise<string | undefined> {
    const hash = createHash('sha1');
    try {
      await pipeline(createReadStream(join(this.#folder, archivePath(name, shasum))), hash);
      return hash.digest('hex');
    } catch (error) {
      if (isAbsence(error)) return undefined;
      throw error;
    }
  }

  async #readAccepted(name: PackageName): Promise<AcceptedPackage> {
    return this.#remember(name, new AcceptedPackage(name, await this.records(name)));
  }

  #remember(name: PackageName, accepted: AcceptedPackage): AcceptedPackage {
    this.#known.set(name, accepted, (accepted.size + 1) * bytesOfEntry);
    return accepted;
  }

  #folderOf(name: PackageName): string {
    return join(this.#folder, 'dist', name);
  }

  #recordPath(name: PackageName, key: string): string {
    return join(this.#folderOf(name), `${key}.json`);
  }
}

export async function entriesIn(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).toSorted();
  } catch (error) {
    if (isAbsence(error)) return [];
    throw error;
  }
}
