// Reads what every page about one published package shows.

import type { Child } from 'hono/jsx';
import { advisoriesOf, type PackageAdvisories } from '../../../../build/contract/advisory-lists.ts';
import { RegistryError, undefinedIf } from '../../../../build/contract/errors.ts';
import { parsePackageName, type PackageName } from '../../../../build/contract/name.ts';
import { UnusableFile } from '../../../../build/shared/files/unusable-file.ts';
import type { WhyAnswer } from '../../../../build/contract/why.ts';
import type { PublishedPackages } from '../../../packages/catalogue.ts';
import { describedBy, readPackageDetails, type PackageDetails } from '../../../packages/package-details.ts';
import {
  latestOf,
  listedVersions,
  summaryAt,
  summaryOf,
  type PackageSummary,
} from '../../../packages/package-summary.ts';
import type { PublishedVersion } from '../../../packages/published-package.ts';
import { malwareByPackage, type WithMalware } from '../../../usage/read-exposures.ts';
import type { PageRequest, PageView } from '../../frame/definitions.ts';
import type { Inspection } from '../../../inspection/inspection.ts';
import type { Mirror } from '../../../mirror/mirror.ts';
import type { MirrorReport } from '../../../mirror/mirror-report.ts';
import type { MirroredCatalogue } from '../../../mirror/mirrored-catalogue.ts';
import type { Downloads } from '../../../packages/downloads.ts';
import type { PackageTextReader } from '../../../packages/package-texts.ts';
import type { Restorations } from '../../../packages/restorations.ts';
import type { Withdrawals } from '../../../packages/withdrawals.ts';
import type { PublishedAdvisories } from '../../../core/tree/published-advisories.ts';
import type { Block, BlockedVersions, FindBlock } from '../../../policy/admin/package-standing.ts';
import type { PolicyAdmin } from '../../../policy/admin/policy-admin.ts';
import type { Actor } from '../../../state/audit.ts';
import type { UsageServices } from '../../../usage/read-usage.ts';
import { blockOfAll, latestOffered } from './blocked-releases.tsx';

export interface PackagePageServices extends UsageServices {
  readonly packageTexts: PackageTextReader;
  readonly downloads: Downloads;
  /** undefined: this server has no packages of other registries */
  readonly mirrored: MirroredCatalogue | undefined;
  /** what is stored of mirrored packages */
  readonly mirror: Pick<Mirror, 'settings' | 'archiveStore'> | undefined;
  /** what is held back of them */
  readonly mirrorReport: Pick<MirrorReport, 'packageOf' | 'archives'> | undefined;
  readonly inspection: () => Promise<Inspection>;
  readonly withdrawalsOf: (actor: Actor) => Withdrawals;
  readonly restorationsOf: (actor: Actor) => Restorations;
  readonly policyAdmin: PolicyAdmin;
  readonly advisories: PublishedAdvisories;
  readonly blockedVersions: BlockedVersions;
}

export interface OpenPackage extends WithMalware {
  readonly name: PackageName;
  readonly summary: PackageSummary;
  readonly details: PackageDetails;
  /** the latest version that people get; where they get none, the latest there is */
  readonly latest: PublishedVersion;
  /** people get no version; undefined: they get the latest, or the page is stored */
  readonly block?: Pick<Block, 'isHeld'> | undefined;
  /** of rules of the policy; a stored page knows none */
  readonly blockOf: FindBlock;
  /** all published packages */
  readonly packages: Pick<PublishedPackages, 'all'>;
  /** the published packages that require it, sorted */
  readonly dependents: readonly PackageName[];
  readonly advisories: PackageAdvisories;
  /** every known content of the package; undefined: the folder of the builder is on another host */
  readonly explanation: WhyAnswer | undefined;
  /** true: the visitor sees only the packages of teams, and learns nothing of sources, reasons and what was left out */
  readonly isLimited?: boolean;
  /** true: the visitor may know who uses the package */
  readonly seesUsage?: boolean;
  /** true: its archives are stored on this host */
  readonly hasFiles?: boolean;
}

/** The name in the path, in lower case. Throws NOT_FOUND. */
export function nameIn({ param }: Pick<PageRequest, 'param'>): PackageName {
  const text = `${param('vendor')}/${param('package')}`.toLowerCase();
  const name = parsePackageName(text);
  if (name === undefined)
    throw new RegistryError('NOT_FOUND', { message: `${text.slice(0, 200)} is not the name of a package.` });
  return name;
}

/** undefined: nothing is published under this name. Throws RegistryError TREE_DAMAGED. */
export async function openPackage(
  services: PackagePageServices,
  name: PackageName,
  { nowMs, caller, may, hasBuilder }: Pick<PageRequest, 'nowMs' | 'caller' | 'may' | 'hasBuilder'>,
): Promise<OpenPackage | undefined> {
  const { catalogue, published, advisories } = services;
  const view = caller?.view;
  const [packages, found, lists, explanation, malware, blockOf] = await reportDamage(
    Promise.all([
      catalogue.read(nowMs, view),
      readPackageDetails(published, name, view),
      advisories.read(nowMs),
      view === undefined ? explainPackage(services, name) : undefined,
      malwareByPackage(services, view),
      services.blockedVersions(name, nowMs),
    ]),
  );
  const details = found === undefined || view === undefined ? found : { ...found, sources: [], quarantined: [] };
  if (details === undefined) return undefined;
  const known = { malware: malware.get(name), advisories: advisoriesOf(lists, name) };
  const offered = latestOffered(details.versions, blockOf, known);
  const latest = offered ?? latestOf(details.versions);
  const summary = packages.all.get(name) ?? summaryOf(name, listedVersions(details.versions));
  if (latest === undefined || summary === undefined) return undefined;
  return {
    ...known,
    name,
    summary: summaryAt(summary, latest),
    details: { ...details, ...describedBy(latest.record) },
    latest,
    block: offered === undefined ? blockOfAll(details.versions, blockOf) : undefined,
    blockOf,
    packages,
    dependents: packages.dependentsOf(name).filter((dependent) => dependent !== name),
    explanation,
    isLimited: view !== undefined,
    seesUsage: may('getUsage'),
    hasFiles: hasBuilder,
  };
}

/** A damaged file of the tree becomes a page that says so. */
export async function reportDamage<Value>(reading: Promise<Value>): Promise<Value> {
  try {
    return await reading;
  } catch (cause) {
    if (cause instanceof UnusableFile)
      throw new RegistryError('TREE_DAMAGED', {
        message: `A file of this package is damaged: ${cause.message}.`,
        cause,
      });
    throw cause;
  }
}

/** The path or the address of the source that published a version; undefined: the source is forgotten. */
export function sourceOf(
  { details, explanation }: Pick<OpenPackage, 'details' | 'explanation'>,
  { entry }: PublishedVersion,
): string | undefined {
  const known = explanation?.versions.find(
    ({ version, reference }) => version === entry.version && reference === entry.reference,
  );
  return known?.source ?? details.sources.find(({ id }) => id === entry.source)?.location;
}

/** A page about the package. */
export function packageView(title: string, content: Child): PageView {
  return { title, section: 'packages', content };
}

/** The way to a page about the package. */
export function packageTrail(name: string) {
  return [
    { label: 'Packages', to: '/packages' },
    { label: name, to: packagePath(name) },
  ];
}

/** The address of a page about the package. `page`: such as `versions`; empty for the overview. */
export function packagePath(name: string, page = '', query: Readonly<Record<string, string>> = {}): string {
  const asked = new URLSearchParams(query).toString();
  return `/packages/${name}${page === '' ? '' : `/${page}`}${asked === '' ? '' : `?${asked}`}`;
}

/** undefined: the folder of the builder is on another host. Throws RegistryError TREE_DAMAGED. */
export async function explainPackage(
  { inspection }: Pick<PackagePageServices, 'inspection'>,
  name: PackageName,
  version?: string,
): Promise<WhyAnswer | undefined> {
  return (await inspection()).why.explain(name, version).catch(undefinedIf('NOT_AVAILABLE'));
}
