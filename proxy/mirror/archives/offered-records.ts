// What an upstream offers of a package, with the versions that the policy refuses.

import type { JsonObject } from '../../../build/contract/json.ts';
import type { PackageName } from '../../../build/contract/name.ts';
import type { Compiled } from '../rules/mirror-rules.ts';
import { normalized } from '../rules/release-rules.ts';
import { findOffer } from '../upstream/find-offer.ts';
import type { Offer, Stability, Upstream } from '../upstream/upstream.ts';

/** The upstreams with these ids, in their order. */
export function upstreamsIn({ upstreams }: Compiled, ids: readonly string[]): readonly Upstream[] {
  return ids.flatMap((id) => upstreams.get(id) ?? []);
}

/** `ids`: of the upstreams of the name. Rejects with UpstreamUnavailable. */
export async function offeredRecords(
  name: PackageName,
  stability: Stability,
  ids: readonly string[],
  compiled: Compiled,
): Promise<readonly JsonObject[]> {
  const found = await findOffer(name, stability, upstreamsIn(compiled, ids));
  return found?.offer?.document.versions.map(normalized) ?? [];
}

/** The documents of one package. Lists concern all versions, and stand in the document of releases. */
export interface Offers {
  /** undefined: no upstream has the package */
  readonly upstream: Upstream | undefined;
  /** of the asked stability; undefined: there is none */
  readonly own: Offer | undefined;
  /** of releases */
  readonly stable: Offer | undefined;
}

/** As the upstreams last sent them: without a request, and old. */
export async function storedOffers(
  name: PackageName,
  stability: Stability,
  ids: readonly string[],
  compiled: Compiled,
): Promise<Offers> {
  for (const upstream of upstreamsIn(compiled, ids)) {
    const own = await upstream.stored(name, stability);
    const stable = stability === 'stable' ? own : await upstream.stored(name, 'stable');
    if (own !== undefined || stable !== undefined) return { upstream, own, stable };
  }
  return { upstream: undefined, own: undefined, stable: undefined };
}

/** Asks for both documents at once. Rejects with UpstreamUnavailable. */
export async function offersOf(
  name: PackageName,
  stability: Stability,
  ids: readonly string[],
  compiled: Compiled,
): Promise<Offers> {
  const asked = upstreamsIn(compiled, ids);
  const finding = findOffer(name, stability, asked);
  const [own, stable] = await Promise.all([
    finding,
    stability === 'stable' ? finding : findOffer(name, 'stable', asked),
  ]);
  return { upstream: (own ?? stable)?.upstream, own: own?.offer, stable: stable?.offer };
}
