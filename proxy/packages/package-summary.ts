// One package as lists and searches know it, pure.

import { isJsonObject, type JsonObject, type JsonValue } from '../../build/contract/json.ts';
import type { PackageName } from '../../build/contract/name.ts';
import { parseStability } from '../../build/contract/stability.ts';
import type { PublishedVersion } from './published-package.ts';

export interface PackageSummary {
  readonly name: PackageName;
  readonly description: string | null;
  readonly type: string;
  readonly keywords: readonly string[];
  /** true, or what to use instead */
  readonly abandoned: boolean | string;
  /** the newest stable version, or the newest there is */
  readonly latest_version: string;
  readonly versions: number;
  /** when a version of it was last published here, RFC 3339 UTC */
  readonly updated_at: string;
  /** names that any of its versions requires */
  readonly requires: ReadonlySet<string>;
  /** lower case: what a search looks in */
  readonly text: string;
}

/** undefined of no versions. `versions`: newest first. */
export function summaryOf(name: PackageName, versions: readonly PublishedVersion[]): PackageSummary | undefined {
  const latest = latestOf(versions);
  if (latest === undefined) return undefined;
  const { record, entry } = latest;
  const description = textOf(record['description']);
  const keywords = textsOf(record['keywords']);
  return {
    name,
    description,
    type: textOf(record['type'])?.toLowerCase() ?? 'library',
    keywords,
    abandoned: typeof record['abandoned'] === 'string' ? record['abandoned'] : record['abandoned'] === true,
    latest_version: entry.version,
    versions: versions.length,
    updated_at: versions.reduce((last, { entry: { since } }) => (since > last ? since : last), ''),
    requires: new Set(versions.flatMap((version) => Object.keys(linksOf(version.record, 'require')).map((required) => required.toLowerCase()))),
    text: [name, description ?? '', ...keywords].join('\n').toLowerCase(),
  };
}

/** The newest stable version, or the newest there is. */
export function latestOf(versions: readonly PublishedVersion[]): PublishedVersion | undefined {
  return versions.find(({ entry }) => parseStability(entry.version_normalized) === 'stable') ?? versions[0];
}

/** Name → constraint. */
export function linksOf(record: JsonObject, kind: 'require' | 'require-dev'): Readonly<Record<string, string>> {
  const links = record[kind];
  return isJsonObject(links) ? Object.fromEntries(Object.entries(links).filter((pair): pair is [string, string] => typeof pair[1] === 'string')) : {};
}

export function textOf(value: JsonValue | undefined): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

export function textsOf(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]).filter((item) => typeof item === 'string') : [];
}
