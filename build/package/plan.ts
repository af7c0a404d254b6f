// The decision, pure: what is published of a package, what its sources now hold, and what follows from it. Keeps I3:
// content under a released version never changes unless the operator says so, and no source takes over what another one
// publishes.

import type { Sha1 } from '../contract/digest.ts';
import type { PrunedRelease } from '../contract/pruned.ts';
import type { IndexEntry } from '../contract/serving-index.ts';
import type { NormalizedVersion } from '../contract/version.ts';
import { groupBy } from '../shared/collections/group-by.ts';
import type { Quarantine } from '../contract/quarantine.ts';
import type { Release } from '../sources/release.ts';

/** What one source, read in this build, has for the package. */
export interface Contribution {
  readonly source: string;
  readonly releases: readonly Release[];
  /** releases that go by another name now: they are its too where it has published them under this one */
  readonly former: readonly Release[];
  /** versions whose present content may not be published: they stay as they were */
  readonly held: ReadonlySet<string>;
  /**
   * true: something unpublishable could not be told by name and version, so nothing of this source is taken for gone
   */
  readonly holdsAll: boolean;
}

export interface PackageInputs {
  readonly name: string;
  /** all entries of its serving index */
  readonly entries: readonly IndexEntry[];
  readonly contributions: readonly Contribution[];
  /** id → location of every source there is after this build */
  readonly sources: ReadonlyMap<string, string>;
  /** ids of sources that were removed: what they published is withdrawn */
  readonly forgotten: ReadonlySet<string>;
  readonly allowRepublish: boolean;
  /** releases that `prune` removed */
  readonly pruned: readonly PrunedRelease[];
  /** normalized versions that people withdrew: they are not published, whoever has them */
  readonly withheld: ReadonlySet<string>;
}

/** A release that is to be published, or published again with other content. */
export interface FreshRelease {
  readonly release: Release;
  readonly source: string;
  /** the published content it takes the place of */
  readonly replaces: IndexEntry | undefined;
  /** the same content, archived before: its bytes are used again */
  readonly reuse: IndexEntry | undefined;
  /** of the archive that it had before it was pruned, and has to have again; undefined: any */
  readonly shasum: Sha1 | undefined;
}

export interface PackageDecision {
  /** published entries that stay, with the release they were found equal to, if their source was read */
  readonly kept: readonly { readonly entry: IndexEntry; readonly release: Release | undefined }[];
  readonly fresh: readonly FreshRelease[];
  readonly withdrawn: readonly IndexEntry[];
  /** those of the kept that would be withdrawn, if only it were sure that their source does not have them */
  readonly doubtful: readonly IndexEntry[];
  readonly refused: readonly { readonly source: string; readonly quarantine: Quarantine }[];
}

interface Claim {
  readonly source: string;
  readonly release: Release;
}

/** The inputs with what is looked up for every version at hand: a package may have tens of thousands. */
interface IndexedInputs extends PackageInputs {
  /** by source */
  readonly holdings: ReadonlyMap<
    string,
    { readonly contribution: Contribution; readonly versions: ReadonlySet<string> }
  >;
  /** all entries by normalized version */
  readonly history: ReadonlyMap<string, readonly IndexEntry[]>;
}

export function decidePackage(given: PackageInputs): PackageDecision {
  const decision = {
    kept: [] as PackageDecision['kept'][number][],
    fresh: [] as FreshRelease[],
    withdrawn: [] as IndexEntry[],
    doubtful: [] as IndexEntry[],
    refused: [] as PackageDecision['refused'][number][],
  };
  const published = new Map(
    given.entries.filter((entry) => entry.state === 'published').map((entry) => [entry.version_normalized, entry]),
  );
  const inputs = indexed(
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
  for (const [normalized, entry] of published) {
    if (claims.has(normalized as NormalizedVersion)) continue;
    if (inputs.withheld.has(normalized)) {
      decision.withdrawn.push(entry);
      continue;
    }
    const holder = inputs.contributions.find(({ held }) => held.has(normalized));
    if (isGone(entry, inputs) && holder === undefined) {
      decision.withdrawn.push(entry);
      continue;
    }
    if (
      holder === undefined &&
      inputs.contributions.some(({ source, holdsAll }) => holdsAll && source === entry.source)
    )
      decision.doubtful.push(entry);
    decision.kept.push({ entry: handedOver(entry, holder?.source, inputs), release: undefined });
  }
  return decision;
}

function indexed(given: PackageInputs, contributions: readonly Contribution[]): IndexedInputs {
  const holdings = new Map(
    contributions.map((contribution) => [
      contribution.source,
      { contribution, versions: new Set<string>(contribution.releases.map(({ normalized }) => normalized)) },
    ]),
  );
  return { ...given, contributions, holdings, history: groupBy(given.entries, (entry) => entry.version_normalized) };
}

/** What a source has published under a name stays its own under that name, after the package was renamed, too. */
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
 * One version belongs to one source: the one that publishes it, as long as it still has it; never to one of several
 * newcomers.
 */
function arbitrate(
  claimants: readonly Claim[],
  current: IndexEntry | undefined,
  inputs: IndexedInputs,
): { owner: Claim | undefined; refused: PackageDecision['refused'] } {
  const holder =
    current !== undefined && inputs.sources.has(current.source) && !isGone(current, inputs)
      ? current.source
      : undefined;
  const owner =
    holder === undefined
      ? claimants.length === 1
        ? claimants[0]
        : undefined
      : claimants.find((claim) => claim.source === holder);
  const locations = new Set([...claimants.map((claim) => claim.source), ...(holder === undefined ? [] : [holder])]);
  const named = [...locations]
    .map((id) => inputs.sources.get(id) ?? id)
    .toSorted()
    .join(' and ');
  const refused = claimants
    .filter((claim) => claim !== owner)
    .map((claim) => ({
      source: claim.source,
      quarantine: quarantine(
        'DUPLICATE_VERSION',
        claim.release,
        `${named} both have this version${holder === undefined ? '' : `; the one of ${inputs.sources.get(holder) ?? holder} stays published`}. Remove it from one of them, or forget one source with --forget.`,
      ),
    }));
  return { owner, refused };
}

function settleClaim(
  claim: Claim,
  current: IndexEntry | undefined,
  inputs: IndexedInputs,
  decision: {
    kept: PackageDecision['kept'][number][];
    fresh: FreshRelease[];
    refused: PackageDecision['refused'][number][];
  },
): void {
  const { release, source } = claim;
  if (
    current !== undefined &&
    current.reference === release.reference &&
    current.version === release.version &&
    !hasOtherBytes(release, current)
  ) {
    decision.kept.push({ entry: current.source === source ? current : { ...current, source }, release });
    return;
  }
  const history = inputs.history.get(release.normalized) ?? [];
  const indexed = current ?? history.find((entry) => entry.state === 'withdrawn');
  const standing = indexed ?? inputs.pruned.find((row) => row.version_normalized === release.normalized);
  if (standing !== undefined && hasOtherBytes(release, standing) && !(indexed === undefined && inputs.allowRepublish)) {
    decision.refused.push({
      source,
      quarantine: quarantine(
        'VERSION_CHANGED',
        release,
        `its archive has other bytes (SHA-1 ${release.shasum?.slice(0, 12) ?? ''}) than the one published as ${standing.version} of the same reference (${standing.shasum.slice(0, 12)}), which stays as it is: it was packed with other settings or by another version of Libretto. Released versions never change: publish a new version, or build on top of the tree that was built before.`,
      ),
    });
    if (current !== undefined) decision.kept.push({ entry: handedOver(current, source, inputs), release: undefined });
    return;
  }
  if (!release.dev && standing !== undefined && standing.reference !== release.reference && !inputs.allowRepublish) {
    const was =
      indexed === undefined
        ? 'was published before and pruned'
        : indexed.state === 'withdrawn'
          ? 'was published before and is still retrievable'
          : 'stays published as it was';
    decision.refused.push({
      source,
      quarantine: quarantine(
        'VERSION_CHANGED',
        release,
        `its content differs from what was published as ${standing.version} (${standing.reference.slice(0, 12)}, now ${release.reference.slice(0, 12)}), which ${was}. Released versions never change: publish a new version, or use --allow-republish if nobody can have installed the old one.`,
      ),
    });
    if (current !== undefined) decision.kept.push({ entry: handedOver(current, source, inputs), release: undefined });
    return;
  }
  const reuse = history.find((entry) => entry.reference === release.reference);
  decision.fresh.push({
    release,
    source,
    replaces: current,
    reuse,
    shasum: indexed === undefined && !inputs.allowRepublish ? standing?.shasum : undefined,
  });
}

/**
 * One reference stands for one content; an archive that comes from elsewhere may be packed differently all the same.
 */
function hasOtherBytes(release: Release, entry: Pick<IndexEntry, 'reference' | 'shasum'>): boolean {
  return (
    !release.dev &&
    release.shasum !== undefined &&
    entry.reference === release.reference &&
    entry.shasum !== release.shasum
  );
}

/**
 * What stays published although its own source has given it up belongs to the source that now has the version, so that
 * it can be withdrawn with that one.
 */
function handedOver(entry: IndexEntry, heir: string | undefined, inputs: IndexedInputs): IndexEntry {
  return heir === undefined || heir === entry.source || !isGone(entry, inputs) ? entry : { ...entry, source: heir };
}

/**
 * Whether a published version's source no longer has it: it was read without it, or was forgotten. A version whose
 * source is not known at all (the tree's memory was lost) stays until a source claims it.
 */
function isGone(entry: IndexEntry, inputs: IndexedInputs): boolean {
  if (inputs.forgotten.has(entry.source)) return true;
  const holding = inputs.holdings.get(entry.source);
  if (holding === undefined || holding.contribution.holdsAll || holding.contribution.held.has(entry.version_normalized))
    return false;
  return !holding.versions.has(entry.version_normalized);
}

function quarantine(code: 'DUPLICATE_VERSION' | 'VERSION_CHANGED', release: Release, message: string): Quarantine {
  return { code, message, where: release.where, name: release.name, version: release.version };
}
