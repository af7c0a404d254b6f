// Stops a build that would probably remove versions by mistake: a folder is not mounted, a line of libretto.json is
// lost, or a source is empty. Pure.

import { normalizeVersion, isDevVersion } from '../contract/version.ts';
import type { PublishedSource } from '../contract/publication.ts';
import type { PackageResult, VersionOf } from '../package/package-stage.ts';
import { WithdrawalRefused } from '../contract/refusals.ts';

export interface Removals {
  readonly results: readonly PackageResult[];
  /** the number of packages published before */
  readonly packages: number;
  /** ids of the sources that a person asked to forget: the build withdraws their versions without this guard */
  readonly confirmed: ReadonlySet<string>;
  /** the published sources */
  readonly sources: readonly Pick<PublishedSource, 'id' | 'location'>[];
  /** true if a person withdrew or purged exactly this version */
  readonly isMeant: (
    name: PackageResult['name'],
    version: { readonly normalized: string; readonly reference: string },
  ) => boolean;
}

/** A tenth of fewer packages rounds to none. */
const fewestPackages = 10;
const mostShown = 20;
const mostSources = 5;

/**
 * Throws WithdrawalRefused if a package would lose its last version, or more than a tenth of all packages one of their
 * releases.
 */
export function refuseRemovals(removals: Removals): void {
  const losses = removals.results
    .map((result) => ({ result, lost: lossesOf(result, removals) }))
    .filter(({ lost }) => lost.length > 0);
  const emptied = losses.filter(({ result }) => result.published === 0);
  const reduced = losses.filter(({ lost }) => lost.some(isRelease));
  const tooMany = removals.packages >= fewestPackages && reduced.length * 10 > removals.packages;
  if (emptied.length === 0 && !tooMany) return;
  const shown = tooMany ? [...new Set([...emptied, ...reduced])] : emptied;
  const lines = shown.slice(0, mostShown).map(
    ({ result, lost }) =>
      `  ${result.name} ${lost
        .map(({ version }) => version)
        .slice(0, 5)
        .join(', ')}${lost.length > 5 ? ', …' : ''}${result.published === 0 ? ' (all it has)' : ''}`,
  );
  const more = shown.length > mostShown ? [`  … and ${shown.length - mostShown} more packages`] : [];
  const what = tooMany
    ? `releases of ${reduced.length} of ${removals.packages} packages`
    : `every version of ${emptied.length === 1 ? 'a package' : `${emptied.length} packages`}`;
  throw new WithdrawalRefused(
    [
      `This build would withdraw ${what}. Nothing was published.`,
      ...lines,
      ...more,
      `If this is intended, build again with --allow-withdraw. Otherwise check whether a source is incomplete: ` +
        `an unmounted folder, a missing line in libretto.json, a missing uploaded ZIP file.` +
        describeSources(shown, removals),
    ].join('\n'),
  );
}

type Loss = { readonly lost: readonly VersionOf[] };

/** A sentence with the sources that had the versions; nothing where no source is known. */
function describeSources(losses: readonly Loss[], { sources }: Removals): string {
  const ids = new Set(losses.flatMap(({ lost }) => lost.map(({ source }) => source)));
  const known = sources.filter(({ id }) => ids.has(id)).map(({ location }) => location);
  if (known.length === 0) return '';
  const more = known.length > mostSources ? ` and ${known.length - mostSources} more sources` : '';
  return ` These versions came from ${known.slice(0, mostSources).join(', ')}${more}.`;
}

function lossesOf({ name, withdrawn }: PackageResult, { confirmed, isMeant }: Removals): readonly VersionOf[] {
  return withdrawn.filter(
    ({ version, source, reference }) =>
      !confirmed.has(source) && !isMeant(name, { normalized: normalizeVersion(version) ?? version, reference }),
  );
}

/** Branches are added and removed every day, in many packages of one repository at the same time. */
function isRelease({ version }: VersionOf): boolean {
  const normalized = normalizeVersion(version);
  return normalized === undefined || !isDevVersion(normalized);
}
