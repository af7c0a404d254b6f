// Decides about one package: compares the published versions with those of the sources. Pure. Content under a released
// version never changes unless the operator allows it (I3). No source takes over a version that another source
// publishes.

import type { IndexEntry } from '../contract/serving-index.ts';
import { mayRepublish } from '../contract/republished.ts';
import type { NormalizedVersion } from '../contract/version.ts';
import {
  handedOver,
  indexInputs,
  isGone,
  type Contribution,
  type IndexedInputs,
  type OpenDecision,
  type PackageDecision,
  type PackageInputs,
} from './package-decision.ts';
import type { Quarantine } from '../contract/quarantine.ts';
import { quoteForShell } from '../shared/text/quote-for-shell.ts';
import type { Release } from '../sources/release.ts';
import { isAdopted } from '../sources/spec.ts';

// Decides which source publishes a version, and whether the content may be published. One version belongs to one
// source, and the content of a released version never changes (I3).

/** A source has a release of the version. */
interface Claim {
  readonly source: string;
  readonly release: Release;
}

function claimsByVersion(contributions: readonly Contribution[]): ReadonlyMap<NormalizedVersion, readonly Claim[]> {
  const claims = new Map<NormalizedVersion, Claim[]>();
  for (const { source, releases } of contributions) {
    for (const release of releases) {
      const found = claims.get(release.normalized);
      if (found === undefined) claims.set(release.normalized, [{ source, release }]);
      else found.push({ source, release });
    }
  }
  return claims;
}

/**
 * The source that publishes a version owns the version while the source has it. If several sources have a new version,
 * none of them gets it. An adopted registry hands its versions over to the source that has them.
 */
function arbitrate(
  claimants: readonly Claim[],
  current: IndexEntry | undefined,
  inputs: IndexedInputs,
): { owner: Claim | undefined; refused: PackageDecision['refused'] } {
  const yields =
    isAdopted(inputs.sources.get(current?.source ?? '')) && claimants.every(({ source }) => source !== current?.source);
  const keepsSource =
    current !== undefined && inputs.sources.has(current.source) && !yields && !isGone(current, inputs);
  const holder = keepsSource ? current.source : undefined;
  const onlyClaim = claimants.length === 1 ? claimants[0] : undefined;
  const owner = holder === undefined ? onlyClaim : claimants.find((claim) => claim.source === holder);
  const locations = new Set([...claimants.map((claim) => claim.source), ...(holder === undefined ? [] : [holder])]);
  const named = [...locations]
    .map((id) => inputs.sources.get(id) ?? id)
    .toSorted()
    .join(' and ');
  const stays = holder === undefined ? '' : `; the one of ${inputs.sources.get(holder) ?? holder} stays published`;
  const messageFor = (source: string): string =>
    `${named} both have this version${stays}. Remove it from one of them, or forget one source, such as ` +
    `\`libretto build --forget ${quoteForShell(inputs.sources.get(source) ?? source)}\`.`;
  const refused = claimants
    .filter((claim) => claim !== owner)
    .map(({ source, release }) => ({
      source,
      quarantine: quarantine('DUPLICATE_VERSION', release, messageFor(source)),
    }));
  return { owner, refused };
}

/** Publishes the release of a claim, keeps the published content, or refuses the release. */
function settleClaim(
  { release, source }: Claim,
  current: IndexEntry | undefined,
  inputs: IndexedInputs,
  decision: Pick<OpenDecision, 'kept' | 'fresh' | 'refused'>,
): void {
  if (current !== undefined && isPublishedContent(release, current)) {
    decision.kept.push({ entry: current.source === source ? current : { ...current, source }, release });
    return;
  }
  const history = inputs.history.get(release.normalized) ?? [];
  const indexed = current ?? history.find((entry) => entry.state === 'withdrawn');
  const present = indexed ?? inputs.pruned.find((row) => row.version_normalized === release.normalized);
  const mayChange = mayRepublish(inputs.allowRepublish, release.name, release.normalized);
  const change = present === undefined ? undefined : forbiddenChange(release, present, indexed, mayChange);
  if (change !== undefined) {
    decision.refused.push({ source, quarantine: quarantine('VERSION_CHANGED', release, change) });
    if (current !== undefined) decision.kept.push({ entry: handedOver(current, source, inputs), release: undefined });
    return;
  }
  decision.fresh.push({
    release,
    source,
    replaces: current,
    reuse: history.find((entry) => entry.reference === release.reference),
    shasum: indexed === undefined && !mayChange ? present?.shasum : undefined,
  });
}

function isPublishedContent(release: Release, current: IndexEntry): boolean {
  return (
    current.reference === release.reference && current.version === release.version && !hasOtherBytes(release, current)
  );
}

type PresentContent = Pick<IndexEntry, 'version' | 'reference' | 'shasum'>;

/**
 * The reason why the release must not replace the present or former content of its version; undefined: it may.
 * `indexed`: the entry of that content, if it was not pruned.
 */
function forbiddenChange(
  release: Release,
  present: PresentContent,
  indexed: IndexEntry | undefined,
  allowRepublish: boolean,
): string | undefined {
  if (hasOtherBytes(release, present) && !(indexed === undefined && allowRepublish))
    return (
      `its archive has other bytes (SHA-1 ${release.shasum?.slice(0, 12) ?? ''}) than the one published as ` +
      `${present.version} of the same reference (${present.shasum.slice(0, 12)}), which stays published. The ` +
      `new archive was packed with other settings or by another version of Libretto. Released versions never change: ` +
      'publish a new version, or build on top of the tree that was built before.'
    );
  if (release.dev || present.reference === release.reference || allowRepublish) return undefined;
  return (
    `its content differs from what was published as ${present.version} (${present.reference.slice(0, 12)}, ` +
    `now ${release.reference.slice(0, 12)}), which ${fateOf(indexed)}. Released versions never change: ` +
    'publish a new version, or use --allow-republish if nobody can have installed the old one.'
  );
}

function fateOf(indexed: IndexEntry | undefined): string {
  if (indexed === undefined) return 'was published before and pruned';
  return indexed.state === 'withdrawn' ? 'was published before and is still retrievable' : 'stays published as it was';
}

/** One reference means one content. An archive of another registry may be packed differently. */
function hasOtherBytes(release: Release, entry: Pick<IndexEntry, 'reference' | 'shasum'>): boolean {
  return (
    !release.dev &&
    release.shasum !== undefined &&
    entry.reference === release.reference &&
    entry.shasum !== release.shasum
  );
}

function quarantine(code: 'DUPLICATE_VERSION' | 'VERSION_CHANGED', release: Release, message: string): Quarantine {
  return { code, message, where: release.where, name: release.name, version: release.version };
}

export function decidePackage(given: PackageInputs): PackageDecision {
  const decision: OpenDecision = { kept: [], fresh: [], withdrawn: [], ambiguous: [], refused: [] };
  const published = new Map(
    given.entries.filter((entry) => entry.state === 'published').map((entry) => [entry.version_normalized, entry]),
  );
  const inputs = indexInputs(
    given,
    given.contributions.map((contribution) => withoutWithheld(withFormer(contribution, published), given.withheld)),
  );
  const claims = claimsByVersion(inputs.contributions);

  for (const [normalized, claimants] of claims) {
    const current = published.get(normalized);
    const { owner, refused } = arbitrate(claimants, current, inputs);
    decision.refused.push(...refused);
    if (owner !== undefined) settleClaim(owner, current, inputs, decision);
    else if (current !== undefined)
      decision.kept.push({ entry: handedOver(current, claimants[0]?.source, inputs), release: undefined });
  }
  for (const [normalized, entry] of published)
    if (!claims.has(normalized as NormalizedVersion)) settleUnclaimed(entry, inputs, decision);
  return decision;
}

/** A published version that no source offers now. */
function settleUnclaimed(entry: IndexEntry, inputs: IndexedInputs, decision: OpenDecision): void {
  const { version_normalized: normalized } = entry;
  const holder = inputs.contributions.find(({ unpublishable }) => unpublishable.has(normalized));
  if (inputs.withheld.has(normalized) || (isGone(entry, inputs) && holder === undefined)) {
    decision.withdrawn.push(entry);
    return;
  }
  const isAmbiguous = inputs.contributions.some(({ source, holdsAll }) => holdsAll && source === entry.source);
  if (holder === undefined && isAmbiguous) decision.ambiguous.push(entry);
  decision.kept.push({ entry: handedOver(entry, holder?.source, inputs), release: undefined });
}

/** A source keeps the versions that it has published under a name, also after the package was renamed. */
function withFormer(contribution: Contribution, published: ReadonlyMap<string, IndexEntry>): Contribution {
  const { source, releases, former } = contribution;
  if (former.length === 0) return contribution;
  return {
    ...contribution,
    releases: [...releases, ...former.filter(({ normalized }) => published.get(normalized)?.source === source)],
  };
}

function withoutWithheld(contribution: Contribution, withheld: ReadonlySet<string>): Contribution {
  return withheld.size === 0
    ? contribution
    : { ...contribution, releases: contribution.releases.filter(({ normalized }) => !withheld.has(normalized)) };
}
