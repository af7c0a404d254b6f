// Makes the p2 document of a mirrored package from an upstream's offer: pinned versions, the rules of releases, removed
// names of other owners, advisories and filter lists.

import { createHash } from 'node:crypto';
import type { JsonObject } from '../../../build/contract/json.ts';
import type { PackageName } from '../../../build/contract/name.ts';
import { mapYielding } from '../../../build/shared/concurrency/yielding.ts';
import { TextDocument } from '../../core/http/document.ts';
import type { ReadPrivateNames } from '../../core/tree/private-names.ts';
import type { MirroredAdvisories } from '../advisories/mirrored-advisories.ts';
import type { AcceptedArchiveStore } from '../archives/accepted-archive-store.ts';
import type { AcceptedPackage } from '../archives/accepted-package.ts';
import { pinVersions } from '../archives/pinned-versions.ts';
import type { Compiled } from '../rules/mirror-rules.ts';
import { factsOfRecord, type VersionFacts } from '../../policy/judge/facts.ts';
import type { Gains } from '../../policy/judge/held-releases.ts';
import { applyRules, normalized } from '../rules/release-rules.ts';
import type { UpstreamOffer } from '../upstream/find-offer.ts';
import type { ReportMirrorEvent } from '../upstream/mirror-event.ts';
import type { Offer, Stability, Upstream } from '../upstream/upstream.ts';
import { type CheckRecord, offeredVersionsYielding } from '../versions/offered-version.ts';
import {
  claimedNames,
  createNameRemover,
  isOfAnother,
  mostClaimed,
  namesAmong,
  type ReplacedNames,
} from '../versions/replace-provide-guard.ts';
import { formatMirrored } from '../versions/rewrite.ts';

export interface FormatterOptions {
  readonly archiveStore: AcceptedArchiveStore;
  readonly check: CheckRecord;
  readonly privateNames: ReadPrivateNames;
  readonly advisories: Pick<MirroredAdvisories, 'inDocument'>;
  readonly now: () => number;
  readonly report: ReportMirrorEvent;
}

export interface ForeignNames {
  /** the names that the versions replace or provide */
  readonly claimed: readonly PackageName[];
  /** the claimed names that the document leaves out: private names, and names of other upstreams */
  readonly dropped: readonly PackageName[];
}

export interface Formatted {
  /** undefined: no version of this stability */
  readonly document: TextDocument | undefined;
  readonly changesAtMs: number | undefined;
  readonly foreignNames: ForeignNames;
}

export interface FormatParts {
  readonly accepted: AcceptedPackage;
  /** the lists that count for the package */
  readonly lists: JsonObject;
  readonly gains: Gains;
}

export const noForeignNames: ForeignNames = { claimed: [], dropped: [] };

const maxRemembered = 10_000;
const mostNamed = 20;

export class OfferFormatter {
  readonly #options: FormatterOptions;
  /** package → the dropped names of its last event */
  readonly #told = new Map<PackageName, string>();

  constructor(options: FormatterOptions) {
    this.#options = options;
  }

  async format(
    name: PackageName,
    stability: Stability,
    { offer, upstream }: UpstreamOffer & { readonly offer: Offer },
    compiled: Compiled,
    parts: FormatParts,
  ): Promise<Formatted> {
    const { rules } = compiled;
    const { accepted } = parts;
    const { shown, ruled, changed } = await this.#ruled(name, stability, offer, compiled, parts);
    const { versions, foreignNames } = await this.#withoutForeignNames(name, shown, upstream, compiled);
    const advised = await this.#options.advisories.inDocument(name, upstream, offer.document.advisories);
    const { advisories, differs } = advised;
    const text = await formatMirrored({
      name,
      versions,
      accepted,
      distBaseUrl: rules.distBaseUrl,
      warnings: ruled.warnings,
      advisories,
      filter: offer.document.filter,
    });
    const deviations = JSON.stringify([
      rules.distBaseUrl ?? null,
      ruled.refused.map(({ version }) => version),
      ruled.warnings,
      changed,
      ...(foreignNames.dropped.length === 0 ? [] : [foreignNames.dropped]),
      ...(differs ? [{ advisories }] : []),
    ]);
    const learnedMs = stability === 'dev' ? 0 : accepted.learned.size * 1000;
    return {
      document: new TextDocument(Buffer.from(text), offer.changedAtMs + learnedMs - shiftMs(deviations)),
      changesAtMs: earlier(ruled.changesAtMs, advised.changesAtMs),
      foreignNames,
    };
  }

  async droppedOf(
    claimed: readonly PackageName[],
    { id }: Upstream,
    { precedence }: Compiled,
  ): Promise<readonly PackageName[]> {
    if (claimed.length === 0) return claimed;
    const privateNames = await this.#options.privateNames();
    return namesAmong(claimed, (name) => isOfAnother(precedence(name, privateNames), id));
  }

  /** The pinned versions that the rules of releases let through. An accepted archive keeps its licence and type. */
  async #ruled(name: PackageName, stability: Stability, offer: Offer, { rules }: Compiled, parts: FormatParts) {
    const { accepted, lists, gains } = parts;
    const { versions, changed } = await this.#pinned(name, stability, offer, accepted);
    const byRecord = new Map(versions.map((version) => [version.record, version]));
    const factsOf = (record: JsonObject): VersionFacts => {
      const version = byRecord.get(record);
      const kept = version && accepted.find(version, version.dist?.reference ?? '');
      return factsOfRecord(normalized(kept === undefined ? record : { ...record, ...kept.judged }));
    };
    await rules.releases.policy?.learn(name);
    const ruled = await applyRules(name, [...byRecord.keys()], rules.releases, this.#options.now(), lists, {
      factsOf,
      gains,
    });
    const offered = new Set(ruled.offered);
    return { shown: versions.filter(({ record }) => offered.has(record)), ruled, changed };
  }

  /** The offered versions of this stability, as accepted archives pin them. */
  async #pinned(name: PackageName, stability: Stability, offer: Offer, accepted: AcceptedPackage) {
    const { archiveStore, check, report } = this.#options;
    const { versions, leftOut } = await offeredVersionsYielding(name, offer.document.versions, check);
    const [first] = leftOut;
    if (first !== undefined)
      report({ kind: 'versions-left-out', name, count: leftOut.length, first: `${first.version}: ${first.because}` });
    const wanted = versions.filter(({ dev }) => dev === (stability === 'dev'));
    return pinVersions(name, wanted, accepted, { archiveStore, check, report });
  }

  /** Drops `replace` and `provide` of names that belong elsewhere, so that no upstream replaces another's packages. */
  async #withoutForeignNames<Version extends { readonly record: Parameters<CheckRecord>[0] }>(
    name: PackageName,
    versions: readonly Version[],
    upstream: Upstream,
    compiled: Compiled,
  ): Promise<{ readonly versions: readonly Version[]; readonly foreignNames: ForeignNames }> {
    const claimed = await claimedNames(versions.map(({ record }) => record));
    const dropped = await this.droppedOf(claimed.names, upstream, compiled);
    this.#tellDropped(name, dropped, claimed);
    const foreignNames = { claimed: claimed.names, dropped };
    if (dropped.length === 0 && !claimed.more) return { versions, foreignNames };
    const remove = createNameRemover(claimed, dropped);
    const own = await mapYielding(versions, (version) => ({ ...version, record: remove(version.record) }));
    return { versions: own, foreignNames };
  }

  /** Reports the same names once, although a document is made many times. */
  #tellDropped(name: PackageName, dropped: readonly PackageName[], { more }: ReplacedNames): void {
    const named = [...dropped.slice(0, mostNamed), ...(more ? [`all but the first ${mostClaimed} that it says`] : [])];
    const names = `${dropped.join(' ')} ${more}`;
    if (named.length === 0 || this.#told.get(name) === names) return;
    if (this.#told.size >= maxRemembered) this.#told.clear();
    this.#told.set(name, names);
    this.#options.report({ kind: 'stand-ins-dropped', name, count: dropped.length, names: named.join(', ') });
  }
}

function earlier(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.min(one, other);
}

const noDeviations = JSON.stringify([null, [], [], []]);

/**
 * Last-Modified is the upstream's own, and a second later for each added checksum (Mirrored.learned), so that clients
 * fetch the document again. A document that differs from the upstream's because of the settings has an earlier date.
 * The shift is derived from the differences (as in root-document.ts): the same on every host and after every restart.
 */
function shiftMs(deviations: string): number {
  return deviations === noDeviations
    ? 0
    : (1 + (createHash('sha256').update(deviations).digest().readUInt32BE(0) % 86_399)) * 1000;
}
