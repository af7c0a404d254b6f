// The published versions of a package in the catalogue: releases and branches, with the checksum of each archive.

import type { Child } from 'hono/jsx';
import type { Column } from '../components/table.tsx';
import { Table } from '../components/table.tsx';
import { isWarned } from '../pages/package/advised-versions.ts';
import type { OpenPackage } from '../pages/package/open-package.ts';
import { PackageFrame } from '../pages/package/package-frame.tsx';
import { versionColumns, type ShownVersion } from '../pages/package/version-columns.tsx';
import { versionRows, type VersionKind } from '../pages/package/version-rows.ts';
import { commitLink } from '../../packages/source-pages.ts';

const headings: readonly (readonly [kind: VersionKind, heading: string])[] = [
  ['stable', 'Releases'],
  ['development', 'Branches'],
];

const checksum: Column<ShownVersion> = {
  label: 'SHA-1 of the archive',
  cell: ({ published }) => <code class="checksum">{published?.entry.shasum}</code>,
};

export function Versions({ opened }: { readonly opened: OpenPackage }): Child {
  const columns = [...versionColumns(opened.name, undefined), checksum];
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

function shownVersions({ details, latest, advisories }: OpenPackage): readonly ShownVersion[] {
  return versionRows({ published: details.versions, known: [], downloads: new Map() }).map((row) => ({
    ...row,
    isLatest: row.version === latest.entry.version,
    isAdvised: row.published !== undefined && isWarned(advisories, row.published),
    block: undefined,
    commit: row.published === undefined ? undefined : commitLink(row.published, undefined),
    withdrawnBy: undefined,
    cause: undefined,
  }));
}
