// Handles lost or truncated archives of versions that stay published. A plain copy restores the bytes. Otherwise a dev
// version is made again from its source, and a release never is (I3). Without the bytes a build continues, and names
// the file.

import type { PackageName } from '../contract/name.ts';
import { distPath, type DistLabel } from '../contract/paths.ts';
import type { IndexEntry } from '../contract/serving-index.ts';
import type { Output } from '../output/output.ts';
import type { Alias } from '../output/publication.ts';
import type { PackageContext } from './package-context.ts';
import type { FreshRelease, PackageDecision } from './package-decision.ts';

export interface RestoredArchives {
  /** the decision with the dev versions to make again */
  readonly decision: PackageDecision;
  /** archives that their plain copies give back */
  readonly pins: readonly Alias[];
  /** one for each archive that remains lost */
  readonly notices: readonly { readonly source: string; readonly message: string }[];
}

type Context = Pick<PackageContext, 'output' | 'sources' | 'readsAll'>;

/** Looks only at archives with a pinned name: a build never replaces the plain archive of a release. */
export async function restoreArchives(
  name: PackageName,
  decision: PackageDecision,
  context: Context,
): Promise<RestoredArchives> {
  const stillPublished: PackageDecision['kept'][number][] = [];
  const remade: FreshRelease[] = [];
  const pins: Alias[] = [];
  const notices: RestoredArchives['notices'][number][] = [];
  for (const one of decision.kept) {
    const { entry, release } = one;
    const plain = distPath(name, entry.version as DistLabel);
    const isLost = entry.path !== plain && !(await hasArchive(context.output, entry));
    if (isLost && (await context.output.sha1('public', plain)) === entry.shasum) {
      pins.push({ from: plain, to: entry.path });
    } else if (isLost && release?.dev === true) {
      remade.push({ release, source: entry.source, replaces: entry, reuse: undefined, shasum: undefined });
      continue;
    } else if (isLost) notices.push({ source: entry.source, message: lostArchive(name, entry, context) });
    stillPublished.push(one);
  }
  const isWhole = remade.length === 0;
  return {
    decision: isWhole ? decision : { ...decision, kept: stillPublished, fresh: [...decision.fresh, ...remade] },
    pins,
    notices,
  };
}

/** True if the archive exists with its size. */
export async function hasArchive(output: Output, { path, size }: Pick<IndexEntry, 'path' | 'size'>): Promise<boolean> {
  return (await output.facts('public', path))?.size === size;
}

function lostArchive(name: PackageName, { path, version, source }: IndexEntry, context: Context): string {
  const location = context.sources.get(source);
  const bySource = context.readsAll
    ? ` or make ${location ?? 'a source with the version'} readable and run \`libretto build\`.`
    : ' or run `libretto build` without naming a source: a readable source gives a dev version again.';
  return `${name} ${version}: the archive public/${path} is lost or truncated. Restore it from a backup;${bySource}`;
}
