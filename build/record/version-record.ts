// One version in a p2 document. Composer takes autoload, bin, type and requirements from the document and never from
// the archive. So the record has the whole composer.json, without the fields that only root packages use or that the
// registry sets.

import type { DistRecord, VersionRecord } from '../contract/documents.ts';
import type { Reference } from '../contract/digest.ts';
import type { JsonObject } from '../contract/json.ts';
import type { PackageName } from '../contract/name.ts';
import type { NormalizedVersion } from '../contract/version.ts';

/**
 * The fields Composer's schema calls root-only and its loader never reads from a repository. `repositories` and
 * `config` also name private addresses, and may hold credentials.
 */
const rootOnly: ReadonlySet<string> = new Set([
  'repositories',
  'config',
  'minimum-stability',
  'prefer-stable',
  'non-feature-branches',
  'scripts-descriptions',
  'scripts-aliases',
]);

/**
 * Fields that only a repository may set. In a composer.json they would redirect downloads and notifications, or stop
 * the client.
 */
const repositorysOwn: ReadonlySet<string> = new Set([
  'name',
  'version',
  'version_normalized',
  'dist',
  'source',
  'time',
  'published-time',
  'default-branch',
  'installation-source',
  'notification-url',
  'transport-options',
]);

export interface RecordInput {
  /** checked */
  readonly composerJson: JsonObject;
  /** A package has the same name in all its versions, even if a composer.json has another name. */
  readonly name: PackageName;
  /** pretty */
  readonly version: string;
  readonly normalized: NormalizedVersion;
  readonly reference: Reference;
  /** RFC 3339; undefined if unknown */
  readonly time: string | undefined;
  readonly defaultBranch: boolean;
  /**
   * Metapackages have a dist too. Composer never fetches it, but every version then has the same record and the same
   * proof.
   */
  readonly dist: DistRecord & JsonObject;
  /**
   * the address of the git repository that has the commit of the reference; undefined: clients do not get the address
   */
  readonly sourceUrl?: string | undefined;
  /** the operator's value, which replaces the value of the composer.json */
  readonly abandoned?: boolean | string | undefined;
}

/**
 * Keys have a fixed order: name and version, then the composer.json in its own order, then the keys of the registry.
 */
export function versionRecord(input: RecordInput): VersionRecord {
  const { composerJson, name, version, normalized, reference, time, defaultBranch, dist, sourceUrl, abandoned } = input;
  return {
    name,
    version,
    version_normalized: normalized,
    ...ownFields(composerJson),
    ...(abandoned === undefined ? {} : { abandoned }),
    ...(sourceUrl === undefined ? {} : { source: { type: 'git' as const, url: sourceUrl, reference } }),
    dist,
    ...(time === undefined ? {} : { time }),
    ...(defaultBranch ? { 'default-branch': true as const } : {}),
  };
}

/** The fields of a composer.json, or of a record, that the package itself decides. */
export function ownFields(json: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(json).filter(([field]) => !rootOnly.has(field) && !repositorysOwn.has(field)),
  );
}
