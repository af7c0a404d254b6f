// Decides about one package: compares the published versions with those of the sources. Pure. Content under a released
// version never changes unless the operator allows it (I3). No source takes over a version that another source
// publishes.

import type { IndexEntry } from '../contract/serving-index.ts';
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
import { arbitrate, claimsByVersion, settleClaim } from './version-claims.ts';

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
