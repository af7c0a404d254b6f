// What the one upstream that a name belongs to says of it: the first of those that may be asked that has the package.
// One that cannot be asked ends the search, since it may have it: another one's package of that name would be another
// package.

import type { PackageName } from '../../../build/contract/name.ts';
import type { Offer, Stability, Upstream } from './upstream.ts';

export interface FoundOffer {
  readonly upstream: Upstream;
  /** undefined: it has the package, and nothing of this stability */
  readonly offer: Offer | undefined;
}

/** undefined: nobody has it. Rejects with UpstreamUnavailable. */
export async function findOffer(
  name: PackageName,
  stability: Stability,
  upstreams: readonly Upstream[],
): Promise<FoundOffer | undefined> {
  const [first] = upstreams;
  if (first === undefined) return undefined;
  if (upstreams.length === 1) return { upstream: first, offer: await first.offer(name, stability) };
  for (const upstream of upstreams) {
    const offer = await upstream.offer(name, stability);
    if (offer !== undefined) return { upstream, offer };
    // what has releases only, or dev versions only, is its package all the same
    if ((await upstream.offer(name, stability === 'stable' ? 'dev' : 'stable')) !== undefined)
      return { upstream, offer: undefined };
    if (upstream !== upstreams.at(-1)) await upstream.denies(name);
  }
  return undefined;
}
