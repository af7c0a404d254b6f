// The units of a catalogue: the assets, the list of packages, and each package, with a digest of all that its pages
// show.

import { createHash } from 'node:crypto';
import type { PackageName } from '../../build/contract/name.ts';
import { advisoriesOf } from '../../build/contract/advisory-lists.ts';
import { digestOf } from '../../build/shared/text/digest-of.ts';
import { readCatalogueAssets } from '../../proxy/console/assets/assets.ts';
import { listPages } from '../../proxy/console/catalogue/list-pages.tsx';
import { isAdvised } from '../../proxy/console/pages/package/advised-versions.ts';
import { packagePages } from '../../proxy/console/catalogue/package-pages.tsx';
import { publicPackage } from '../../proxy/console/catalogue/public-package.ts';
import { assetFolder, renderPages, type CatalogueFiles } from '../../proxy/console/catalogue/render-page.tsx';
import { searchData, searchDataFile } from '../../proxy/console/catalogue/search-data.ts';
import { standardBrand, type Brand } from '../../proxy/console/request/visit.ts';
import { readPublishedPackage } from '../../proxy/packages/published-package.ts';
import { findDependents } from '../../proxy/packages/dependents.ts';
import type { PackageTextReader } from '../../proxy/packages/package-texts.ts';
import type { PackageSummary } from '../../proxy/packages/package-summary.ts';
import type { PublishedFiles } from '../../proxy/core/tree/published-files.ts';
import { version } from '../io/version.ts';
import type { SiteTree, TreePackage } from './read-tree.ts';
import type { SiteUnit } from './write-units.ts';

export interface SiteParts {
  readonly files: PublishedFiles;
  readonly texts: PackageTextReader;
  /** the address of the registry for its clients; undefined: not configured */
  readonly origin: string | undefined;
  readonly brand: Brand;
}

export function siteUnits(tree: SiteTree, parts: SiteParts): readonly SiteUnit[] {
  const all = new Map([...tree.packages].map(([name, { summary }]) => [name, summary] as const));
  const dependentsOf = findDependents(all);
  return [
    assetUnit(),
    listUnit(tree, parts.brand),
    ...[...tree.packages.values()].map((one) =>
      packageUnit(
        one,
        { tree, all, dependents: dependentsOf(one.summary.name).filter((name) => name !== one.summary.name) },
        parts,
      ),
    ),
  ];
}

function assetUnit(): SiteUnit {
  const assets = readCatalogueAssets();
  const digest = createHash('sha256');
  for (const bytes of assets.values()) digest.update(bytes);
  const files = new Map([...assets].map(([name, bytes]) => [assetPath(name), bytes]));
  return { key: 'assets', digest: digest.digest('hex'), render: () => Promise.resolve(files) };
}

function listUnit({ packages, lists, description, publishedAt, ...tree }: SiteTree, brand: Brand): SiteUnit {
  const rows = [...packages.values()].map(({ summary }) => ({
    summary,
    isMirrored: false,
    hasAdvisories: advisoriesOf(lists, summary.name).advisories.length > 0,
    isLatestAdvised: isAdvised(advisoriesOf(lists, summary.name), summary.latest_version),
  }));
  const data = searchData(rows);
  const name = brand.name === standardBrand.name ? tree.name : brand.name;
  return {
    key: 'list',
    digest: digestOf(JSON.stringify([version, brand, data, name, description, publishedAt])),
    render: async () =>
      new Map<string, string | Buffer>([
        ...(await renderPages(listPages({ rows, name, description, publishedAt }), brand)),
        [assetPath(searchDataFile), data],
      ]),
  };
}

interface Surroundings {
  readonly tree: SiteTree;
  readonly all: ReadonlyMap<PackageName, PackageSummary>;
  readonly dependents: readonly PackageName[];
}

function packageUnit(
  { summary, digest, links }: TreePackage,
  { tree: { lists }, all, dependents }: Surroundings,
  parts: SiteParts,
): SiteUnit {
  const { name } = summary;
  const facts = [
    version,
    parts.brand,
    parts.origin,
    digest,
    dependents.map((one) => shownInRow(all.get(one))),
    [...summary.requires, ...links].filter((one) => all.has(one.toLowerCase() as PackageName)),
    advisoriesOf(lists, name),
  ];
  return {
    key: `packages/${name}`,
    digest: digestOf(JSON.stringify(facts)),
    render: async () => {
      const versions = await readPublishedPackage(parts.files, name);
      const opened = publicPackage({ summary, versions, all, dependents, lists });
      return opened === undefined ? new Map() : renderPackage(opened, parts);
    },
  };
}

async function renderPackage(
  opened: NonNullable<ReturnType<typeof publicPackage>>,
  { texts, origin, brand }: SiteParts,
): Promise<CatalogueFiles> {
  const { name, latest } = opened;
  const { readme, changelog, version: label } = latest.entry;
  const shown = {
    opened,
    readme: readme === undefined ? undefined : await texts.read(name, 'readme', label),
    changelog: changelog === undefined ? undefined : await texts.read(name, 'changelog', label),
  };
  return renderPages(packagePages(shown, origin), brand);
}

/** What the row of a dependent shows. */
function shownInRow(summary: PackageSummary | undefined) {
  return summary && [summary.name, summary.description, summary.latest_version, summary.updated_at];
}

function assetPath(name: string): string {
  return `${assetFolder.slice(1)}/${name}`;
}
