// One version as a p2 document has it. Composer takes autoload, bin, type and requirements from here and never from the
// archive, so it is the whole composer.json, less what only the root package of a project has a use for and what is not
// the package's to say.

import type { DistRecord, VersionRecord } from '../contract/documents.ts';
import type { Reference } from '../contract/digest.ts';
import type { JsonObject } from '../contract/json.ts';
import type { PackageName } from '../contract/name.ts';
import type { NormalizedVersion } from '../contract/version.ts';

/**
 * The fields Composer's schema calls root-only and its loader never reads from a repository. `repositories` and
 * `config` name private addresses besides, and may hold credentials. scripts, require-dev and autoload-dev stay:
 * root-only as well, but loaded, written to lock files and shown.
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
  /** A package has one name in all its versions, whatever their own composer.json says. */
  readonly name: PackageName;
  /** pretty */
  readonly version: string;
  readonly normalized: NormalizedVersion;
  readonly reference: Reference;
  /** RFC 3339; undefined where unknown */
  readonly time: string | undefined;
  readonly defaultBranch: boolean;
  /**
   * of a metapackage too: Composer never fetches it, and every version has the same record and can be proved the same
   * way
   */
  readonly dist: DistRecord & JsonObject;
  /** the address of the git repository whose commit the reference is; undefined where clients are not to know it */
  readonly sourceUrl?: string | undefined;
  /** what the operator says of it, in place of what the composer.json does */
  readonly abandoned?: boolean | string | undefined;
}

/**
 * Keys stand in a fixed order: name and version, then those of the composer.json in its own order, then what we add.
 */
export function versionRecord(input: RecordInput): VersionRecord {
  const { composerJson, name, version, normalized, reference, time, defaultBranch, dist, sourceUrl, abandoned } = input;
  const own = Object.fromEntries(
    Object.entries(composerJson).filter(([field]) => !rootOnly.has(field) && !repositorysOwn.has(field)),
  );
  return {
    name,
    version,
    version_normalized: normalized,
    ...own,
    ...(abandoned === undefined ? {} : { abandoned }),
    ...(sourceUrl === undefined ? {} : { source: { type: 'git' as const, url: sourceUrl, reference } }),
    dist,
    ...(time === undefined ? {} : { time }),
    ...(defaultBranch ? { 'default-branch': true as const } : {}),
  };
}
