// The lists that count for a package now. The newest documents of its upstream count, since they may have new
// advisories. Where they are missing, old, without versions or unreadable, the last known lists count beside them
// (I26).

import type { JsonObject } from '../../../build/contract/json.ts';
import type { PackageName } from '../../../build/contract/name.ts';
import type { CompiledRule } from '../../policy/judge/compile-policy.ts';
import type { Offer } from '../upstream/upstream.ts';
import type { AcceptedPackage } from './accepted-package.ts';
import { areReadable, saidIn } from './joined-lists.ts';
import type { LastLists, UpstreamLists } from './last-lists.ts';
import type { Offers } from './offered-records.ts';
import { UnreadableRecord } from './read-record.ts';

/** A package with accepted archives, or one that gets its first. */
export interface MirroredListing {
  readonly name: PackageName;
  /** of the upstreams of the name */
  readonly ids: readonly string[];
  readonly accepted: Pick<AcceptedPackage, 'hasReleases'>;
}

/** `all`: damage of the last known lists is an error, since a rule blocks by them. `known`: a rule only tells of them. */
export type Needed = 'none' | 'known' | 'all';

export function neededLists(rules: readonly CompiledRule[]): Needed {
  const readers = rules.filter(({ given }) => readingRules.has(given.rule));
  if (readers.some(({ given }) => given.action === 'block')) return 'all';
  return readers.length > 0 ? 'known' : 'none';
}

/** `abandoned`: the newest record says it for versions that the upstream has removed. */
const readingRules: ReadonlySet<string> = new Set(['advisories', 'filter', 'abandoned']);

/** `needed`: other than `all`: damaged lists count as none, beside those of the documents. Rejects with UnreadableRecord. */
export async function listsOf(
  owner: MirroredListing,
  offers: Offers,
  last: LastLists,
  needed: Needed,
): Promise<JsonObject> {
  try {
    return await joined(owner, offers, last);
  } catch (error) {
    if (needed === 'all' || !(error instanceof UnreadableRecord)) throw error;
    return saidIn([offers.stable, offers.own].flatMap((offer) => offer?.document ?? []));
  }
}

function joined({ name, ids, accepted }: MirroredListing, offers: Offers, last: LastLists): Promise<JsonObject> {
  const { upstream, stable, own } = offers;
  if (upstream === undefined) return last.read(name);
  const { hasReleases } = accepted;
  const releases =
    stable && saidBy(stable, upstream.id, false, hasVersions(stable) || (!hasReleases && hasVersions(own)));
  const branches =
    own === undefined || own === stable
      ? undefined
      : saidBy(own, upstream.id, true, hasVersions(own) || hasVersions(stable));
  const said = [releases ?? [], branches ?? []].flat();
  if (said.length === 0) return last.read(name);
  return last.update(name, said, {
    // nobody may ask for the document of dev versions any more: what it once said would then count for ever
    which: releases?.isWhole === true && branches === undefined ? 'releases' : 'all',
    isAll: releases?.isWhole === true || (branches?.isWhole === true && !hasReleases),
    isUsed: (id) => ids.includes(id),
  });
}

/** `hasOthers`: an upstream that has removed all versions says nothing about their archives any more. */
function saidBy(
  { staleSinceMs, document }: Offer,
  upstream: string,
  isDev: boolean,
  hasOthers: boolean,
): UpstreamLists {
  const isReadable = areReadable(document);
  return {
    upstream,
    isDev,
    lists: saidIn([document]),
    isReadable,
    isWhole: staleSinceMs === undefined && hasOthers && isReadable,
  };
}

function hasVersions(offer: Offer | undefined): boolean {
  return (offer?.document.versions.length ?? 0) > 0;
}
