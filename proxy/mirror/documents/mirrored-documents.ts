// Documents of mirrored packages, as clients get them. In memory as long as there is room; made again when the upstream
// has something new, when what is set changes, when a version becomes old enough, and when a name that one of the
// versions says it stands for becomes private, or is so no longer.

import type { PackageName } from '../../../build/contract/name.ts';
import { ByteCache } from '../../../build/shared/caches/byte-cache.ts';
import { SingleFlight } from '../../../build/shared/concurrency/single-flight.ts';
import { TextDocument } from '../../http/document.ts';
import type { AcceptedPackage } from '../archives/accepted-package.ts';
import type { AcceptedArchiveStore } from '../archives/accepted-archive-store.ts';
import { mapYielding } from '../../../build/shared/concurrency/yielding.ts';
import type { Tell } from '../upstream/mirror-event.ts';
import type { Compiled } from '../rules/mirror-rules.ts';
import type { MirroredAdvisories } from '../advisories/mirrored-advisories.ts';
import { offeredVersionsYielding } from '../versions/offered-versions.ts';
import type { CheckRecord } from '../versions/offered-version.ts';
import { findOffer, type FoundOffer } from '../upstream/first-offer.ts';
import type { ReadPrivateNames } from '../../tree/private-names.ts';
import { applyRules } from '../rules/release-rules.ts';
import { formatMirrored } from '../versions/rewrite.ts';
import { pinVersions } from '../archives/pinned-versions.ts';
import {
  claimedNames,
  createNameRemover,
  isOfAnother,
  mostClaimed,
  namesAmong,
  type Claims,
} from '../versions/replace-provide-guard.ts';
import type { Offer, Stability, Upstream } from '../upstream/upstream.ts';
import { shiftMs } from './deviation-date.ts';

export interface Mirrored {
  /** undefined: there is no such package, or nothing of this stability */
  readonly document: TextDocument | undefined;
  /** since when the upstream could not be asked; undefined: it is current */
  readonly staleSinceMs: number | undefined;
  /** normalized releases whose checksum or `published-time` was added: each moves Last-Modified on by a second */
  readonly learned: ReadonlySet<string>;
}

interface Made extends Mirrored {
  readonly compiled: Compiled;
  /** by the ids of the upstreams that were asked */
  readonly asked: string;
  readonly digest: string | undefined;
  readonly accepted: number;
  readonly goodUntilMs: number;
  /** when a rule says something else */
  readonly changesAtMs: number | undefined;
  readonly standIns: StandIns;
  /** as of which `standIns` holds */
  readonly epoch: number;
}

interface StandIns {
  /** the names that its versions say they stand for */
  readonly claimed: readonly PackageName[];
  /** those of them that are left out: private ones, and such as only others are asked for */
  readonly dropped: readonly PackageName[];
}

const none: StandIns = { claimed: [], dropped: [] };
const nothingLearned: ReadonlySet<string> = new Set();

export interface DocumentsOptions {
  readonly shelf: AcceptedArchiveStore;
  readonly check: CheckRecord;
  readonly privateNames: ReadPrivateNames;
  readonly advisories: Pick<MirroredAdvisories, 'inDocument'>;
  readonly cacheBytes: number;
  readonly now: () => number;
  readonly tell: Tell;
}

/** What is asked about, and when. */
interface Wanted {
  readonly name: PackageName;
  readonly stability: Stability;
  /** of the upstreams that the name may be asked of */
  readonly ids: readonly string[];
  readonly compiled: Compiled;
  /** grows when a publication may have made other names private */
  readonly epoch: number;
}

const mostTold = 10_000;
const mostNamed = 20;

export class MirroredDocuments {
  readonly #options: DocumentsOptions;
  readonly #made: ByteCache<Made>;
  readonly #making = new SingleFlight<Made>();
  /** package → the names of which it was told */
  readonly #told = new Map<PackageName, string>();

  constructor(options: DocumentsOptions) {
    this.#options = options;
    this.#made = new ByteCache(options.cacheBytes);
  }

  /** `ids`: of the upstreams that the name may be asked of. Rejects with UpstreamUnavailable. */
  get(
    name: PackageName,
    stability: Stability,
    ids: readonly string[],
    compiled: Compiled,
    { nowMs, epoch }: { readonly nowMs: number; readonly epoch: number },
  ): Mirrored | Promise<Mirrored> {
    const key = keyOf(name, stability);
    const made = this.#made.get(key);
    const holds = made !== undefined && (made.epoch === epoch || made.standIns.claimed.length === 0);
    if (
      holds &&
      this.#hasLearned(made, name) &&
      made.compiled === compiled &&
      nowMs < made.goodUntilMs &&
      made.asked === ids.join(' ')
    )
      return made;
    return this.#making.run(key, () => this.#make({ name, stability, ids, compiled, epoch }), [compiled, epoch]);
  }

  /** Whether it has every checksum and `published-time` that this process knows. */
  #hasLearned({ document, learned }: Made, name: PackageName): boolean {
    if (document === undefined || learned === nothingLearned) return true;
    return (this.#options.shelf.atHand(name)?.learned.size ?? 0) <= learned.size;
  }

  /** The memory that `document` takes has grown by so many bytes. */
  grow(name: PackageName, stability: Stability, document: TextDocument, bytes: number): void {
    const made = this.#made.get(keyOf(name, stability));
    if (made?.document === document) this.#made.grow(keyOf(name, stability), made, bytes);
  }

  async #make({ name, stability, ids, compiled, epoch }: Wanted): Promise<Made> {
    const found = await findOffer(
      name,
      stability,
      ids.flatMap((id) => compiled.upstreams.get(id) ?? ([] as Upstream[])),
    );
    const nowMs = this.#options.now();
    const asked = ids.join(' ');
    if (found?.offer === undefined)
      return this.#keep(keyOf(name, stability), {
        document: undefined,
        staleSinceMs: undefined,
        compiled,
        asked,
        digest: undefined,
        accepted: 0,
        learned: nothingLearned,
        goodUntilMs: nowMs + compiled.rules.freshness.missingMs,
        changesAtMs: undefined,
        standIns: none,
        epoch,
      });
    const { offer, upstream } = found;
    const before = this.#made.get(keyOf(name, stability));
    const accepted = await this.#options.shelf.acceptedNow(name); // another process may have accepted something
    const learned = stability === 'dev' ? nothingLearned : accepted.learned; // dev versions get none added
    const isCurrent =
      before?.compiled === compiled &&
      before.asked === asked &&
      before.digest === offer.digest &&
      before.accepted === accepted.size &&
      nowMs < (before.changesAtMs ?? Number.POSITIVE_INFINITY);
    const same =
      isCurrent && isSame(before.standIns.dropped, await this.#droppedOf(before.standIns.claimed, upstream, compiled));
    const { document, changesAtMs, standIns } = same
      ? before
      : await this.#format(name, stability, { offer, upstream }, compiled, accepted);
    const goodUntilMs = Math.min(offer.goodUntilMs, changesAtMs ?? Number.POSITIVE_INFINITY);
    return this.#keep(keyOf(name, stability), {
      document,
      staleSinceMs: offer.staleSinceMs,
      compiled,
      asked,
      digest: offer.digest,
      accepted: accepted.size,
      learned,
      goodUntilMs,
      changesAtMs,
      standIns,
      epoch,
    });
  }

  async #format(
    name: PackageName,
    stability: Stability,
    { offer, upstream }: FoundOffer & { readonly offer: Offer },
    compiled: Compiled,
    accepted: AcceptedPackage,
  ): Promise<Pick<Made, 'document' | 'changesAtMs' | 'standIns'>> {
    const { rules } = compiled;
    const { shelf, check, tell, now } = this.#options;
    const { versions, leftOut } = await offeredVersionsYielding(name, offer.document.versions, check);
    const [first] = leftOut;
    if (first !== undefined)
      tell({ kind: 'versions-left-out', name, count: leftOut.length, first: `${first.version}: ${first.because}` });
    const settled = await pinVersions(
      name,
      versions.filter(({ dev }) => dev === (stability === 'dev')),
      accepted,
      { shelf, check, tell },
    );
    const ruled = applyRules(
      name,
      settled.versions.map(({ record }) => record),
      rules.releases,
      now(),
    );
    const offered = new Set(ruled.offered);
    const shown = settled.versions.filter(({ record }) => offered.has(record));
    if (shown.length === 0 && stability === 'dev')
      return { document: undefined, changesAtMs: ruled.changesAtMs, standIns: none };
    const claimed = await claimedNames(shown.map(({ record }) => record));
    const dropped = await this.#droppedOf(claimed.names, upstream, compiled);
    this.#tellOf(name, dropped, claimed);
    const remove = createNameRemover(claimed, dropped);
    const own =
      dropped.length === 0 && !claimed.more
        ? shown
        : await mapYielding(shown, (version) => ({ ...version, record: remove(version.record) }));
    const { advisories, differs, changesAtMs } = await this.#options.advisories.inDocument(
      name,
      upstream,
      offer.document.advisories,
    );
    const bytes = Buffer.from(
      await formatMirrored({
        name,
        versions: own,
        accepted,
        distBaseUrl: rules.distBaseUrl,
        warnings: ruled.warnings,
        advisories,
        filter: offer.document.filter,
      }),
    );
    const deviations = JSON.stringify([
      rules.distBaseUrl ?? null,
      ruled.refused.map(({ version }) => version),
      ruled.warnings,
      settled.changed,
      ...(dropped.length === 0 ? [] : [dropped]),
      ...(differs ? [{ advisories }] : []),
    ]);
    const learnedMs = stability === 'dev' ? 0 : accepted.learned.size * 1000;
    return {
      document: new TextDocument(bytes, offer.changedAtMs + learnedMs - shiftMs(deviations)),
      changesAtMs: earlier(ruled.changesAtMs, changesAtMs),
      standIns: { claimed: claimed.names, dropped },
    };
  }

  async #droppedOf(
    claimed: readonly PackageName[],
    { id }: Upstream,
    { precedence }: Compiled,
  ): Promise<readonly PackageName[]> {
    if (claimed.length === 0) return claimed;
    const privateNames = await this.#options.privateNames();
    return namesAmong(claimed, (name) => isOfAnother(precedence(name, privateNames), id));
  }

  /** Once, though a document is made again and again. */
  #tellOf(name: PackageName, dropped: readonly PackageName[], { more }: Claims): void {
    const named = [...dropped.slice(0, mostNamed), ...(more ? [`all but the first ${mostClaimed} that it says`] : [])];
    const names = `${dropped.join(' ')} ${more}`;
    if (named.length === 0 || this.#told.get(name) === names) return;
    if (this.#told.size >= mostTold) this.#told.clear();
    this.#told.set(name, names);
    this.#options.tell({ kind: 'stand-ins-dropped', name, count: dropped.length, names: named.join(', ') });
  }

  #keep(key: string, made: Made): Made {
    this.#made.set(key, made, key.length + 512 + 64 * made.standIns.claimed.length + (made.document?.weight ?? 0));
    return made;
  }
}

function keyOf(name: PackageName, stability: Stability): string {
  return stability === 'dev' ? `${name}~dev` : name;
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((name, at) => name === other[at]);
}

function earlier(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.min(one, other);
}
