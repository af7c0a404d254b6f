// The versions of a document as far as something was accepted of them before: what an upstream now says differently of a release is an alarm, and the release
// stays as it was accepted, its record included (case 77).

import type { PackageName } from '../../build/contract/name.ts';
import type { AcceptedPackage } from './accepted-package.ts';
import type { ArchiveShelf } from './archive-shelf.ts';
import type { Tell } from './mirror-event.ts';
import { offeredVersions, type CheckRecord, type OfferedVersion } from './offered-version.ts';

export interface Settled {
  readonly versions: readonly OfferedVersion[];
  /** versions of which the upstream now says something else */
  readonly changed: readonly string[];
}

export interface SettleOptions {
  readonly shelf: ArchiveShelf;
  readonly check: CheckRecord;
  readonly tell: Tell;
}

export async function settleVersions(name: PackageName, versions: readonly OfferedVersion[], accepted: AcceptedPackage, { shelf, check, tell }: SettleOptions): Promise<Settled> {
  const changed: string[] = [];
  const settled: OfferedVersion[] = [];
  for (const version of versions) {
    const difference = changeOf(version, accepted);
    const kept = difference === undefined ? undefined : await shelf.record({ name, normalized: version.normalized, dev: version.dev, reference: version.dist?.reference ?? '' });
    if (difference === undefined || kept === undefined) {
      settled.push(version);
      continue;
    }
    changed.push(version.version);
    tell({ kind: 'release-changed', name, version: version.version, message: `${difference}. What was accepted on ${kept.fetchedAt} from ${kept.from} is served on` });
    settled.push(...offeredVersions(name, [kept.record], check).versions);
  }
  return { versions: settled, changed };
}

/** What the upstream says now that it did not say then, in words; undefined: nothing. */
export function changeOf(version: OfferedVersion, accepted: AcceptedPackage): string | undefined {
  const { dist } = version;
  const known = dist === undefined ? undefined : accepted.find(version, dist.reference);
  if (dist === undefined || known === undefined) return undefined;
  if (known.reference !== dist.reference) return `the upstream now gives it the reference ${dist.reference || '(none)'}, and gave it ${known.reference || '(none)'}`;
  if (dist.shasum !== undefined && dist.shasum !== known.shasum) return `the upstream now gives it the SHA-1 ${dist.shasum}, and what was accepted has ${known.shasum}`;
  return undefined;
}
