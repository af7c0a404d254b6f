// Collects all details of one package for people.

import type { PackageName } from '../../build/contract/name.ts';
import { publicationPath } from '../../build/contract/paths.ts';
import { isJsonObject, type JsonObject } from '../../build/contract/json.ts';
import { parsePublication, type PublishedSource } from '../../build/contract/publication.ts';
import { parseQuarantined, quarantinedPath, type QuarantinedVersion } from '../../build/contract/quarantined.ts';
import { latestOf, linksOf, textOf, textsOf } from './package-summary.ts';
import type { View } from '../core/views/view.ts';
import { parsePublished, type PublishedFiles } from '../core/tree/published-files.ts';
import { readPublishedPackage, type PublishedVersion } from './published-package.ts';

export interface PackageDetails {
  readonly license: readonly string[];
  /** only links that are safe for browsers */
  readonly links: Readonly<Record<string, string>>;
  /** newest first */
  readonly versions: readonly PublishedVersion[];
  /** the sources of its versions */
  readonly sources: readonly PublishedSource[];
  /** versions of it that were left out */
  readonly quarantined: readonly QuarantinedVersion[];
}

/** The details within `view`; undefined if nothing is published under this name. */
export async function readPackageDetails(
  files: PublishedFiles,
  name: PackageName,
  view?: View,
): Promise<PackageDetails | undefined> {
  const versions = await readPublishedPackage(files, name, view);
  const latest = latestOf(versions)?.record;
  if (latest === undefined) return undefined;
  const [sources, quarantined] = await Promise.all([
    parsePublished(files, `index/${publicationPath}`, (text) => parsePublication(text).sources),
    parsePublished(files, `index/${quarantinedPath}`, parseQuarantined),
  ]);
  const own = new Set(versions.map(({ entry }) => entry.source));
  return {
    ...describedBy(latest),
    versions,
    sources: sources.filter(({ id }) => own.has(id)),
    quarantined: quarantined.filter((row) => row.name === name),
  };
}

/** `record`: of the latest version. */
export function describedBy(record: JsonObject): Pick<PackageDetails, 'license' | 'links'> {
  const { license } = record;
  return { license: typeof license === 'string' ? [license] : textsOf(license), links: linksFor(record) };
}

function linksFor(record: JsonObject): Readonly<Record<string, string>> {
  const support = isJsonObject(record['support']) ? record['support'] : {};
  const all: readonly [string, string | null][] = [
    ['homepage', textOf(record['homepage'])],
    ...Object.entries(support).map(([kind, value]): [string, string | null] => [
      kind,
      kind === 'email' && typeof value === 'string' ? `mailto:${value}` : textOf(value),
    ]),
  ];
  return Object.fromEntries(
    all.filter((link): link is [string, string] => link[1] !== null && /^(?:https?:\/\/|mailto:)/i.test(link[1])),
  );
}

/** The requirements of a version: name → constraint. */
export function requirementsOf({ record }: PublishedVersion): {
  readonly requires: Readonly<Record<string, string>>;
  readonly dev_requires: Readonly<Record<string, string>>;
} {
  return { requires: linksOf(record, 'require'), dev_requires: linksOf(record, 'require-dev') };
}
