// Joins the two documents of a package. In which of them a version stands is the upstream's choice: some have one
// document for all versions, and answer 404 for the other one.

import type { JsonObject } from '../../../build/contract/json.ts';
import { isDevVersion, normalizeVersion } from '../../../build/contract/version.ts';
import { mapYielding } from '../../../build/shared/concurrency/yielding.ts';
import type { CachedDocument } from './document-store.ts';
import { together } from './included-packages.ts';
import { UpstreamUnavailable } from './mirror-failure.ts';
import type { UpstreamDocument } from './upstream-document.ts';

export type Stability = 'stable' | 'dev';

type Cached = CachedDocument<UpstreamDocument>;

/**
 * The document of this stability, with the versions of this stability that stand in the other one; empty if there are
 * none. Clients that want dev versions ask for both documents; the one of dev versions is read for releases only where
 * the other has none. Rejects as `read` does, with UpstreamUnavailable.
 */
export async function joinedDocument(
  stability: Stability,
  read: (stability: Stability) => Promise<Cached>,
): Promise<Cached> {
  const other = stability === 'dev' ? read('stable') : undefined;
  other?.catch(() => undefined); // is awaited below, unless the first one fails
  const own = await read(stability);
  const hasSome = own.value?.versions.some((record) => isOf(record, stability)) === true;
  if (stability === 'stable' && hasSome) return own;
  try {
    return await joined(own, await (other ?? read('dev')), stability);
  } catch (error) {
    if (!(error instanceof UpstreamUnavailable) || !hasSome) throw error;
    return { ...own, goodUntilMs: Math.min(own.goodUntilMs, error.retryAtMs) };
  }
}

async function joined(own: Cached, other: Cached, stability: Stability): Promise<Cached> {
  const [mine, theirs] = [own.value, other.value];
  const known = new Set(mine?.versions.map(({ version }) => version));
  const isMore = (record: JsonObject): boolean => isOf(record, stability) && !known.has(record['version']);
  const more = (await mapYielding(theirs?.versions ?? [], (record) => (isMore(record) ? [record] : []))).flat();
  const goodUntilMs = Math.min(own.goodUntilMs, other.goodUntilMs);
  if (theirs === undefined || (mine !== undefined && more.length === 0)) return { ...own, goodUntilMs };
  const value = { ...(mine ?? theirs), versions: [...(mine?.versions ?? []), ...more] };
  return { ...together(mine === undefined ? [other] : [own, other]), goodUntilMs, value };
}

/** False for a version that Composer does not accept. */
export function isOf({ version }: JsonObject, stability: Stability): boolean {
  const normalized = normalizeVersion(String(version));
  return normalized !== undefined && isDevVersion(normalized) === (stability === 'dev');
}
