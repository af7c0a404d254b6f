// What an upstream offers of a package, with the versions that the policy refuses.

import type { JsonObject } from '../../../build/contract/json.ts';
import type { PackageName } from '../../../build/contract/name.ts';
import type { Compiled } from '../rules/mirror-rules.ts';
import { normalized } from '../rules/release-rules.ts';
import { findOffer } from '../upstream/first-offer.ts';
import { besideOf, type UpstreamDocument } from '../upstream/upstream-document.ts';
import type { Offer, Stability, Upstream } from '../upstream/upstream.ts';

/** `ids`: of the upstreams of the name. Rejects with UpstreamUnavailable. */
export async function offeredRecords(
  name: PackageName,
  stability: Stability,
  ids: readonly string[],
  { upstreams }: Compiled,
): Promise<readonly JsonObject[]> {
  const asked = ids.flatMap((id) => upstreams.get(id) ?? ([] as Upstream[]));
  return (await findOffer(name, stability, asked))?.offer?.document.versions.map(normalized) ?? [];
}

export interface Offers {
  /** of the asked stability; undefined: there is none */
  readonly own: Offer | undefined;
  /** the lists at the top of the documents; undefined: the upstream has no version of the package any more */
  readonly lists: JsonObject | undefined;
}

/** Lists concern all versions, and stand in the document of releases. Rejects with UpstreamUnavailable. */
export async function offersOf(
  name: PackageName,
  stability: Stability,
  ids: readonly string[],
  { upstreams }: Compiled,
): Promise<Offers> {
  const asked = ids.flatMap((id) => upstreams.get(id) ?? ([] as Upstream[]));
  const own = (await findOffer(name, stability, asked))?.offer;
  const stable = stability === 'stable' ? own : (await findOffer(name, 'stable', asked))?.offer;
  const documents = [stable, own].flatMap((offer) => offer?.document ?? []);
  if (documents.every(({ versions }) => versions.length === 0)) return { own, lists: undefined };
  return { own, lists: joinedLists(documents) };
}

/** The lists of the first document with such a list. */
export function joinedLists(documents: readonly Pick<UpstreamDocument, 'advisories' | 'filter'>[]): JsonObject {
  return documents.reduceRight<JsonObject>((joined, document) => ({ ...joined, ...besideOf(document) }), {});
}
