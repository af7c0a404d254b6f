// ZIPs of an origin: requested by the path in the serving index, and never by text from a client. Small ones are
// verified as a whole and cached by their SHA-1; larger ones are streamed during their verification. The headers are
// made here: clients get only published bytes of the origin (I15).

import { createHash } from 'node:crypto';
import type { IndexEntry } from '../../build/contract/serving-index.ts';
import type { Answer } from '../core/http/answer.ts';
import type { MaybeAsync } from '../../build/shared/concurrency/maybe-async.ts';
import { archiveAnswer, archiveHeaders, cachedUpToBytes } from '../core/tree/archive-store.ts';
import { ByteCache } from '../../build/shared/caches/byte-cache.ts';
import { answerWith, representationOf, type Conditions, type Representation } from '../core/http/representation.ts';
import { OriginFailure, OriginMismatch } from './origin-failure.ts';
import type { OriginReply, OriginRequests } from './origin-requests.ts';
import { originStream } from './origin-stream.ts';
import { assertWhole, drained, fetchWhole } from './origin-text.ts';
import type { OriginFailureLog } from './origin-failure-log.ts';
import { SingleFlight } from '../../build/shared/concurrency/single-flight.ts';

export interface OriginArchivesOptions {
  readonly requests: OriginRequests;
  readonly failures: OriginFailureLog;
  readonly limitBytes: number;
}

export class OriginArchives {
  readonly #requests: OriginRequests;
  readonly #failures: OriginFailureLog;
  readonly #cached: ByteCache<Representation>;
  readonly #loading = new SingleFlight<Representation>();

  constructor({ requests, failures, limitBytes }: OriginArchivesOptions) {
    this.#requests = requests;
    this.#failures = failures;
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
