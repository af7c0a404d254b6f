// A digest of the releases a source has for one package: equal as long as nothing about them has changed, so that
// packages nothing happened to are not even opened.

import { createHash } from 'node:crypto';
import type { Release } from '../sources/release.ts';

export function digestReleases(releases: readonly Release[]): string {
  const rows = releases.map((release) =>
    JSON.stringify([
      release.normalized,
      release.version,
      release.reference,
      release.defaultBranch,
      release.branch ?? null,
      release.time ?? null,
      release.recordDigest ?? null,
    ]),
  );
  return createHash('sha256').update(rows.toSorted().join('\n')).digest('hex').slice(0, 32);
}
