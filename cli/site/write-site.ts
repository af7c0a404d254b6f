// Writes the catalogue of a data folder: package pages as plain files, for any web server. One process at a time writes
// a folder. A publication in the meantime is written too, so that the pages of one catalogue belong together.

import { constants } from 'node:os';
import { join } from 'node:path';
import { BuildBusy } from '../../build/contract/refusals.ts';
import { nothingPurged } from '../../build/contract/purged.ts';
import { buildLock } from '../../build/output/lock.ts';
import { waitForLock } from '../../build/output/wait-for-lock.ts';
import { standardBrand, type Brand } from '../../proxy/console/request/visit.ts';
import { createPackageTextReader, type PackageTextReader } from '../../proxy/packages/package-texts.ts';
import { createRenderThread } from '../../proxy/packages/render-thread.ts';
import { createLocalPublishedFiles, type PublishedFiles } from '../../proxy/core/tree/published-files.ts';
import { readBranding } from '../../proxy/settings/stored-settings.ts';
import { describeStep } from '../builds/build-steps.ts';
import type { Config } from '../config/config.ts';
import { publicUrlOf } from '../config/public-url.ts';
import type { Context } from '../io/context.ts';
import { counted, printLines, printWarnings } from '../io/output.ts';
import { startProgress, waitLine } from '../io/progress.ts';
import { openStateIfAny } from '../state/open-state.ts';
import { readSitePublication, readTree, type SiteTree, type TreePackage } from './read-tree.ts';
import { writeShown } from './shown-publication.ts';
import { markerFolder } from './site-record.ts';
import { writeUnits, type WrittenFiles, type SiteUnit } from './write-units.ts';
import { createHash } from 'node:crypto';
import type { PackageName } from '../../build/contract/name.ts';
import { advisoriesOf } from '../../build/contract/advisory-lists.ts';
import { digestOf } from '../../build/shared/text/digest-of.ts';
import { readCatalogueAssets } from '../../proxy/console/assets/assets.ts';
import { listPages } from '../../proxy/console/catalogue/list-pages.tsx';
import { listedWarnings } from '../../proxy/console/pages/package/advised-versions.ts';
import { packagePages } from '../../proxy/console/catalogue/package-pages.tsx';
import { publicPackage } from '../../proxy/console/catalogue/public-package.ts';
import { assetFolder, renderPages, type CatalogueFiles } from '../../proxy/console/catalogue/render-page.tsx';
import { searchData, searchDataFile } from '../../proxy/console/catalogue/search-data.ts';
import { readPublishedPackage } from '../../proxy/packages/published-package.ts';
import { findDependents } from '../../proxy/packages/dependents.ts';
import type { PackageSummary } from '../../proxy/packages/package-summary.ts';
import { version } from '../io/version.ts';

interface SiteParts {
  readonly files: PublishedFiles;
  readonly texts: PackageTextReader;
  /** the address of the registry for its clients; undefined: not configured */
  readonly origin: string | undefined;
  readonly brand: Brand;
}

function siteUnits(tree: SiteTree, parts: SiteParts): readonly SiteUnit[] {
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
    ...listedWarnings(advisoriesOf(lists, summary.name), summary.latest_version),
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

/** The `site` of `--json`. */
export interface SiteReport extends WrittenFiles {
  /** absolute */
  readonly directory: string;
  readonly serial: number;
  readonly packages: number;
}

const lockWaitMs = 60_000;
/** A README takes milliseconds. The same text must give the same page on a slow machine too. */
const longestRenderMs = 60_000;

/** `folder`: of siteFolder. Rejects with UnusableFile for a damaged tree, StorageError, and BuildBusy. */
export async function writeSite(folder: string, config: Config, context: Context): Promise<SiteReport> {
  const { now, steps } = context;
  const lock = await waitForLock(join(folder, markerFolder, 'lock'), now, lockWaitMs, {
    lock: siteLock,
    progress: waitLine(context.remarks),
  });
  const progress = await startProgress(context.progress, () => now().getTime(), 'site');
  endOnSignal(context, progress.stop);
  try {
    const written = await writeUntilSame(folder, await partsOf(config, context), ({ key }, done, total) => {
      const event = { phase: 'site', done, total, label: key.replace('packages/', '') } as const;
      progress.show(event);
      printLines(steps, [describeStep(event)]);
    });
    return { directory: folder, ...written };
  } finally {
    progress.stop();
    await lock.release();
  }
}

/** Writes again as long as there was a publication while it wrote. */
async function writeUntilSame(
  folder: string,
  parts: SiteParts,
  onUnit: Parameters<typeof writeUnits>[2],
): Promise<Omit<SiteReport, 'directory'>> {
  for (let [written, removed] = [0, 0]; ;) {
    const tree = await readTree(parts.files);
    const files = await writeUnits(folder, siteUnits(tree, parts), onUnit);
    [written, removed] = [written + files.written, removed + files.removed];
    const published = await readSitePublication(parts.files);
    if (published.serial !== tree.serial) continue;
    await writeShown(folder, published);
    return { serial: tree.serial, packages: tree.packages.size, written, removed };
  }
}

async function partsOf(config: Config, { stderr }: Context): Promise<SiteParts> {
  const files = createLocalPublishedFiles(config.data.value);
  const render = createRenderThread({
    worker: new URL('./render-worker.js', import.meta.url),
    longestMs: longestRenderMs,
    onFailure: () =>
      printWarnings(stderr, ['A README or CHANGELOG could not be rendered, and is shown as plain text.']),
  });
  const texts = createPackageTextReader(files, render, () => nothingPurged);
  return { files, texts, origin: publicUrlOf(config)?.url, brand: await brandOf(config) };
}

async function brandOf(config: Config): Promise<Brand> {
  const state = await openStateIfAny(config);
  try {
    return { ...standardBrand, ...(state && (await readBranding(state))) };
  } finally {
    await state?.close();
  }
}

/** Ends at once: every file is whole, and the next run takes the lock over. */
function endOnSignal({ onSignal, exitNow }: Context, beforeEnd: () => void): void {
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    onSignal(name, () => {
      beforeEnd();
      exitNow(128 + constants.signals[name]);
    });
}

const siteLock = {
  ...buildLock,
  busy: (path: string) => new BuildBusy(`${path}: another process writes this catalogue. Try again when it has ended.`),
};

export function describeSite({ directory, packages, written, removed }: SiteReport): string {
  const head = `Catalogue of ${counted(packages, 'package')} in ${directory}`;
  if (written + removed === 0) return `${head}: unchanged.`;
  return `${head}: ${counted(written, 'file')} written, ${removed} removed.`;
}
