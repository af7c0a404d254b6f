// The options of a satis.json that have no counterpart in libretto.json, and the values of them that need none. Names
// are those of Satis' schema (res/satis-schema.json) and, for options that the schema lacks, of its code. Sources and
// filters are dealt with elsewhere.

import type { JsonValue } from '../../build/contract/json.ts';

export interface LostOption {
  /** values with which Satis behaves like Libretto */
  readonly same: readonly JsonValue[];
  /** the reason why another value is not carried over, and the remedy */
  readonly reason: string;
}

const lost = (reason: string, ...same: readonly JsonValue[]): LostOption => ({ same, reason });

const noDependencies =
  'Libretto does not resolve dependencies: it publishes the packages of its sources. Add a source for every ' +
  'package that you need.';
const noPage = '`libretto site DIRECTORY` writes package pages, in a form of their own.';
const noOldMetadata = 'Libretto writes the metadata of Composer 2 only, in one form.';
const ownPlace =
  'Archives are in public/dist in the data folder, and the metadata names them by path; see "data" and ' +
  '"distUrl" in docs/reference/configuration.md.';

/** undefined: the table has no such option. A member that every object inherits is none. */
export function optionIn<Known>(table: Readonly<Record<string, Known>>, option: string): Known | undefined {
  return Object.hasOwn(table, option) ? table[option] : undefined;
}

export const lostOptions: Readonly<Record<string, LostOption>> = {
  'require-dependencies': lost(noDependencies, false),
  'require-dev-dependencies': lost(noDependencies, false),
  'only-dependencies': lost(noDependencies, false),
  'only-best-candidates': lost(`${noDependencies} All versions of them are published.`, false),
  'require-dependency-filter': lost(noDependencies, true),
  'repositories-dep': lost(noDependencies),
  'include-types': lost('Packages are chosen by name and version, not by type. Use "only" of the source.', null),
  'exclude-types': lost('Packages are chosen by name and version, not by type. Use "except" of the source.'),
  'strip-hosts': lost(
    'Not needed: the metadata contains no source address, unless a source has "reference-source": "include".',
    false,
  ),
  'output-dir': lost('The tree is in public/ in the data folder ("data", or --data).'),
  'output-html': lost(noPage, false),
  'twig-template': lost(noPage),
  'allow-seo-indexing': lost(noPage, false),
  'include-filename': lost(noOldMetadata),
  includes: lost(noOldMetadata, false),
  providers: lost(noOldMetadata, false),
  'providers-history-size': lost(noOldMetadata, 0),
  'pretty-print': lost(noOldMetadata, false),
  'available-package-patterns': lost('packages.json names every package, so clients request no others.'),
  'notify-batch': lost('Libretto does not report installations to other servers.'),
  _comment: lost('Comments are not converted.'),
};

/** Options of `archive` without a counterpart. */
export const lostArchiveOptions: Readonly<Record<string, LostOption>> = {
  directory: lost(ownPlace, 'dist'),
  'absolute-directory': lost(ownPlace),
  'prefix-url': lost(ownPlace),
  format: lost('Archives are always ZIPs.', 'zip'),
  'skip-dev': lost(
    'Every published version has an archive, branches too. To leave branches out altogether, give the source ' +
      '"minimum-stability".',
    false,
  ),
  whitelist: lost(
    'Every published version has an archive. To leave packages out altogether, use "only" of the source.',
  ),
  blacklist: lost(
    'Every published version has an archive. To leave packages out altogether, use "except" of the source.',
  ),
  checksum: lost('Metadata always has the SHA-1 of an archive: without it clients would install anything.', true),
  'ignore-filters': lost('.gitattributes and archive.exclude always hold.', false),
  'override-dist-type': lost('Archives are always ZIPs.', true, false),
  rearchive: lost(
    'ZIPs of artifact and package sources are published byte for byte; Libretto archives all other sources.',
    true,
  ),
};

/** Options of a repository that its source does not need. */
export const repositoryOptions: Readonly<Record<string, LostOption>> = {
  name: lost('Sources have no names: `libretto build SOURCE` takes their path or URL, and --only names of packages.'),
  canonical: lost('The composer.json of a project decides which of several repositories counts.', true),
  'no-api': lost('Not needed: repositories are read by git alone.', true),
  options: lost('git takes proxies, certificates and headers from its own configuration.'),
};

export const pathOptions = lost(
  'They control how a project installs the folder. A version comes from composer.json, or from the name of ' +
    'its folder.',
);

export const credentialKeys: ReadonlySet<string> = new Set([
  'http-basic',
  'github-oauth',
  'gitlab-oauth',
  'gitlab-token',
  'bitbucket-oauth',
  'bearer',
  'forgejo-token',
  'custom-headers',
  'client-certificate',
]);
