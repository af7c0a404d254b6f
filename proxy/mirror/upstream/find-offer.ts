// Finds the first upstream that has a package, among the upstreams that are allowed for the name. Only this upstream
// serves the package. An upstream that cannot be reached ends the search, since it may have the package. A package of
// the same name from a later upstream would be a different package.

import type { PackageName } from '../../../build/contract/name.ts';
import { ofUpstream } from './mirror-failure.ts';
import type { Offer, Stability, Upstream } from './upstream.ts';

export interface UpstreamOffer {
  readonly upstream: Upstream;
  /** undefined: the only upstream does not have the package */
  readonly offer: Offer | undefined;
}

/** undefined: no upstream has it. Rejects with UpstreamUnavailable. */
export async function findOffer(
  name: PackageName,
  stability: Stability,
  upstreams: readonly Upstream[],
): Promise<UpstreamOffer | undefined> {
  for (const upstream of upstreams) {
    const found = await askUpstream(name, stability, upstream, upstreams).catch(
      ofUpstream(upstream.destination.origin),
    );
    if (found !== undefined) return found;
  }
  return undefined;
}

async function askUpstream(
  name: PackageName,
  stability: Stability,
  upstream: Upstream,
  upstreams: readonly Upstream[],
): Promise<UpstreamOffer | undefined> {
  const offer = await upstream.offer(name, stability);
  if (offer !== undefined || upstreams.length === 1) return { upstream, offer };
  if (upstream !== upstreams.at(-1)) await upstream.denies(name);
  return undefined;
}
