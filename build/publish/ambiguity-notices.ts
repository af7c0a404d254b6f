// Writes the notices about versions that stay published although their source no longer has them. Some part of the
// source is unreadable, so the build cannot tell which package or version the part is. Until then it withdraws nothing.
// Pure.

import type { PackageResult } from '../package/package-stage.ts';
import { isRead, type ScannedSource } from '../scan/scan.ts';

const maxNamed = 3;

/** A line for each source that holds such versions. */
export function ambiguityNotices(
  scanned: readonly ScannedSource[],
  results: readonly PackageResult[],
): readonly { readonly source: string; readonly message: string }[] {
  const ambiguousVersions = new Map<string, string[]>();
  for (const { name, ambiguous } of results) {
    for (const { source, version } of ambiguous) {
      const known = ambiguousVersions.get(source) ?? [];
      known.push(`${name} ${version}`);
      ambiguousVersions.set(source, known);
    }
  }
  return scanned.filter(isRead).flatMap(({ chosen, quarantined }) => {
    const versions = ambiguousVersions.get(chosen.spec.id);
    if (versions === undefined) return [];
    const causes = [
      ...new Set(
        quarantined.filter(({ name, version }) => name === null || version === null).map(({ where }) => where),
      ),
    ];
    const [stay, are] = versions.length === 1 ? ['stays', 'is'] : ['stay', 'are'];
    return [
      {
        source: chosen.spec.location,
        message:
          `${someOf(versions)} ${are} no longer found and ${stay} published: nothing is withdrawn while the ` +
          `package or version of ${someOf(causes)} is unknown. Correct or remove it. The next build ` +
          `then withdraws the missing versions.`,
      },
    ];
  });
}

function someOf(items: readonly string[]): string {
  return items.length <= maxNamed
    ? items.join(', ')
    : `${items.slice(0, maxNamed).join(', ')} and ${items.length - maxNamed} more`;
}
