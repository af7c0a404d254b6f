// Commits, trees and blobs of one repository, by id. Parsed trees are cached, so that versions with common folders
// share the work. Throws QuarantineError BROKEN_OBJECT for one bad object, GitFailure after the end of git.

import { maxFileBytes } from '../directory/limits.ts';
import { QuarantineError } from '../../contract/quarantine.ts';
import type { BatchHeader } from './batch-parser.ts';
import { localEnvironment, type GitEnvironment } from './git-environment.ts';
import { ObjectReader, type ObjectAnswer } from './object-reader.ts';
import { SingleFlight } from '../../shared/concurrency/single-flight.ts';
import {
  parseCommit,
  parseSignedTag,
  parseTag,
  parseTree,
  type Commit,
  type SignedTag,
  type TreeEntry,
} from './objects.ts';

const maxMetaBytes = 1024 * 1024;
const maxTreeBytes = 64 * 1024 * 1024;
/** Bytes of blobs held for a consumer that is slower than git. */
const readAheadBytes = 4 * 1024 * 1024;
const readAheadBlobs = 128;
const maxSharedBlobs = 100;
/** Tree entries cached in memory (about 150 bytes each). */
const maxCachedEntries = 30_000;

/** Opens a repository on this disk for reading objects. The first request starts the first process. */
export function openObjects(
  gitDirectory: string,
  { environment, timeoutMs }: { readonly environment: GitEnvironment; readonly timeoutMs: number },
): ObjectStore {
  return new ObjectStore(new ObjectReader({ environment: localEnvironment(environment, gitDirectory), timeoutMs }));
}

export class ObjectStore {
  readonly #reader: ObjectReader;
  readonly #trees = new SingleFlight<readonly TreeEntry[]>({ keeps: 'settled' });
  readonly #commits = new SingleFlight<Commit>({ keeps: 'settled' });
  readonly #shared = new SingleFlight<Buffer | undefined>({ keeps: 'settled' });
  #cachedEntries = 0;
  #sawBroken = false;

  constructor(reader: ObjectReader) {
    this.#reader = reader;
    this.whenIdle(() => this.#forget());
  }

  /**
   * Calls `listener` after a while without requests, so that it drops its caches. A build may have thousands of
   * repositories, tens of thousands of versions, and a few folders for each.
   */
  whenIdle(listener: () => void): void {
    this.#reader.whenIdle(listener);
  }

  /** True if an object was broken or missing, so that a later read may give another result. */
  get sawBroken(): boolean {
    return this.#sawBroken;
  }

  /** Follows annotated tags; undefined if they end at a tree or blob. */
  async peel(oid: string): Promise<string | undefined> {
    let current = oid;
    for (let depth = 0; depth < 10; depth += 1) {
      const answer = await this.#reader.read(
        current,
        (header) => header.size <= maxMetaBytes && (header.type === 'commit' || header.type === 'tag'),
      );
      if (answer.outcome === 'declined' && answer.type !== 'commit' && answer.type !== 'tag') return undefined;
      const { type, bytes } = this.#found(answer, current, 'The object of this ref');
      if (type === 'commit') {
        void this.#commits.run(current, () => Promise.resolve(parseCommit(bytes)));
        return current;
      }
      const target = parseTag(bytes);
      if (target.type !== 'commit' && target.type !== 'tag') return undefined;
      current = target.oid;
    }
    throw new QuarantineError('BROKEN_OBJECT', 'This tag points at a tag that points at a tag, more than ten deep.');
  }

  /** undefined if the object is no annotated tag. */
  async tag(oid: string): Promise<SignedTag | undefined> {
    const answer = await this.#reader.read(oid, ({ size, type }) => size <= maxMetaBytes && type === 'tag');
    if (answer.outcome === 'declined' && answer.type !== 'tag') return undefined;
    return parseSignedTag(this.#found(answer, oid, 'The tag').bytes);
  }

  commit(oid: string): Promise<Commit> {
    return this.#commits.run(oid, async () => parseCommit(await this.#read(oid, 'commit', maxMetaBytes, 'The commit')));
  }

  tree(oid: string): Promise<readonly TreeEntry[]> {
    if (this.#cachedEntries > maxCachedEntries) this.#forget();
    return this.#trees.run(oid, async () => {
      const entries = parseTree(await this.#read(oid, 'tree', maxTreeBytes, 'A folder'), oid.length / 2);
      this.#cachedEntries += entries.length;
      return entries;
    });
  }

  /** A small blob: composer.json, attributes, the target of a symlink. undefined if it is larger than `limit` bytes. */
  async smallBlob(oid: string, limit: number, path: string): Promise<Buffer | undefined> {
    const answer = await this.#reader.read(oid, (header) => header.type === 'blob' && header.size <= limit);
    if (answer.outcome === 'declined' && answer.type === 'blob') return undefined;
    return this.#found(answer, oid, `The file ${path}`).bytes;
  }

  /** A small blob that many versions share. */
  sharedBlob(oid: string, limit: number, path: string): Promise<Buffer | undefined> {
    if (this.#shared.size > maxSharedBlobs) this.#shared.clear();
    return this.#shared.run(oid, () => this.smallBlob(oid, limit, path));
  }

  /**
   * Reads many blobs in this order, ahead of the consumer within `readAheadBytes`. A blob that does not fit is
   * declined, and requested again at its turn. So a slow consumer delays no other.
   */
  async *blobs(wanted: readonly { readonly oid: string; readonly path: string }[]): AsyncGenerator<Buffer> {
    let bufferedBytes = 0;
    const requests: Promise<ObjectAnswer>[] = [];
    const ask = (oid: string): Promise<ObjectAnswer> =>
      this.#reader.read(oid, ({ type, size }: BatchHeader) => {
        const fits = type === 'blob' && bufferedBytes + size <= readAheadBytes;
        if (fits) bufferedBytes += size;
        return fits;
      });
    for (const [index, { oid, path }] of wanted.entries()) {
      if (requests.length <= index + readAheadBlobs / 2)
        for (const next of wanted.slice(requests.length, index + readAheadBlobs)) requests.push(ask(next.oid));
      const early = await requests[index];
      if (early === undefined) throw new Error('unreachable: every blob is asked for before its turn');
      requests[index] = gone;
      if (early.outcome === 'declined' && early.type === 'blob') {
        if (early.size > maxFileBytes) throw tooLarge(path, early.size);
        yield await this.#largeBlob(oid, path);
        continue;
      }
      const { bytes } = this.#found(early, oid, `The file ${path}`);
      bufferedBytes -= bytes.length;
      yield bytes;
    }
  }

  close(): Promise<void> {
    return this.#reader.close();
  }

  #forget(): void {
    this.#trees.clear();
    this.#commits.clear();
    this.#shared.clear();
    this.#cachedEntries = 0;
  }

  async #largeBlob(oid: string, path: string): Promise<Buffer> {
    const answer = await this.#reader.read(oid, (header) => header.type === 'blob' && header.size <= maxFileBytes);
    if (answer.outcome === 'declined' && answer.type === 'blob') throw tooLarge(path, answer.size);
    return this.#found(answer, oid, `The file ${path}`).bytes;
  }

  async #read(oid: string, type: string, limit: number, what: string): Promise<Buffer> {
    const answer = await this.#reader.read(oid, (header) => header.type === type && header.size <= limit);
    return this.#found(answer, oid, what).bytes;
  }

  #found(answer: ObjectAnswer, oid: string, what: string): { readonly type: string; readonly bytes: Buffer } {
    if (answer.outcome === 'found') return answer;
    if (answer.outcome === 'failed') throw answer.failure;
    this.#sawBroken = true;
    const reason =
      answer.outcome === 'broken'
        ? answer.reason
        : `is a ${answer.type} of ${answer.size} bytes, not what is named here`;
    throw new QuarantineError(
      'BROKEN_OBJECT',
      `${what} (object ${oid}) ${reason}. Run \`git fsck\` in the repository, and fetch or push what is missing.`,
    );
  }
}

function tooLarge(path: string, size: number): QuarantineError {
  return new QuarantineError(
    'UNREADABLE_FILE',
    `The file ${path} is larger than 1 GiB (${size} bytes), the maximum for a file in a package. Exclude it ` +
      'from the archive.',
  );
}

const gone: Promise<ObjectAnswer> = Promise.resolve({ outcome: 'broken', reason: 'was read before' });
