// Reads the published tree for the catalogue: the summary of each package, and a digest of its versions. The versions
// themselves are read again for the packages that changed, since those of thousands of packages need much memory.

import type { AdvisoryLists } from '../../build/contract/advisory-lists.ts';
import { isJsonObject, type JsonObject } from '../../build/contract/json.ts';
import type { PackageName } from '../../build/contract/name.ts';
import { publicationPath, rootDocumentPath } from '../../build/contract/paths.ts';
import { parsePublication } from '../../build/contract/publication.ts';
import { runBatch } from '../../build/shared/concurrency/batch.ts';
import { UnusableFile } from '../../build/shared/files/unusable-file.ts';
import { digestOf } from '../../build/shared/text/digest-of.ts';
import { listShortly } from '../../build/shared/text/list-shortly.ts';
import { readPublishedNames } from '../../proxy/packages/catalogue.ts';
import {
  latestOf,
  linkKinds,
  linksOf,
  listedVersions,
  summaryOf,
  textOf,
  type PackageSummary,
} from '../../proxy/packages/package-summary.ts';
import { readVersions, type PublishedVersion } from '../../proxy/packages/published-package.ts';
import { readAdvisoryLists } from '../../proxy/core/tree/published-advisories.ts';
import { parsePublished, type PublishedFiles } from '../../proxy/core/tree/published-files.ts';

export interface TreePackage {
  readonly summary: PackageSummary;
  /** of all facts of its versions */
  readonly digest: string;
  /** the names that its latest version links to */
  readonly links: readonly string[];
}

export interface SiteTree {
  readonly serial: number;
  /** RFC 3339 */
  readonly publishedAt: string;
  /** of the registry, in packages.json */
  readonly name: string | undefined;
  readonly description: string | undefined;
  /** sorted by name */
  readonly packages: ReadonlyMap<PackageName, TreePackage>;
  readonly lists: AdvisoryLists;
}

/** Enough for the disk to be busy while a package is parsed. */
const packagesAtOnce = 16;

/**
 * Rejects with UnusableFile if a file of the tree is damaged: a catalogue without a package would say that it is gone.
 */
export async function readTree(files: PublishedFiles): Promise<SiteTree> {
  const [publication, lists, [root], names] = await Promise.all([
    readSitePublication(files),
    readAdvisoryLists(files),
    parsePublished(files, `public/${rootDocumentPath}`, (text) => [JSON.parse(text) as unknown]),
    readPublishedNames(files),
  ]);
  const described = isJsonObject(root) ? root : {};
  return {
    serial: publication.serial,
    publishedAt: publication.published_at,
    name: textOf(described['name']) ?? undefined,
    description: textOf(described['description']) ?? undefined,
    packages: await readPackages(files, names),
    lists,
  };
}

/** The announcement. Rejects with UnusableFile. */
export async function readSitePublication(files: PublishedFiles) {
  const [publication] = await parsePublished(files, `index/${publicationPath}`, (text) => [parsePublication(text)]);
  if (publication === undefined) throw new UnusableFile(`index/${publicationPath} is missing; run \`libretto verify\``);
  return publication;
}

async function readPackages(
  files: PublishedFiles,
  names: readonly PackageName[],
): Promise<ReadonlyMap<PackageName, TreePackage>> {
  const packages = new Map<PackageName, TreePackage>();
  const damaged: PackageName[] = [];
  const found = await runBatch(names, packagesAtOnce, (name) => readPackage(files, name));
  for (const [at, name] of names.entries()) {
    const one = found[at];
    if (one === undefined) damaged.push(name);
    else packages.set(name, one);
  }
  if (damaged.length > 0)
    throw new UnusableFile(
      `The catalogue was not written, because files of ${listShortly(damaged)} are missing or damaged; ` +
        'run `libretto verify`',
    );
  return packages;
}

/** undefined: a file of it is missing or damaged; `verify` names the fault. */
async function readPackage(files: PublishedFiles, name: PackageName): Promise<TreePackage | undefined> {
  const read = await readVersions(files, name).catch(() => undefined);
  return read === undefined || read.faults.length > 0 || !read.isWhole ? undefined : packageOf(name, read.versions);
}

function packageOf(name: PackageName, versions: readonly PublishedVersion[]): TreePackage | undefined {
  const summary = summaryOf(name, listedVersions(versions));
  const record: JsonObject = latestOf(versions)?.record ?? {};
  const links = linkKinds.flatMap((kind) => Object.keys(linksOf(record, kind)));
  return summary && { summary, digest: digestOf(JSON.stringify(versions)), links };
}
