// The documents that a p2 document of a mirrored package is made of, and the advisories and filter lists that count for
// it. Lists concern all versions, and stand in the document of releases. For packages with accepted archives they are
// kept (last-lists.ts).

import type { JsonObject } from '../../../build/contract/json.ts';
import type { PackageName } from '../../../build/contract/name.ts';
import { rulesAbout } from '../../policy/judge/judge.ts';
import type { AcceptedPackage } from '../archives/accepted-package.ts';
import { saidIn } from '../archives/joined-lists.ts';
import type { LastLists } from '../archives/last-lists.ts';
import { offersOf, upstreamsIn, type Offers } from '../archives/offered-records.ts';
import { listsOf, neededLists, type Needed } from '../archives/package-lists.ts';
import type { Compiled } from '../rules/mirror-rules.ts';
import { UpstreamUnavailable } from '../upstream/mirror-failure.ts';
import { findOffer } from '../upstream/find-offer.ts';
import type { Stability } from '../upstream/upstream.ts';

export interface DocumentRequest {
  readonly name: PackageName;
  readonly stability: Stability;
  /** of the upstreams of the name */
  readonly ids: readonly string[];
  readonly compiled: Compiled;
}

/** The need of all rules about this package, of all tokens. */
function neededFor({ name, compiled }: DocumentRequest): Needed {
  const { policy } = compiled.rules.releases;
  return policy === undefined
    ? 'none'
    : neededLists(rulesAbout(policy.compiled, { name, origin: 'mirrored' }, () => true));
}

/** The document of releases is read for one of dev versions only where a rule needs it. Rejects with UpstreamUnavailable. */
export async function documentsOf(wanted: DocumentRequest): Promise<Offers> {
  const { name, stability, ids, compiled } = wanted;
  const needed = stability === 'stable' ? 'all' : neededFor(wanted);
  try {
    if (needed !== 'none') return await offersOf(name, stability, ids, compiled);
  } catch (error) {
    if (needed === 'all' || !(error instanceof UpstreamUnavailable)) throw error;
  }
  const found = await findOffer(name, stability, upstreamsIn(compiled, ids));
  return { upstream: found?.upstream, own: found?.offer, stable: undefined };
}

/** Rejects with UnreadableRecord for lists that a rule needs. */
export async function documentLists(
  wanted: DocumentRequest,
  offers: Offers,
  accepted: AcceptedPackage,
  last: LastLists,
): Promise<JsonObject> {
  const { name, ids } = wanted;
  if (accepted.size > 0) return listsOf({ name, ids, accepted }, offers, last, neededFor(wanted));
  return saidIn([offers.stable, offers.own].flatMap((offer) => offer?.document ?? []));
}

/** Epoch milliseconds: until when the documents need no new request. */
export function goodUntil({ own, stable }: Offers): number {
  return Math.min(...[own, stable].flatMap((offer) => offer?.goodUntilMs ?? []));
}
