// Serializes records to the bytes of the documents. Equal records give equal bytes, in any order and over any number
// of builds. Pure.

import { inBranchOrder } from './branch-order.ts';
import {
  distMirrors,
  matchesNothingPattern,
  type DistRecord,
  type ProviderDocument,
  type RootDocument,
  type VersionRecord,
} from '../contract/documents.ts';
import { isJsonObject, type JsonObject } from '../contract/json.ts';
import type { PackageName } from '../contract/name.ts';
import {
  noAdvisories,
  advisoryKeys,
  advisoryRootKeys,
  type PackageAdvisories,
  type AdvisoryLists,
} from '../contract/advisory-lists.ts';
import { compareNormalized } from '../contract/ordering.ts';
import type { DocumentStamp, IndexEntry } from '../contract/serving-index.ts';
import { isDevVersion, type NormalizedVersion } from '../contract/version.ts';
import { digestOf } from '../shared/text/digest-of.ts';
import type { DocumentSettings } from './document-settings.ts';
import { publishedTimeOf } from './published-time.ts';
import { readJson, writeJson } from '../record/exact-integers.ts';

/** One version in a document: its record, and its entry in the serving index of this publication. */
export interface DocumentVersion {
  readonly record: VersionRecord;
  readonly entry: Pick<IndexEntry, 'branch' | 'first_published' | 'since'>;
}

/** The bytes of packages.json. */
export function formatRoot(
  names: readonly PackageName[],
  settings: DocumentSettings,
  advisories: AdvisoryLists = noAdvisories,
): string {
  const root: RootDocument = {
    packages: {},
    ...settings.about,
    'metadata-url': settings.metadataUrl,
    'available-packages': names.toSorted(),
    ...(names.length === 0 ? { 'available-package-patterns': [matchesNothingPattern] } : {}),
    ...(settings.distBaseUrl === undefined ? { mirrors: distMirrors(settings.publicPath) } : {}),
    ...advisoryRootKeys(advisories),
  };
  return `${JSON.stringify(root)}\n`;
}

/**
 * The bytes of both documents of a package: releases with the newest first, dev versions in Composer's order
 * (branch-order.ts). `dev` is undefined if no version is a dev version: Composer takes a 404 for that. Throws for two
 * records of one version, because Composer would take either. The plan prevents this; the check stops the publication
 * should the plan fail.
 */
export function formatProviders(
  name: PackageName,
  versions: readonly DocumentVersion[],
  advisories?: PackageAdvisories,
): { readonly stable: string; readonly dev: string | undefined } {
  if (new Set(versions.map(({ record }) => record.version_normalized)).size < versions.length)
    throw new Error(`${name} has two records of one version`);
  const isDev = ({ record }: DocumentVersion): boolean => isDevVersion(record.version_normalized);
  const dev = inBranchOrder(versions.filter(isDev)).map(publishedRecord);
  const stable = versions
    .filter((version) => !isDev(version))
    .map(publishedRecord)
    .toSorted((one, other) =>
      compareNormalized(other.version_normalized as NormalizedVersion, one.version_normalized as NormalizedVersion),
    );
  const advisoryFields = advisories === undefined ? {} : advisoryKeys(advisories);
  return {
    stable: formatProvider(name, stable, advisoryFields),
    dev: dev.length === 0 ? undefined : formatProvider(name, dev, advisoryFields),
  };
}

/** Adds the publication date of the serving index to the record. `published-time` is the last key of every record. */
export function publishedRecord({ record, entry }: DocumentVersion): VersionRecord {
  const { 'published-time': _former, ...rest } = record;
  return { ...rest, 'published-time': publishedTimeOf(entry) };
}

function formatProvider(name: PackageName, records: readonly VersionRecord[], said: JsonObject): string {
  const document: ProviderDocument = {
    packages: { [name]: Object.fromEntries(records.map((record) => [record.version, record])) },
    ...said,
  };
  return `${writeJson(document)}\n`;
}

/** The records of a document of this registry. Throws an Error with the fault; the caller names the file. */
export function parseProvider(text: string, name: PackageName): readonly VersionRecord[] {
  const json = readJson(text);
  const packages = isJsonObject(json) ? json['packages'] : undefined;
  const versions = isJsonObject(packages) ? packages[name] : undefined;
  if (!isJsonObject(versions)) throw new Error(`it has no versions of ${name}`);
  return Object.values(versions).map((record) => {
    if (
      !isJsonObject(record) ||
      typeof record['version'] !== 'string' ||
      typeof record['version_normalized'] !== 'string' ||
      !isJsonObject(record['dist'])
    )
      throw new Error(`a version of ${name} is malformed`);
    return record as VersionRecord;
  });
}

/** The dist of a version under these settings. */
export function distOf(
  name: PackageName,
  entry: Pick<IndexEntry, 'version' | 'version_normalized' | 'reference' | 'shasum'>,
  settings: DocumentSettings,
): DistRecord & JsonObject {
  const checked = settings.distShasum === 'always' || !isDevVersion(entry.version_normalized);
  return {
    type: 'zip',
    url: distUrl(name, entry.version, settings),
    reference: entry.reference,
    ...(checked ? { shasum: entry.shasum } : {}),
  };
}

/**
 * `dist.url` of a version. An absolute one is percent-encoded, because clients would otherwise truncate it, and names
 * the reference that Composer fills in.
 */
export function distUrl(name: PackageName, version: string, settings: DocumentSettings): string {
  if (settings.distBaseUrl === undefined) return `/dist/${name}/${version}.zip`;
  return `${settings.distBaseUrl}/dist/${name}/${encodeURI(version).replaceAll('#', '%23').replaceAll('?', '%3F')}.zip?ref=%reference%`;
}

/**
 * The stamp of a document after this build. `known`: every stamp that readers may have seen, also from an interrupted
 * publication. Unchanged bytes keep their stamp, unless other bytes have an equal or later date. Otherwise
 * Last-Modified rises above all known dates, by whole seconds: a date never identifies two contents (I19).
 */
export function stampDocument(
  known: readonly DocumentStamp[],
  bytes: string | undefined,
  nowSeconds: number,
): DocumentStamp | null {
  const sha256 = bytes === undefined ? null : digestOf(bytes);
  const newest = latest(known);
  if (newest === undefined) return sha256 === null ? null : { last_modified: nowSeconds, sha256 };
  const same = latest(known.filter((stamp) => stamp.sha256 === sha256));
  const other = latest(known.filter((stamp) => stamp.sha256 !== sha256));
  if (same !== undefined && (other === undefined || same.last_modified > other.last_modified)) return same;
  return { last_modified: Math.max(nowSeconds, newest.last_modified + 1), sha256 };
}

/** The first of several that are equally late. */
function latest(stamps: readonly DocumentStamp[]): DocumentStamp | undefined {
  return stamps.reduce<DocumentStamp | undefined>(
    (found, stamp) => (found === undefined || stamp.last_modified > found.last_modified ? stamp : found),
    undefined,
  );
}
