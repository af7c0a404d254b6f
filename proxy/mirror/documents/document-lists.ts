// The advisories and filter lists by which a p2 document of a mirrored package is made. They concern all versions, and
// stand in the document of releases. For packages with accepted archives they are kept (last-lists.ts).

import type { JsonObject } from '../../../build/contract/json.ts';
import type { PackageName } from '../../../build/contract/name.ts';
import { rulesAbout } from '../../policy/judge/judge.ts';
import type { AcceptedPackage } from '../archives/accepted-package.ts';
import { saidIn } from '../archives/joined-lists.ts';
import type { LastLists } from '../archives/last-lists.ts';
import { listsOf, neededLists } from '../archives/package-lists.ts';
import type { Compiled } from '../rules/mirror-rules.ts';
import type { FoundOffer } from '../upstream/first-offer.ts';
import type { Offer, Stability } from '../upstream/upstream.ts';

export interface DocumentLists {
  readonly lists: JsonObject;
  /** epoch milliseconds: until when the documents that were read need no new request */
  readonly goodUntilMs: number;
}

export interface ListedDocument {
  readonly name: PackageName;
  readonly stability: Stability;
  /** of the upstreams of the name */
  readonly ids: readonly string[];
  readonly compiled: Compiled;
}

/** Rejects with UpstreamUnavailable, and with UnreadableRecord for lists that a rule needs. */
export async function documentLists(
  { name, stability, ids, compiled }: ListedDocument,
  { offer, upstream }: FoundOffer & { readonly offer: Offer },
  accepted: AcceptedPackage,
  last: LastLists,
): Promise<DocumentLists> {
  const { policy } = compiled.rules.releases;
  const rules = policy === undefined ? [] : rulesAbout(policy.compiled, { name, origin: 'mirrored' }, () => true);
  const needed = neededLists(rules);
  if (stability === 'dev' && needed === 'none') return { lists: {}, goodUntilMs: offer.goodUntilMs };
  const stable = stability === 'stable' ? offer : await upstream.offer(name, 'stable');
  const lists =
    accepted.size > 0
      ? await listsOf({ name, ids, accepted }, { upstream, own: offer, stable }, last, needed)
      : saidIn([stable, offer].flatMap((one) => one?.document ?? []));
  return { lists, goodUntilMs: Math.min(offer.goodUntilMs, stable?.goodUntilMs ?? Number.POSITIVE_INFINITY) };
}
