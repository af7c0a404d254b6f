// The lists that count for a package now. The newest documents of its upstream count, since they may have new advisories.
// Where they are missing, old or without versions, the last known lists count beside them (I26).

import type { JsonObject } from '../../../build/contract/json.ts';
import type { PackageName } from '../../../build/contract/name.ts';
import type { Compiled } from '../rules/mirror-rules.ts';
import type { Offer } from '../upstream/upstream.ts';
import { saidIn } from './joined-lists.ts';
import type { LastLists, Said } from './last-lists.ts';
import type { Offers } from './offered-records.ts';
import { UnreadableRecord } from './read-record.ts';

/** Of a package with accepted archives, or one that gets its first. Rejects if the last known lists are damaged. */
export async function listsOf(
  name: PackageName,
  { upstream, stable, own }: Offers,
  { upstreams }: Compiled,
  last: LastLists,
): Promise<JsonObject> {
  if (upstream === undefined) return last.read(name);
  const said = (offer: Offer | undefined, isDev: boolean): readonly Said[] =>
    offer === undefined
      ? []
      : [{ upstream: upstream.id, isDev, lists: saidIn([offer.document]), isWhole: isWhole(offer) }];
  const documents = [...said(stable, false), ...(own === stable ? [] : said(own, true))];
  if (documents.length === 0) return last.read(name);
  // nobody may ask for the document of dev versions any more: what it once said would then count for ever
  const which = own === stable && stable !== undefined && isWhole(stable) ? 'releases' : 'all';
  return last.update(name, documents, which, (id) => upstreams.has(id));
}

/** Keeps them where no rule reads them: damage of the last known ones breaks no request. */
export async function keepLists(...parts: Parameters<typeof listsOf>): Promise<JsonObject> {
  try {
    return await listsOf(...parts);
  } catch (error) {
    if (error instanceof UnreadableRecord) return {};
    throw error;
  }
}

/** An upstream that removes all versions says nothing about their archives any more. */
function isWhole({ staleSinceMs, document }: Offer): boolean {
  return staleSinceMs === undefined && document.versions.length > 0;
}
