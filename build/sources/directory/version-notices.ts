// What a person can do about packages of a folder that have no version. Such a package counts as dev-main, which
// Composer does not install by default. A git checkout has versions: its tags. Pure.

import { quoteForShell } from '../../shared/text/quote-for-shell.ts';

/** A package without a version, found for the first time. */
export interface UnversionedPackage {
  readonly name: string;
  /** absolute */
  readonly folder: string;
  /** the folder is the work tree of a git repository */
  readonly isCheckout: boolean;
}

const mostNamed = 3;

/** Above it, a command with every folder is too long to read. */
const mostFolders = 12;

/** `root`: the folder of the source. `all`: the folders of all its packages. Absolute. */
export function versionNotices(
  root: string,
  packages: readonly UnversionedPackage[],
  all: readonly string[],
): string[] {
  const checkouts = packages.filter(({ isCheckout }) => isCheckout);
  const folders = packages.filter(({ isCheckout }) => !isCheckout);
  return [
    ...(folders.length === 0
      ? []
      : [
          `${described(folders)}. Composer installs ${folders.length === 1 ? 'it' : 'such a package'} as ` +
            `${folders[0]?.name ?? ''}:dev-main. For a release, write "version": "1.0.0" into composer.json.`,
        ]),
    ...(checkouts.length === 0
      ? []
      : [
          `${described(checkouts)}, without the tags and branches of ${checkouts.length === 1 ? 'its' : 'their'} git ` +
            `repository. ${wayToTags(root, checkouts, all)}`,
        ]),
  ];
}

/** The other packages of the folder become sources of their own too: without the folder, nothing else has them. */
function wayToTags(root: string, checkouts: readonly UnversionedPackage[], all: readonly string[]): string {
  const git = new Set(checkouts.map(({ folder }) => folder));
  if (all.length > mostFolders)
    return (
      `To publish those, name each package as a source of its own in place of ${root}, and write git: in front of ` +
      'a git repository.'
    );
  const sources = all.map((folder) => quoteForShell(git.has(folder) ? `git:${folder}` : folder));
  return (
    `To publish those in place of the folder: \`libretto build --forget ${quoteForShell(`dir:${root}`)} ` +
    `${sources.join(' ')}\`. If libretto.json lists the folder, change it there.`
  );
}

/** `acme/a, acme/b and 2 more have no version, and count as dev-main` */
function described(packages: readonly UnversionedPackage[]): string {
  const names = packages.slice(0, mostNamed).map(({ name }) => name);
  const more = packages.length - names.length;
  const all = more > 0 ? [...names, `${more} more`] : names;
  return packages.length === 1
    ? `${all[0] ?? ''} has no version, and counts as dev-main`
    : `${all.slice(0, -1).join(', ')} and ${all.at(-1) ?? ''} have no version, and count as dev-main`;
}
