// The documents of one upstream, stored on disk. Concurrent callers share one request (case 78), and a stale document
// is requested again. While the upstream fails or sends invalid documents, the last known one is served (case 75).

import { join } from 'node:path';
import { shownUrl } from '../../../build/egress/egress-failure.ts';
import type { MaybeAsync } from '../../../build/shared/concurrency/maybe-async.ts';
import { SingleFlight } from '../../../build/shared/concurrency/single-flight.ts';
import { fileOf, type DocumentFile } from './document-file.ts';
import { parseJsonYielding } from '../../../build/shared/json/incremental-json.ts';
import type { CachedDocuments } from './cached-documents.ts';
import type { ReportMirrorEvent } from './mirror-event.ts';
import { UpstreamUnavailable } from './mirror-failure.ts';
import { patienceMs, type Silence } from './silence.ts';
import type { UpstreamClient } from './upstream-client.ts';
import type { Destination } from './upstream-credential.ts';

export interface Freshness {
  /** how long a document is served without a new request */
  readonly freshMs: number;
  /** how long a missing document is remembered */
  readonly missingMs: number;
  /** how long an upstream has to report a document as missing until it counts as removed */
  readonly goneAfterMs: number;
}

export interface StoreOptions {
  /** the folder of this upstream alone */
  readonly folder: string;
  readonly client: UpstreamClient;
  readonly kept: CachedDocuments;
  readonly destination: Destination;
  /** for messages */
  readonly upstream: string;
  readonly silence: Silence;
  /** for documents with an upstream's package list: a 404 proves nothing, and is a failure */
  readonly areNeeded?: true;
  readonly freshness: () => Freshness;
  /** epoch milliseconds: missing documents, and needed ones, that were checked before are requested again */
  readonly since: () => number;
  readonly now: () => number;
  readonly report: ReportMirrorEvent;
}

export interface CachedDocument<Value> {
  /** undefined: the upstream has no such document */
  readonly value: Value | undefined;
  /** changes with the bytes */
  readonly digest: string;
  readonly changedAtMs: number;
  /** since when its requests have failed; undefined: it is current */
  readonly staleSinceMs: number | undefined;
  /** until when a new request is unnecessary or useless */
  readonly goodUntilMs: number;
}

/**
 * Makes the value of a document from its JSON; `bytes`: as received, unpacked. Throws an Error with the fault: the
 * document then counts as not received.
 */
export type ParseDocument<Value> = (json: unknown, bytes: Buffer) => MaybeAsync<Value>;

interface StoreRequest<Value> {
  /** its file */
  readonly path: string;
  readonly url: URL;
  readonly parse: ParseDocument<Value>;
  /** hex; a document that has it never changes, and any other is not current. undefined: unknown */
  readonly sha256?: string | undefined;
  /** until when a document that was checked at this time is good, as a feed of changes says; undefined: unknown */
  readonly followed?: ((checkedAtMs: number, freshMs: number) => number | undefined) | undefined;
}

type Known = Pick<StoreRequest<unknown>, 'sha256' | 'followed'>;

export class DocumentStore {
  readonly #options: StoreOptions;
  readonly #running = new SingleFlight<CachedDocument<unknown>>();
  readonly #asking = new SingleFlight<CachedDocument<unknown>>();
  /** Failures: such a document is not requested again before its time, for any number of clients. */
  readonly #failed = new Map<string, UpstreamUnavailable>();

  constructor(options: StoreOptions) {
    this.#options = options;
  }

  /** `key`: its file below the folder. Rejects with UpstreamUnavailable if it fails and no document is stored. */
  get<Value>(key: string, url: URL, parse: ParseDocument<Value>, known: Known = {}): Promise<CachedDocument<Value>> {
    const asked = { path: join(this.#options.folder, key), url, parse, ...known };
    return this.#running.run(idOf(asked), () => this.#load(asked)) as Promise<CachedDocument<Value>>;
  }

  async #load<Value>(asked: StoreRequest<Value>): Promise<CachedDocument<Value>> {
    const { kept: documents, now, since } = this.#options;
    const { path, parse } = asked;
    const remembered = documents.remembered(path);
    const isCurrent = remembered !== undefined && remembered.checkedAtMs >= since();
    const found = isCurrent && now() < this.#goodUntil(remembered, asked) ? remembered : await documents.read(path);
    const parsed =
      found === undefined || (this.#options.areNeeded === true && found.body === undefined)
        ? undefined
        : await withValue(found, parse);
    const nowMs = now();
    if (parsed !== undefined && nowMs < this.#goodUntil(parsed.file, asked)) return this.#answer(parsed, asked);
    const failure = this.#failed.get(idOf(asked));
    if (failure !== undefined && nowMs < failure.retryAtMs)
      return parsed === undefined ? Promise.reject(failure) : this.#stale(parsed, failure.retryAtMs);
    // continues even if this caller stops waiting
    const ask = (): Promise<CachedDocument<Value>> => this.#askOrStale(asked, parsed);
    const asking = this.#asking.run(idOf(asked), ask) as Promise<CachedDocument<Value>>;
    if (parsed === undefined) return asking;
    return this.#options.silence.within(asking, () => this.#stale(parsed, now() + patienceMs), now);
  }

  async #askOrStale<Value>(asked: StoreRequest<Value>, kept: Kept<Value> | undefined): Promise<CachedDocument<Value>> {
    const { url } = asked;
    try {
      const answer = await this.#ask(asked, kept);
      this.#options.silence.heard();
      this.#failed.delete(idOf(asked));
      return answer;
    } catch (error) {
      const failure =
        error instanceof UpstreamUnavailable
          ? error
          : new UpstreamUnavailable(
              `${shownUrl(url)} cannot be used: ${error instanceof Error ? error.message : String(error)}.`,
              this.#options.now() + unusableMs,
              { cause: error, lasting: true },
            );
      this.#options.silence.lasts(this.#options.now());
      this.#tellFailed(url, failure.message, kept !== undefined);
      if (this.#failed.size >= maxFailures) this.#failed.clear();
      this.#failed.set(idOf(asked), failure);
      if (kept === undefined) throw failure;
      return this.#stale(kept, failure.retryAtMs);
    }
  }

  #stale<Value>(kept: Kept<Value>, goodUntilMs: number): CachedDocument<Value> {
    return { ...this.#answer(kept), staleSinceMs: kept.file.checkedAtMs, goodUntilMs };
  }

  async #ask<Value>(asked: StoreRequest<Value>, kept: Kept<Value> | undefined): Promise<CachedDocument<Value>> {
    const { client, kept: documents, destination, upstream, areNeeded, freshness, now, report } = this.#options;
    const { path, url, parse, sha256 } = asked;
    // with a digest, a stored document is another one, of another address
    const validators = kept?.file.body === undefined || sha256 !== undefined ? undefined : kept.file;
    const answer = await client.document(url, destination, validators);
    const nowMs = now();
    report({ kind: 'document', upstream, url: shownUrl(url), outcome: answer.outcome });
    if (answer.outcome === 'missing' && areNeeded === true)
      throw new UpstreamUnavailable(
        `${shownUrl(url)} is missing, so the packages of this repository are unknown.`,
        nowMs + freshness().missingMs,
        { lasting: true },
      );
    if (answer.outcome === 'missing') return this.#missing(asked, kept, nowMs);
    if (answer.outcome === 'fetched') {
      const file = fileOf(answer.bytes, answer, nowMs);
      if (sha256 !== undefined && file.digest !== sha256)
        throw new Error(`its SHA-256 is ${file.digest}, and the list of packages says ${sha256}`);
      return this.#keep(asked, { file, value: await parse(await parseJsonYielding(answer.bytes), answer.bytes) });
    }
    if (kept === undefined) throw new Error('it answers 304, but no copy is stored');
    if (kept.file.missingSinceMs !== undefined)
      return this.#keep(asked, { ...kept, file: { ...kept.file, missingSinceMs: undefined, checkedAtMs: nowMs } });
    const checked = { ...kept, file: { ...kept.file, checkedAtMs: nowMs } };
    await documents.checked(path, checked.file, (error) => this.#reportUnstored(url, error));
    return this.#answer(checked, asked);
  }

  /**
   * One 404 may be a mistake of the upstream: the last document is served until the upstream has reported 404 for a
   * while.
   */
  async #missing<Value>(
    asked: StoreRequest<Value>,
    kept: Kept<Value> | undefined,
    nowMs: number,
  ): Promise<CachedDocument<Value>> {
    const since = kept?.file.missingSinceMs ?? nowMs;
    const wasThere = kept?.file.body !== undefined && nowMs - since < this.#options.freshness().goneAfterMs;
    if (!wasThere)
      return this.#keep<Value>(asked, {
        file: fileOf(undefined, { etag: undefined, lastModified: undefined }, nowMs),
        value: undefined,
      });
    return this.#keep(asked, { ...kept, file: { ...kept.file, missingSinceMs: since, checkedAtMs: nowMs } });
  }

  async #keep<Value>(asked: StoreRequest<Value>, kept: Kept<Value>): Promise<CachedDocument<Value>> {
    await this.#options.kept.keep(asked.path, kept.file, (error) => this.#reportUnstored(asked.url, error));
    return this.#answer(kept, asked);
  }

  #reportUnstored(url: URL, error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    this.#tellFailed(url, `${shownUrl(url)} was fetched, but could not be stored: ${reason}.`, false);
  }

  #tellFailed(url: URL, message: string, stale: boolean): void {
    const { report, upstream } = this.#options;
    report({ kind: 'document-failed', upstream, url: shownUrl(url), message, stale });
  }

  #answer<Value>({ file, value }: Kept<Value>, known: Known = {}): CachedDocument<Value> {
    return {
      value,
      digest: file.digest,
      changedAtMs: file.changedAtMs,
      staleSinceMs: file.missingSinceMs,
      goodUntilMs: this.#goodUntil(file, known),
    };
  }

  /** A time in the future is a clock that was set back: not to be believed. */
  #goodUntil({ body, digest, missingSinceMs, checkedAtMs }: DocumentFile, { sha256, followed }: Known): number {
    const { freshness, areNeeded, since, now } = this.#options;
    const { freshMs, missingMs } = freshness();
    if (sha256 !== undefined) return digest === sha256 ? Number.POSITIVE_INFINITY : 0;
    if (checkedAtMs > now() + 1000) return 0;
    const isMissing = body === undefined || missingSinceMs !== undefined;
    if ((isMissing || areNeeded === true) && checkedAtMs < since()) return 0;
    const period = isMissing ? missingMs : freshMs;
    return followed?.(checkedAtMs, period) ?? checkedAtMs + period;
  }
}

const [unusableMs, maxFailures] = [30_000, 1000];

/** A failure of one address says nothing of another one for the same file. */
function idOf({ path, url }: StoreRequest<unknown>): string {
  return `${path} ${url.href}`;
}

interface Kept<Value> {
  readonly file: DocumentFile;
  readonly value: Value | undefined;
}

/** undefined if the stored file is no valid document for this version. */
async function withValue<Value>(file: DocumentFile, parse: ParseDocument<Value>): Promise<Kept<Value> | undefined> {
  if (file.body === undefined) return { file, value: undefined };
  try {
    return { file, value: await parse(await parseJsonYielding(file.body), file.body) };
  } catch (error) {
    if (error instanceof Error) return undefined;
    throw error;
  }
}
