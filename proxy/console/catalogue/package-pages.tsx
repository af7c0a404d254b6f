// The pages of one package in the catalogue: those of the console that need no server. Pure.

import { versionWarnings, warningOf } from '../pages/package/advised-versions.ts';
import { Advisories } from '../pages/package/advisories-page.tsx';
import { Changelog, Requires } from '../pages/package/changelog-page.tsx';
import { Dependents, dependentsPerPage } from '../pages/package/dependents-page.tsx';
import type { LocateName } from '../pages/package/name-places.ts';
import { neighbourhoodOf } from '../pages/package/neighbourhood.ts';
import { packagePath, type OpenPackage } from '../pages/package/open-package.ts';
import { PackageOverview } from '../pages/package/overview.tsx';
import type { PackageName } from '../../../build/contract/name.ts';
import type { CataloguePackage } from './public-package.ts';
import type { CataloguePage } from './render-page.tsx';
import type { Child } from 'hono/jsx';
import { type Column, Table } from '../components/table.tsx';
import { PackageFrame } from '../pages/package/package-frame.tsx';
import { versionColumns, type VersionTableRow } from '../pages/package/version-columns.tsx';
import { versionRows, type VersionKind } from '../pages/package/version-rows.ts';
import { commitLink } from '../../packages/source-pages.ts';

/** `origin`: the address of the registry for its clients; undefined: not configured. */
export function packagePages(
  { opened, readme, changelog }: CataloguePackage,
  origin: string | undefined,
): readonly CataloguePage[] {
  const { name, latest, details } = opened;
  const page = (tab: string, title: string, content: CataloguePage['content']): CataloguePage => ({
    path: packagePath(name, tab),
    title,
    content,
  });
  return [
    page(
      '',
      name,
      <PackageOverview
        {...{ opened, readme, origin }}
        days={undefined}
        publisher={undefined}
        makesTokens={false}
        blocks={undefined}
      />,
    ),
    page('versions', `Versions of ${name}`, <Versions opened={opened} />),
    page('requires', `What ${name} requires`, <Requires opened={opened} locate={locateIn(opened)} />),
    ...dependentsPages(opened),
    ...(latest.entry.changelog === undefined
      ? []
      : [page('changelog', `Changelog of ${name}`, <Changelog opened={opened} text={changelog} />)]),
    ...(versionWarnings(opened.advisories, details.versions).length === 0
      ? []
      : [page('advisories', `Advisories of ${name}`, <Advisories opened={opened} />)]),
  ];
}

/** At least one page. */
function dependentsPages(opened: OpenPackage): readonly CataloguePage[] {
  const { name, dependents } = opened;
  const neighbourhood = neighbourhoodOf(opened, 1);
  const count = Math.max(1, Math.ceil(dependents.length / dependentsPerPage));
  return Array.from({ length: count }, (_, at) => ({
    path: packagePath(name, 'dependents', { page: String(at + 1) }),
    title: `Dependents of ${name}`,
    content: <Dependents {...{ opened, neighbourhood }} steps={undefined} page={at + 1} />,
  }));
}

/** The catalogue does not know which packages the registry mirrors. */
function locateIn({ packages }: OpenPackage): LocateName {
  return (text) => {
    const name = text.toLowerCase() as PackageName;
    if (!name.includes('/')) return 'platform';
    return packages.all.has(name) ? 'here' : 'elsewhere';
  };
}

// The published versions of a package in the catalogue: releases and branches, with the checksum of each archive.

const headings: readonly (readonly [kind: VersionKind, heading: string])[] = [
  ['stable', 'Releases'],
  ['development', 'Branches'],
];

const checksum: Column<VersionTableRow> = {
  label: 'SHA-1 of the archive',
  cell: ({ published }) => <code class="checksum">{published?.entry.shasum}</code>,
};

function Versions({ opened }: { readonly opened: OpenPackage }): Child {
  const columns = [...versionColumns(opened.name), checksum];
  const shown = shownVersions(opened);
  return (
    <PackageFrame opened={opened} tab="versions">
      {headings.map(([kind, heading]) => {
        const rows = shown.filter((row) => row.kind === kind);
        return rows.length === 0 ? null : (
          <section class="stack-tight">
            <h2>{heading}</h2>
            <Table caption={heading} columns={columns} rows={rows} />
          </section>
        );
      })}
    </PackageFrame>
  );
}

function shownVersions({ details, latest, advisories }: OpenPackage): readonly VersionTableRow[] {
  return versionRows({ published: details.versions, known: [], downloads: new Map() }).map((row) => ({
    ...row,
    isLatest: row.version === latest.entry.version,
    warning: row.published && warningOf(advisories, row.published),
    block: undefined,
    commit: row.published === undefined ? undefined : commitLink(row.published, undefined),
    withdrawnBy: undefined,
    cause: undefined,
  }));
}
