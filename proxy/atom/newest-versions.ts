// Chooses the versions of a feed: the newest by the time of their first publication here, which the author of a package
// cannot set. Equal times are sorted by name, and then the newer version comes first.

import type { PackageName } from '../../build/contract/name.ts';
import { parseStability, type Stability } from '../../build/contract/stability.ts';
import { compareText } from '../../build/shared/text/compare-text.ts';
import type { PublishedPackages } from '../packages/catalogue.ts';
import type { ListedVersion } from '../packages/package-summary.ts';

/** A version of a feed, and its package. */
export interface FeedVersion {
  readonly name: PackageName;
  readonly listed: ListedVersion;
}

const ranks: Readonly<Record<Stability, number>> = { dev: 0, alpha: 1, beta: 2, RC: 3, stable: 4 };
const mostInFeed = 100;
/** This number takes a few milliseconds; then other requests get their turn. */
const versionsInTurn = 1000;

/** undefined: `text` names no stability. Upper and lower case are equal, as in composer.json. */
export function stabilityNamed(text: string): Stability | undefined {
  return (Object.keys(ranks) as Stability[]).find((stability) => stability.toLowerCase() === text.toLowerCase());
}

/** The newest of one package. `versions`: newest version first. */
export function newestOf(
  name: PackageName,
  versions: readonly ListedVersion[],
  least: Stability,
): readonly FeedVersion[] {
  return cut(versions.filter((version) => isStableEnough(version, least)).map((listed) => ({ name, listed })));
}

/** The newest of all packages that are seen. `names`: sorted. */
export async function newestOfAll(
  { names, versionsOf }: Pick<PublishedPackages, 'versionsOf'> & { readonly names: Iterable<PackageName> },
  least: Stability,
): Promise<readonly FeedVersion[]> {
  let found: readonly FeedVersion[] = [];
  let left = versionsInTurn;
  for (const name of names) {
    const versions = versionsOf(name);
    if ((left -= versions.length) < 0) {
      await new Promise(setImmediate);
      left = versionsInTurn;
    }
    // the sort is stable: of equal times, the packages that came before stay before
    const last = found.length < mostInFeed ? '' : (found.at(-1)?.listed.published ?? '');
    const newer = newestOf(name, versions, least).filter(({ listed }) => listed.published > last);
    if (newer.length > 0) found = cut([...found, ...newer]);
  }
  return found;
}

function isStableEnough({ version_normalized: version }: ListedVersion, least: Stability): boolean {
  return ranks[parseStability(version)] >= ranks[least];
}

function cut(versions: readonly FeedVersion[]): readonly FeedVersion[] {
  return versions
    .toSorted((one, other) => compareText(other.listed.published, one.listed.published))
    .slice(0, mostInFeed);
}
