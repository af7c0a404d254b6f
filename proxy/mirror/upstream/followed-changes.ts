// Follows the feed of changes of an upstream (`metadata-changes-url`; docs/reference/protocol.md): one question tells
// which documents changed. It is never the only word: documents are also checked as without a feed, only later, and
// while the feed fails nothing differs.

import { isJsonObject, type JsonValue } from '../../../build/contract/json.ts';
import type { PackageName } from '../../../build/contract/name.ts';
import { SingleFlight } from '../../../build/shared/concurrency/single-flight.ts';
import { parseJsonYielding } from '../../../build/shared/json/incremental-json.ts';
import type { Stability } from './joined-documents.ts';
import type { Destination } from './upstream-credential.ts';
import type { UpstreamClient } from './upstream-client.ts';

/** A question is this old at most, while requests come. */
export const pollMs = 2000;
const afterFailureMs = 30_000;
/** How long a request waits for the answer. */
const patienceMs = 300;
/** Hosts of one upstream publish within this time of each other. */
const settleMs = 10_000;
/** The first question reaches back so far: documents that are stored already may have changed since. */
const lookBackMs = 1_200_000;
/** Documents are checked after so many times the usual period, whatever the feed says. */
const longest = 10;
const mostChanged = 100_000;
/** A timestamp of the feed has ten thousand parts of a second. */
const unitsOfSecond = 10_000;

const kinds = ['stable', 'dev'] as const;

/** The name of a document in feeds and in addresses. */
export const documentOf = (name: PackageName, kind: Stability): string => (kind === 'dev' ? `${name}~dev` : name);

export class FollowedChanges {
  readonly #client: Pick<UpstreamClient, 'feed'>;
  readonly #destination: Destination;
  readonly #now: () => number;
  /** false: the public registry */
  readonly isFollowed: boolean;
  #since: number | undefined;
  /** epoch milliseconds: all later changes are known */
  #beganMs = Number.POSITIVE_INFINITY;
  /** of the last answer */
  #answeredMs = 0;
  #nextMs = 0;
  readonly #asking = new SingleFlight<void>();
  /** `acme/hello` or `acme/hello~dev` → when a change became known */
  readonly #changed = new Map<string, number>();

  constructor(client: Pick<UpstreamClient, 'feed'>, destination: Destination, now: () => number, isFollowed: boolean) {
    this.isFollowed = isFollowed;
    this.#client = client;
    this.#destination = destination;
    this.#now = now;
  }

  /** Asks if the last answer is old. undefined: there is nothing to wait for. Never rejects. */
  refresh(url: URL): Promise<void> | undefined {
    if (!this.isFollowed || (this.#asking.size === 0 && this.#now() < this.#nextMs)) return undefined;
    return this.#asking.within(
      url.href,
      () => this.#ask(url),
      patienceMs,
      () => undefined,
    );
  }

  /** True if a change of a document of the package became known after this time, epoch milliseconds. */
  isChangedSince(name: PackageName, ms: number): boolean {
    return kinds.some((kind) => (this.#changed.get(documentOf(name, kind)) ?? 0) > ms);
  }

  /** Epoch milliseconds: until when a document that was checked needs no request. undefined: the feed does not know. */
  goodUntil(document: string, checkedAtMs: number, freshMs: number): number | undefined {
    const changedMs = this.#changed.get(document) ?? 0;
    if (checkedAtMs < changedMs) return 0;
    if (checkedAtMs < changedMs + settleMs) return checkedAtMs + Math.min(pollMs, freshMs);
    if (checkedAtMs < this.#beganMs) return undefined;
    return Math.min(Math.max(checkedAtMs, this.#answeredMs) + freshMs, checkedAtMs + longest * freshMs);
  }

  async #ask(url: URL): Promise<void> {
    const asked = new URL(url);
    const first = Math.floor((this.#now() - lookBackMs) / 1000) * unitsOfSecond;
    asked.searchParams.set('since', String(this.#since ?? first));
    try {
      const answer = await this.#client.feed(asked, this.#destination);
      if (answer.outcome !== 'fetched') throw new Error('there is no such feed');
      this.#take(parseAnswer(await parseJsonYielding(answer.bytes)));
      this.#nextMs = this.#answeredMs + pollMs;
    } catch {
      // documents are checked as without a feed; an old timestamp goes on when it answers again
      this.#nextMs = this.#now() + afterFailureMs;
    }
  }

  #take({ timestamp, documents }: Changes): void {
    const nowMs = (this.#answeredMs = this.#now());
    const isBeginning = this.#since === undefined;
    const isWhole = documents !== 'all' && this.#changed.size + documents.length <= mostChanged;
    this.#since = timestamp;
    if (isBeginning || !isWhole) this.#beganMs = nowMs;
    if (isWhole) for (const document of documents) this.#changed.set(document, nowMs);
    else this.#changed.clear();
  }
}

interface Changes {
  readonly timestamp: number;
  /** `all`: every document may have changed */
  readonly documents: readonly string[] | 'all';
}

/** Throws an Error for another form. An action of an unknown type counts as one about all documents. */
function parseAnswer(json: unknown): Changes {
  const { actions, timestamp } = isJsonObject(json) ? json : {};
  if (!Array.isArray(actions) || typeof timestamp !== 'number' || !Number.isSafeInteger(timestamp))
    throw new Error('it is no list of changes');
  const documents = actions.map((action: JsonValue) => {
    const { type, package: name } = isJsonObject(action) ? action : {};
    return (type === 'update' || type === 'delete') && typeof name === 'string' ? name.toLowerCase() : undefined;
  });
  return { timestamp, documents: documents.includes(undefined) ? 'all' : documents.filter((one) => one !== undefined) };
}
