// One package as a caller sees it: its details, its texts, and how often it was used. Every function throws NOT_FOUND
// for a package that is not published here, or that the caller does not see.

import { RegistryError } from '../../build/contract/errors.ts';
import { parsePackageName, type PackageName } from '../../build/contract/name.ts';
import type { TextKind } from '../../build/contract/package-texts.ts';
import type { PublishedFiles } from '../core/tree/published-files.ts';
import { filterOf, type View } from '../core/views/view.ts';
import type { Catalogue } from './catalogue.ts';
import type { Downloads } from './downloads.ts';
import { readPackageDetails, type PackageDetails } from './package-details.ts';
import { readStatistics, statisticsOf, type PackageStatistics } from './package-statistics.ts';
import type { PackageSummary } from './package-summary.ts';
import type { PackageText, PackageTextReader } from './package-texts.ts';
import { readPublishedPackage } from './published-package.ts';
import { countVisible, readCounts } from './visible-counts.ts';

export interface PackageParts {
  readonly catalogue: Catalogue;
  readonly packageTexts: PackageTextReader;
  /** archives that were sent */
  readonly downloads: Downloads;
  /** installs that clients reported */
  readonly installs: Downloads;
  /** files of the served tree */
  readonly published: PublishedFiles;
}

/** Who asks, and when. */
export interface Asking {
  /** undefined: the caller sees all */
  readonly view: View | undefined;
  /** epoch milliseconds */
  readonly nowMs: number;
}

export interface DescribedPackage {
  readonly summary: PackageSummary;
  readonly details: PackageDetails;
  readonly downloads: number;
  /** published packages that require it */
  readonly dependents: readonly PackageName[];
}

/** Uses of a package on the last days. */
export interface PackageUses {
  readonly sent: PackageStatistics;
  readonly reported: PackageStatistics;
}

const dayMs = 86_400_000;

/** The name in lower case. `text`: from a request. */
export function namedPackage(text: string): PackageName {
  const name = parsePackageName(text.toLowerCase());
  if (name === undefined) throw unknown(text.toLowerCase());
  return name;
}

export async function describePackage(
  { catalogue, downloads, published }: PackageParts,
  name: PackageName,
  { view, nowMs }: Asking,
): Promise<DescribedPackage> {
  const [packages, details] = await Promise.all([
    catalogue.read(nowMs, view),
    readPackageDetails(published, name, view),
  ]);
  const summary = packages.all.get(name);
  if (summary === undefined || details === undefined) throw unknown(name);
  const counts = await readCounts(downloads, view !== undefined, name);
  return {
    summary,
    details,
    downloads: countVisible(counts, packages, view)(name),
    dependents: packages.dependentsOf(name),
  };
}

/** `days`: so many, today included. */
export async function readUses(
  { catalogue, downloads, installs, published }: PackageParts,
  name: PackageName,
  days: number,
  { view, nowMs }: Asking,
): Promise<PackageUses> {
  const since = new Date(nowMs - (days - 1) * dayMs).toISOString().slice(0, 10);
  const packages = await catalogue.read(nowMs, view);
  const [isListed, isLimited] = [packages.all.has(name), typeof filterOf(view, name) === 'function'];
  // the catalogue leaves out damaged packages; reading the package rejects with TREE_DAMAGED
  if (isLimited || (view !== undefined && !isListed)) await readPublishedPackage(published, name, view);
  if (view !== undefined && !isListed) throw unknown(name); // before the counts: a hidden package may have many
  const [sent, reported] = await Promise.all([
    readStatistics(downloads, name, since),
    readStatistics(installs, name, since),
  ]);
  if (!isListed && sent.total === 0 && reported.total === 0) {
    await readPublishedPackage(published, name);
    throw unknown(name);
  }
  if (!isLimited) return { sent, reported };
  const [visibleSent = 0, visibleReported = 0] = await Promise.all(
    [downloads, installs].map(async (counts) =>
      countVisible(await readCounts(counts, true, name), packages, view)(name),
    ),
  );
  const labels = new Set(packages.labelsOf(name));
  return {
    sent: statisticsOf(sent, labels, visibleSent),
    reported: statisticsOf(reported, labels, visibleReported),
  };
}

/** `version`: as published, or normalized; undefined: the latest. */
export async function readPackageText(
  { packageTexts }: PackageParts,
  name: PackageName,
  { kind, version }: { readonly kind: TextKind; readonly version?: string | undefined },
  view: View | undefined,
): Promise<PackageText> {
  const text = await packageTexts.read(name, kind, version, view);
  if (text !== undefined) return text;
  const what = kind === 'readme' ? 'README' : 'CHANGELOG';
  throw new RegistryError('NOT_FOUND', {
    message: `There is no ${what} of ${name}${version === undefined ? '' : ` ${version}`} here.`,
  });
}

function unknown(text: string): RegistryError {
  return new RegistryError('NOT_FOUND', { message: `There is no package ${text.slice(0, 200)} here.` });
}
