// Finds the upstream of an archive, and the addresses to try there.

import type { PackageName } from '../../../build/contract/name.ts';
import type { ArchiveRecord } from './archive-record.ts';
import { distCandidates } from './dist-candidates.ts';
import type { OfferedVersion } from '../versions/offered-version.ts';
import { findOffer } from '../upstream/first-offer.ts';
import type { Upstream } from '../upstream/upstream.ts';
import { parseUrl } from '../../../build/contract/parse-url.ts';

/** The upstream of an accepted archive: the one of its download, or the first that has the package now. */
export async function upstreamOf(
  { name, dev, from }: ArchiveRecord,
  upstreams: readonly Upstream[],
): Promise<Upstream | undefined> {
  const there = upstreams.filter(({ destination }) => destination.origin === originOf(from));
  if (there.length === 1 || upstreams.length < 2) return there[0] ?? upstreams[0];
  return (await findOffer(name, dev ? 'dev' : 'stable', upstreams))?.upstream ?? there[0] ?? upstreams[0];
}

function originOf(address: string): string | undefined {
  return parseUrl(address)?.origin;
}

export function candidatesOf(
  name: PackageName,
  { version, normalized, dist }: OfferedVersion,
  upstream: Upstream,
): () => Promise<readonly URL[]> {
  return async () =>
    dist === undefined
      ? []
      : distCandidates({ name, version, normalized, dist }, await upstream.mirrors(), upstream.destination.origin);
}
