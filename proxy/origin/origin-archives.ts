// ZIPs of an origin: requested by the path in the serving index, and never by text from a client. Small ones are
// verified as a whole and cached by their SHA-1; larger ones are streamed during their verification. The headers are
// made here: clients get only published bytes of the origin (I15).

import { createHash } from 'node:crypto';
import type { IndexEntry } from '../../build/contract/serving-index.ts';
import type { Answer, OpenFile, ReadHandle } from '../core/http/answer.ts';
import type { MaybeAsync } from '../../build/shared/concurrency/maybe-async.ts';
import { archiveAnswer, archiveHeaders, cachedUpToBytes } from '../core/tree/archive-store.ts';
import { ByteCache } from '../../build/shared/caches/byte-cache.ts';
import { answerWith, representationOf, type Conditions, type Representation } from '../core/http/representation.ts';
import { OriginFailure, OriginMismatch } from './origin-failure.ts';
import type { OriginReply, OriginRequests } from './origin-requests.ts';
import { assertWhole, drained, fetchWhole } from './origin-text.ts';
import type { OriginFailureLog } from './origin-failure-log.ts';
import { SingleFlight } from '../../build/shared/concurrency/single-flight.ts';

// Streams an archive from the origin to a client, in the form of an open file. The last piece is held back until size
// and SHA-1 of the whole are verified: a client never gets a complete archive that differs from the published one
// (I15).

/** An origin that sends nothing for this time has failed. The wait for a slow client does not count. */
const standardIdleMs = 30_000;

/**
 * `reply`: the response with the archive of `entry`, and its unread body. `onFailure` receives the reason why a body
 * broke off.
 */
export function originStream(
  reply: OriginReply,
  entry: IndexEntry,
  onFailure: (error: unknown) => void,
  idleTimeoutMs = standardIdleMs,
): OpenFile {
  const pieces = checkedPieces(reply, entry, idleTimeoutMs);
  let ready: Buffer = Buffer.alloc(0);
  let buffered: Buffer | undefined;
  let gone = false;
  const refill = async (): Promise<void> => {
    buffered ??= await pieces.next();
    const following = await pieces.next();
    ready = buffered ?? ready;
    buffered = following;
  };
  const handle: ReadHandle = {
    read: async (buffer, offset, length) => {
      if (ready.length === 0) {
        await refill().catch((error: unknown) => {
          if (!gone) onFailure(error);
          throw error;
        });
      }
      const bytesRead = ready.copy(buffer, offset, 0, length);
      ready = ready.subarray(bytesRead);
      return { bytesRead };
    },
    close: async () => {
      pieces.stop();
      reply.drop();
    },
  };
  const abandon = (): void => {
    gone = true;
    reply.drop();
  };
  return { handle, size: entry.size, path: entry.path, abandon };
}

interface Pieces {
  /** The next one; undefined once all came and were right. */
  readonly next: () => Promise<Buffer | undefined>;
  readonly stop: () => void;
}

function checkedPieces(reply: OriginReply, { size, shasum, path }: IndexEntry, idleTimeoutMs: number): Pieces {
  const body = (reply.body as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  const hash = createHash('sha1');
  let length = 0;
  let waiting = false;
  const timer = setTimeout(() => {
    if (waiting) reply.drop();
  }, idleTimeoutMs);
  const received = async (): Promise<IteratorResult<Buffer, unknown>> => {
    waiting = true;
    timer.refresh();
    try {
      return await body.next();
    } catch (cause) {
      throw new OriginMismatch(`the origin broke off public/${path} after ${length} of ${size} bytes`, { cause });
    } finally {
      waiting = false;
    }
  };
  return {
    next: async () => {
      const { done, value } = await received();
      if (done !== true) {
        length += value.length;
        hash.update(value);
        if (length > size) throw new OriginMismatch(`the origin sends more than the ${size} bytes of public/${path}`);
        return value;
      }
      const found = hash.digest('hex');
      if (length !== size || found !== shasum)
        throw new OriginMismatch(
          `the origin's public/${path} has ${length} bytes and SHA-1 ${found}, the index says ${size} and ${shasum}`,
        );
      return undefined;
    },
    stop: () => clearTimeout(timer),
  };
}

export interface OriginArchivesOptions {
  readonly requests: OriginRequests;
  readonly failures: OriginFailureLog;
  readonly limitBytes: number;
  /** Larger archives are sent by the store itself, where it can. */
  readonly redirectAbove: number;
}

export class OriginArchives {
  readonly #requests: OriginRequests;
  readonly #failures: OriginFailureLog;
  readonly #redirectAbove: number;
  readonly #cached: ByteCache<Representation>;
  readonly #loading = new SingleFlight<Representation>();

  constructor({ requests, failures, limitBytes, redirectAbove }: OriginArchivesOptions) {
    this.#requests = requests;
    this.#failures = failures;
    this.#redirectAbove = redirectAbove;
    this.#cached = new ByteCache(limitBytes);
  }

  /** Rejects with OriginMismatch if the origin has other bytes or none, with OriginFailure if the origin fails. */
  answer(entry: IndexEntry, conditions: Conditions & { readonly head: boolean }): MaybeAsync<Answer> {
    const cached = this.#cached.get(entry.shasum);
    if (cached !== undefined) return answerWith(cached, conditions);
    // the bytes of a SHA-1 never change: who has them need not wait for the origin
    const unchanged = archiveAnswer(entry, timeOf(entry), conditions, undefined);
    return unchanged.status === 304 ? unchanged : this.#ask(entry, conditions);
  }

  async #ask(entry: IndexEntry, conditions: Conditions & { readonly head: boolean }): Promise<Answer> {
    try {
      if (conditions.head) return await this.#head(entry, conditions);
      if (entry.size > this.#redirectAbove && this.#requests.presigned !== undefined)
        return redirected(entry, await this.#requests.presigned(pathOf(entry)));
      if (entry.size <= cachedUpToBytes)
        return answerWith(await this.#loading.run(entry.path, () => this.#load(entry)), conditions);
      return await this.#stream(entry, conditions);
    } catch (error) {
      this.#failures.failed('archive', error);
      throw error;
    }
  }

  async #head(entry: IndexEntry, conditions: Conditions): Promise<Answer> {
    const reply = await this.#requests.open({ method: 'HEAD', path: pathOf(entry) });
    reply.body.resume();
    assertArchive(reply, entry);
    return archiveAnswer(entry, timeOf(entry), conditions, undefined);
  }

  async #load(entry: IndexEntry): Promise<Representation> {
    const fetched = await fetchWhole(this.#requests, pathOf(entry), entry.size);
    if (fetched.outcome !== 'whole') throw missing(entry);
    const { bytes } = fetched;
    const found = createHash('sha1').update(bytes).digest('hex');
    if (found !== entry.shasum)
      throw new OriginMismatch(
        `the origin's ${pathOf(entry)} has ${bytes.length} bytes and SHA-1 ${found}, the index says ` +
          `${entry.size} and ${entry.shasum}`,
      );
    const representation = representationOf(bytes, archiveHeaders, `"${entry.shasum}"`, timeOf(entry));
    this.#cached.set(entry.shasum, representation, representation.weight);
    return representation;
  }

  async #stream(entry: IndexEntry, conditions: Conditions): Promise<Answer> {
    const reply = await this.#requests.open({ method: 'GET', path: pathOf(entry) });
    try {
      assertArchive(reply, entry);
    } catch (error) {
      throw drained(reply, error);
    }
    return archiveAnswer(
      entry,
      timeOf(entry),
      conditions,
      originStream(reply, entry, (error) => this.#failures.failed('archive', error)),
    );
  }
}

/** The address is a right to read: no cache may keep it. */
function redirected(entry: IndexEntry, url: string | undefined): Answer {
  if (url === undefined) throw missing(entry);
  return { status: 302, headers: ['Location', url, 'Cache-Control', 'no-store', 'Content-Length', '0'], body: '' };
}

const pathOf = ({ path }: IndexEntry): string => `public/${path}`;

/**
 * The date is the same at every proxy, and independent of the origin's file times: the time of the release, or of its
 * publication.
 */
function timeOf({ time, since }: IndexEntry): number {
  const known = Date.parse(time ?? since);
  return Number.isFinite(known) ? known : 0;
}

function missing(entry: IndexEntry): OriginMismatch {
  return new OriginMismatch(`the origin has no ${pathOf(entry)}, which is in the index`);
}

function assertArchive(reply: OriginReply, entry: IndexEntry): void {
  if (reply.status === 404 || reply.status === 410) throw missing(entry);
  assertWhole(reply, pathOf(entry));
  const stated = reply.headers['content-length'];
  if (stated === undefined) throw new OriginFailure(`the origin does not say how long ${pathOf(entry)} is`);
  if (stated !== String(entry.size))
    throw new OriginMismatch(`the origin's ${pathOf(entry)} has ${stated} bytes, the index says ${entry.size}`);
}
