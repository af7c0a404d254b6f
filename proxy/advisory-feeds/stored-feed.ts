// The list of one feed as this process uses it: the copy on disk, and the packages that were asked about since. Other
// processes may replace the copy at any moment. A damaged file never replaces a list that is in use.

import { rename, rm } from 'node:fs/promises';
import type { PackageName } from '../../build/contract/name.ts';
import { isAbsence, sameStamp, stampFile, type FileStamp } from '../../build/shared/files/file-stamp.ts';
import { syncFolder } from '../../build/shared/files/sync-folder.ts';
import { messageOf } from '../../build/shared/text/message-of.ts';
import type { ReportFeedEvent } from './feed-event.ts';
import { feedPath, keepPrevious, previousPath, readCopy, refusedPath, writeCopy, type FeedCopy } from './feed-file.ts';
import type { ListedFeed } from './feed-lists.ts';
import type { FeedRows } from './model/feed-rows.ts';
import { emptyTable, type FeedTable } from './model/feed-table.ts';
import type { Shrinkage } from './model/shrinkage.ts';

export interface StoredFeedOptions {
  readonly id: string;
  /** `<data>/feeds` */
  readonly folder: string;
  readonly report: ReportFeedEvent;
  /** called when a row may have changed */
  readonly changed: () => void;
}

/** The packages that were asked about since the last run; older ones are asked about again. */
const mostLearned = 5000;

export class StoredFeed implements ListedFeed {
  readonly id: string;
  readonly #options: StoredFeedOptions;
  readonly #learned = new Map<PackageName, FeedRows>();
  /** names that do not belong to the feed, as of the last list: others may belong to it later */
  readonly #foreign = new Set<PackageName>();
  #copy: FeedCopy | undefined;
  #stamp: FileStamp | undefined;
  #refused: FeedCopy | undefined;
  #refusedStamp: FileStamp | undefined;
  #fileProblem: string | undefined;
  /** false: the file is damaged, and must not become the previous copy */
  #isFileSound = false;
  /** undefined: not known yet */
  #expected: string | undefined;

  constructor(options: StoredFeedOptions) {
    this.id = options.id;
    this.#options = options;
    this.look();
  }

  get table(): FeedTable {
    return this.#copy?.table ?? emptyTable;
  }

  get fetchedAt(): string | null {
    return this.#copy?.fetchedAt ?? null;
  }

  /** The address of the copy in use. */
  get url(): string | undefined {
    return this.#copy?.url;
  }

  /** False without a copy of this address, and while its file has a fault. */
  isWholeFor(url: string): boolean {
    return this.#copy?.url === url && this.#fileProblem === undefined;
  }

  /** For events. */
  lacksCopy(): { readonly copy?: 'none' } {
    return this.#copy === undefined ? { copy: 'none' } : {};
  }

  get shrunk(): Shrinkage | null {
    return this.#refused?.shrunk ?? null;
  }

  /** What is wrong with the file; undefined: nothing. */
  get fileProblem(): string | undefined {
    return this.#fileProblem;
  }

  readonly rowsOf = (name: PackageName): FeedRows | undefined => this.table.rowsOf(name) ?? this.#learned.get(name);

  readonly has = (name: PackageName): boolean => this.table.has(name) || this.#learned.has(name);

  readonly knows = (name: PackageName): boolean => this.has(name) || this.#foreign.has(name);

  /** The packages that are not in the copy on disk. */
  learnedNames(): readonly PackageName[] {
    return [...this.#learned.keys()];
  }

  learn(name: PackageName, rows: FeedRows): void {
    if (this.table.has(name)) return;
    this.#learned.set(name, rows);
    dropOldest(this.#learned);
    if (rows.advisories.length > 0 || rows.entries.length > 0) this.#options.changed();
  }

  /** The name does not belong to the feed. */
  leaveOut(name: PackageName): void {
    this.#foreign.add(name);
    dropOldest(this.#foreign);
  }

  /** Loads the files if another process has replaced them. */
  look(): void {
    const { folder } = this.#options;
    const [path, refused] = [feedPath(folder, this.id), refusedPath(folder, this.id)];
    const [stamp, refusedStamp] = [stampFile(path), stampFile(refused)];
    if (!sameStamp(stamp, this.#stamp)) {
      this.#stamp = stamp;
      if (stamp !== undefined) this.#load(path);
    }
    if (!sameStamp(refusedStamp, this.#refusedStamp)) {
      this.#refusedStamp = refusedStamp;
      this.#refused = refusedStamp === undefined ? undefined : this.#readRefused(refused);
    }
  }

  /**
   * The address of the feed. A copy of another address stays in use until the first whole run at this one, which is
   * then compared with it.
   */
  expect(url: string): void {
    this.#foreign.clear();
    if (this.#expected === url) return;
    this.#expected = url;
    if (this.#refused?.url !== url) this.#refused = undefined;
  }

  /** Uses a new list. A disk that is full does not keep it from being used. */
  async commit(copy: Omit<FeedCopy, 'feed' | 'shrunk'>): Promise<void> {
    const whole = { ...copy, feed: this.id, shrunk: null };
    const { folder } = this.#options;
    try {
      if (this.#isFileSound) await keepPrevious(folder, this.id);
      await writeCopy(feedPath(folder, this.id), whole);
      this.#stamp = stampFile(feedPath(folder, this.id));
      this.#isFileSound = true;
      this.#fileProblem = undefined;
    } catch (error) {
      this.#fault(`The list of ${this.id} cannot be stored: ${messageOf(error)}.`);
    }
    this.#use(whole);
  }

  /** Stores a list that a person must accept first. */
  async refuse(copy: Omit<FeedCopy, 'feed' | 'shrunk'>, shrunk: Shrinkage): Promise<void> {
    const whole = { ...copy, feed: this.id, shrunk };
    try {
      await writeCopy(refusedPath(this.#options.folder, this.id), whole);
      this.#refusedStamp = stampFile(refusedPath(this.#options.folder, this.id));
    } catch (error) {
      this.#fault(`The new list of ${this.id} cannot be stored: ${messageOf(error)}.`);
    }
    this.#refused = whole;
  }

  /** The alarm is over: the newest list is in use. */
  async dropRefused(): Promise<void> {
    if (this.#refused === undefined && this.#refusedStamp === undefined) return;
    this.#refused = undefined;
    this.#refusedStamp = undefined;
    await rm(refusedPath(this.#options.folder, this.id), { force: true });
  }

  /** Uses the refused list. false: there is none that is whole and of this address. */
  async accept(): Promise<boolean> {
    this.look();
    const { folder } = this.#options;
    if (this.#refused === undefined) return false;
    try {
      if (this.#isFileSound) await keepPrevious(folder, this.id);
      await rename(refusedPath(folder, this.id), feedPath(folder, this.id));
    } catch (error) {
      if (isAbsence(error)) return false; // another process was first
      throw error;
    }
    await syncFolder(folder);
    this.look();
    return true;
  }

  #use(copy: FeedCopy): void {
    const before = this.table;
    this.#copy = copy;
    this.#foreign.clear();
    for (const name of this.#learned.keys()) if (copy.table.has(name)) this.#learned.delete(name);
    if (before.digest !== copy.table.digest) this.#options.changed();
  }

  /** A damaged file does not replace a list in use. Without one, the previous copy is used. */
  #load(path: string): void {
    try {
      const copy = readCopy(path);
      this.#isFileSound = copy !== undefined;
      this.#fileProblem = undefined;
      if (copy !== undefined) this.#use(copy);
    } catch (error) {
      this.#isFileSound = false;
      const previous = this.#copy === undefined ? this.#readPrevious() : undefined;
      if (previous !== undefined) this.#use(previous);
      this.#fault(`The file of ${this.id} is not used: ${messageOf(error)}. ${this.#inEffect()}`);
    }
  }

  #inEffect(): string {
    return this.#copy === undefined
      ? 'There is no other copy: this feed blocks nothing until the next run writes the file again.'
      : `The copy of ${this.fetchedAt ?? 'an incomplete run'} is used until the next run writes the file again.`;
  }

  #readPrevious(): FeedCopy | undefined {
    try {
      return readCopy(previousPath(this.#options.folder, this.id));
    } catch {
      return undefined; // the caller tells that there is no copy
    }
  }

  #readRefused(path: string): FeedCopy | undefined {
    try {
      const copy = readCopy(path);
      return this.#expected === undefined || copy?.url === this.#expected ? copy : undefined;
    } catch (error) {
      this.#fault(`The new list of ${this.id} is not used: ${messageOf(error)}. The next run writes it again.`);
      return undefined;
    }
  }

  #fault(message: string): void {
    this.#fileProblem = message;
    this.#options.report({ kind: 'feed-file', feed: this.id, message, ...this.lacksCopy() });
  }
}

function dropOldest(names: Map<PackageName, unknown> | Set<PackageName>): void {
  for (const oldest of names.keys()) {
    if (names.size <= mostLearned) break;
    names.delete(oldest);
  }
}
