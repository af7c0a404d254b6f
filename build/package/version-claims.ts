// Decides which source publishes a version, and whether the content may be published. One version belongs to one
// source, and the content of a released version never changes (I3).

import type { Quarantine } from '../contract/quarantine.ts';
import type { IndexEntry } from '../contract/serving-index.ts';
import type { NormalizedVersion } from '../contract/version.ts';
import { quoteForShell } from '../shared/text/quote-for-shell.ts';
import type { Release } from '../sources/release.ts';
import {
  handedOver,
  isGone,
  type Contribution,
  type IndexedInputs,
  type OpenDecision,
  type PackageDecision,
} from './package-decision.ts';

/** A source has a release of the version. */
export interface Claim {
  readonly source: string;
  readonly release: Release;
}

export function claimsByVersion(
  contributions: readonly Contribution[],
): ReadonlyMap<NormalizedVersion, readonly Claim[]> {
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
 * none of them gets it.
 */
export function arbitrate(
  claimants: readonly Claim[],
  current: IndexEntry | undefined,
  inputs: IndexedInputs,
): { owner: Claim | undefined; refused: PackageDecision['refused'] } {
  const keepsSource = current !== undefined && inputs.sources.has(current.source) && !isGone(current, inputs);
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
export function settleClaim(
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
  const change = present === undefined ? undefined : forbiddenChange(release, present, indexed, inputs.allowRepublish);
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
    shasum: indexed === undefined && !inputs.allowRepublish ? present?.shasum : undefined,
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
