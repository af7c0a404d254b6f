// Finds the published versions that an advisory affects. The build reports these versions to the person who publishes
// them. Pure.

import { matches, parseConstraint } from '../contract/constraint.ts';
import type { PackageAdvisories } from '../contract/advisory-lists.ts';
import type { IndexEntry } from '../contract/serving-index.ts';
import type { NormalizedVersion } from '../contract/version.ts';

const mostNamed = 5;

type PublishedVersion = Pick<IndexEntry, 'version' | 'version_normalized' | 'source'>;

/** A line for each advisory, with the source of the newest version it concerns. `published`: newest first. */
export function advisoryNotices(
  name: string,
  { advisories }: PackageAdvisories,
  published: readonly PublishedVersion[],
): readonly { readonly source: string; readonly message: string }[] {
  return advisories.flatMap(({ advisoryId, affectedVersions, title }) => {
    const affected = affectedBy(affectedVersions, published);
    const [first] = affected;
    if (first === undefined) return [];
    const more = affected.length > mostNamed ? ` and ${affected.length - mostNamed} more` : '';
    return [
      {
        source: first.source,
        message: `${name}: ${affected
          .slice(0, mostNamed)
          .map(({ version }) => version)
          .join(', ')}${more} ${affected.length === 1 ? 'is' : 'are'} affected by ${advisoryId}: ${title}`,
      },
    ];
  });
}

export function affectedBy<Version extends Pick<IndexEntry, 'version_normalized'>>(
  constraintText: string,
  versions: readonly Version[],
): readonly Version[] {
  const parsed = parseConstraint(constraintText);
  return 'refusal' in parsed
    ? []
    : versions.filter((one) => matches(parsed.constraint, one.version_normalized as NormalizedVersion));
}
