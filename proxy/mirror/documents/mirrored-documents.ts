// The cache of p2 documents of mirrored packages. A document is made again after a change of the upstream or of the
// settings, and when a version becomes old enough. It is also made again when a name that its versions replace or
// provide becomes private or public.

import type { JsonObject } from '../../../build/contract/json.ts';
import type { PackageName } from '../../../build/contract/name.ts';
import { ByteCache } from '../../../build/shared/caches/byte-cache.ts';
import { SingleFlight } from '../../../build/shared/concurrency/single-flight.ts';
import type { TextDocument } from '../../core/http/document.ts';
import type { Compiled } from '../rules/mirror-rules.ts';
import { normalized } from '../rules/release-rules.ts';
import type { UpstreamOffer } from '../upstream/find-offer.ts';
import type { Offer, Stability } from '../upstream/upstream.ts';
import { noGains, type Gains } from '../../policy/judge/held-releases.ts';
import { mirroredGains, type Arrivals } from '../archives/arrivals.ts';
import type { LastLists } from '../archives/last-lists.ts';
import type { Offers } from '../archives/offered-records.ts';
import { documentLists, documentsOf, goodUntil } from './document-lists.ts';
import {
  noForeignNames,
  OfferFormatter,
  type FormatParts,
  type Formatted,
  type FormatterOptions,
} from './offer-formatter.ts';

export interface Mirrored {
  /** undefined: no such package, or no version of this stability */
  readonly document: TextDocument | undefined;
  /** since when the upstream is unreachable; undefined: the document is current */
  readonly staleSinceMs: number | undefined;
  /** the keys of releases with an added checksum or `published-time`: each adds a second to Last-Modified */
  readonly learned: ReadonlySet<string>;
  /** normalized releases whose `published-time` is that of their acceptance here: no rule about the age reads it */
  readonly dated: ReadonlySet<string>;
  /** the advisories and filter lists that count for the package */
  readonly lists: JsonObject;
  /** of the releases that arrived while a rule compares them */
  readonly gains: Gains;
}

interface Made extends Mirrored, Pick<Formatted, 'foreignNames'> {
  readonly compiled: Compiled;
  /** the ids of the upstreams, joined by spaces */
  readonly asked: string;
  readonly digest: string | undefined;
  readonly accepted: number;
  /** when its upstreams were asked, epoch milliseconds */
  readonly askedMs: number;
  readonly goodUntilMs: number;
  /** when the result of a rule changes */
  readonly changesAtMs: number | undefined;
  /** the epoch of `foreignNames` */
  readonly epoch: number;
}

const nothingLearned: ReadonlySet<string> = new Set();

export interface DocumentsOptions extends FormatterOptions {
  readonly lastLists: LastLists;
  readonly arrivals: Arrivals;
  readonly cacheBytes: number;
}

interface Wanted {
  readonly name: PackageName;
  readonly stability: Stability;
  /** the ids of the name's upstreams */
  readonly ids: readonly string[];
  readonly compiled: Compiled;
  /** grows with each publication that may change private names */
  readonly epoch: number;
}

export class MirroredDocuments {
  readonly #options: DocumentsOptions;
  readonly #made: ByteCache<Made>;
  readonly #making = new SingleFlight<Made>();
  readonly #formatter: OfferFormatter;

  constructor(options: DocumentsOptions) {
    this.#options = options;
    this.#made = new ByteCache(options.cacheBytes);
    this.#formatter = new OfferFormatter(options);
  }

  /** `ids`: of the upstreams of the name. Rejects with UpstreamUnavailable. */
  get(
    name: PackageName,
    stability: Stability,
    ids: readonly string[],
    compiled: Compiled,
    { nowMs, epoch }: { readonly nowMs: number; readonly epoch: number },
  ): Mirrored | Promise<Mirrored> {
    const asked = ids.flatMap((id) => compiled.upstreams.get(id)?.follow() ?? []);
    const find = (): Mirrored | Promise<Mirrored> => this.#find({ name, stability, ids, compiled, epoch }, nowMs);
    return asked.length === 0 ? find() : Promise.all(asked).then(find);
  }

  #find({ name, stability, ids, compiled, epoch }: Wanted, nowMs: number): Mirrored | Promise<Mirrored> {
    const key = keyOf(name, stability);
    const made = this.#made.get(key);
    const holds = made !== undefined && (made.epoch === epoch || made.foreignNames.claimed.length === 0);
    if (
      holds &&
      this.#hasLearned(made, name) &&
      made.compiled === compiled &&
      nowMs < made.goodUntilMs &&
      !ids.some((id) => compiled.upstreams.get(id)?.changes.isChangedSince(name, made.askedMs) === true) &&
      made.asked === ids.join(' ')
    )
      return made;
    return this.#making.run(key, () => this.#make({ name, stability, ids, compiled, epoch }), [compiled, epoch]);
  }

  /** True if the document has every checksum and `published-time` known to this process. */
  #hasLearned({ document, learned }: Made, name: PackageName): boolean {
    if (document === undefined || learned === nothingLearned) return true;
    return (this.#options.archiveStore.atHand(name)?.learned.size ?? 0) <= learned.size;
  }

  /** The memory of `document` has grown by this many bytes. */
  grow(name: PackageName, stability: Stability, document: TextDocument, bytes: number): void {
    const made = this.#made.get(keyOf(name, stability));
    if (made?.document === document) this.#made.grow(keyOf(name, stability), made, bytes);
  }

  async #make(wanted: Wanted): Promise<Made> {
    const { name, stability, ids, compiled, epoch } = wanted;
    const askedMs = this.#options.now();
    const offers = await documentsOf(wanted);
    const { own: offer, upstream } = offers;
    const nowMs = this.#options.now();
    if (offer === undefined || upstream === undefined)
      return this.#keep(keyOf(name, stability), {
        document: undefined,
        staleSinceMs: undefined,
        compiled,
        asked: ids.join(' '),
        digest: undefined,
        accepted: 0,
        learned: nothingLearned,
        dated: nothingLearned,
        lists: {},
        gains: noGains,
        askedMs,
        goodUntilMs: nowMs + compiled.rules.freshness.missingMs,
        changesAtMs: undefined,
        foreignNames: noForeignNames,
        epoch,
      });
    const made = await this.#madeOf(wanted, { offer, upstream }, offers, nowMs);
    return this.#keep(keyOf(name, stability), { ...made, askedMs });
  }

  /** `nowMs`: when the upstream had answered. */
  async #madeOf(
    wanted: Wanted,
    found: UpstreamOffer & { readonly offer: Offer },
    offers: Offers,
    nowMs: number,
  ): Promise<Omit<Made, 'askedMs'>> {
    const { name, stability, ids, compiled, epoch } = wanted;
    const { offer } = found;
    const upstreamIds = ids.join(' ');
    const before = this.#made.get(keyOf(name, stability));
    const accepted = await this.#options.archiveStore.acceptedNow(name); // another process may have accepted an archive
    const lists = await documentLists(wanted, offers, accepted, this.#options.lastLists);
    const releases = stability === 'dev' ? [] : offer.document.versions;
    const gains = await mirroredGains(name, releases, compiled.rules.releases.policy, this.#options.arrivals, nowMs);
    const learned = stability === 'dev' ? nothingLearned : accepted.learned; // documents of dev versions get none
    const same = before !== undefined && (await this.#isSame(before, wanted, found, { accepted, lists }, nowMs));
    const { document, changesAtMs, foreignNames } = same
      ? before
      : await this.#formatter.format(name, stability, found, compiled, { accepted, lists, gains });
    return {
      document,
      staleSinceMs: offer.staleSinceMs,
      compiled,
      asked: upstreamIds,
      digest: offer.digest,
      accepted: accepted.size,
      learned,
      dated: stability === 'dev' ? nothingLearned : datedHere(accepted.dated, offer.document.versions),
      lists,
      gains,
      goodUntilMs: Math.min(goodUntil(offers), changesAtMs ?? Number.POSITIVE_INFINITY),
      changesAtMs,
      foreignNames,
      epoch,
    };
  }

  /** True if the document would be made of the same. */
  async #isSame(
    before: Made,
    { ids, compiled }: Wanted,
    { offer, upstream }: UpstreamOffer & { readonly offer: Offer },
    { accepted, lists }: Omit<FormatParts, 'gains'>,
    nowMs: number,
  ): Promise<boolean> {
    return (
      before.compiled === compiled &&
      before.asked === ids.join(' ') &&
      before.digest === offer.digest &&
      JSON.stringify(before.lists) === JSON.stringify(lists) &&
      before.accepted === accepted.size &&
      nowMs < (before.changesAtMs ?? Number.POSITIVE_INFINITY) &&
      isSame(
        before.foreignNames.dropped,
        await this.#formatter.droppedOf(before.foreignNames.claimed, upstream, compiled),
      )
    );
  }

  #keep(key: string, made: Made): Made {
    this.#made.set(
      key,
      made,
      key.length +
        512 +
        64 * made.foreignNames.claimed.length +
        2 * JSON.stringify(made.lists).length +
        (made.document?.weight ?? 0),
    );
    return made;
  }
}

/** Without those whose upstream has begun to give the time. */
function datedHere(dated: ReadonlySet<string>, versions: readonly JsonObject[]): ReadonlySet<string> {
  if (dated.size === 0) return dated;
  const told = versions.filter((record) => typeof record['published-time'] === 'string').map(normalized);
  const others = new Set(told.map((record) => String(record['version_normalized'])));
  return others.size === 0 ? dated : new Set([...dated].filter((version) => !others.has(version)));
}

function keyOf(name: PackageName, stability: Stability): string {
  return stability === 'dev' ? `${name}~dev` : name;
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((name, at) => name === other[at]);
}
