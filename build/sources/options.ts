// The options of a source in libretto.json beyond its place. The names come from Composer and Satis.

import type { JsonObject } from '../contract/json.ts';
import type { Stability } from '../contract/stability.ts';
import { digestOf } from '../shared/text/digest-of.ts';

/** Checked limits on the packages and versions that a source publishes. An absent option means no limit. */
export interface FilterOptions {
  /** name patterns, of which one must hold */
  readonly only?: readonly string[];
  /** name pattern → constraint: versions that are left out */
  readonly except?: Readonly<Record<string, string>>;
  /**
   * name pattern → constraint: for a package that the pattern matches, only these versions. If several patterns match,
   * all their constraints must hold.
   */
  readonly versions?: Readonly<Record<string, string>>;
  readonly 'minimum-stability'?: Stability;
  /** package name → the stability that replaces `minimum-stability` */
  readonly 'minimum-stability-per-package'?: Readonly<Record<string, Stability>>;
}

export interface SourceOptions extends FilterOptions {
  /** git sources: patterns of the tags and branches to read; a leading `!` excludes */
  readonly tags?: readonly string[];
  readonly branches?: readonly string[];
  /** git sources: folders that are packages, at every tag and branch */
  readonly subdirectories?: readonly string[];
  /** `include`: records name the git repository, for clients that prefer sources */
  readonly 'reference-source'?: 'none' | 'include';
}

export const noOptions: SourceOptions = {};

/** A source of libretto.json. */
export interface ConfiguredSource {
  /** an absolute path with its prefix, as on a command line, `git:/srv/lib.git`; or the inline packages */
  readonly source: string | InlinePackages;
  readonly options: SourceOptions;
  /** for messages: `sources[2]` */
  readonly where: string;
}

/** A repository of the management API: the service's state has its location and its access. */
export interface RegisteredSource {
  /** `repo_…` */
  readonly id: string;
  /** absolute, in the form of the command line */
  readonly source: string;
  readonly options: SourceOptions;
  /** replaces the environment of git: it has only the credentials of this repository. Never stored, never shown. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** the reason why the source must not be read now */
  readonly refusal?: string;
}

/** Packages defined in libretto.json itself. */
export interface InlinePackages {
  /** the objects of Composer's repositories of type `package`; each has a name and a version */
  readonly packages: readonly JsonObject[];
  /** absolute: the base of relative dist paths */
  readonly directory: string;
  /** for messages: `libretto.json: sources[2]` */
  readonly where: string;
}

/** All name patterns of these options, each once. */
export function patternsOf({
  only = [],
  except = {},
  versions = {},
  'minimum-stability-per-package': stabilities = {},
}: FilterOptions): readonly string[] {
  return [...new Set([...only, ...Object.keys(except), ...Object.keys(versions), ...Object.keys(stabilities)])];
}

/**
 * Differs as soon as the options would give other versions, other archives or other records. Empty for none. `excludes`
 * act on every source that is archived here.
 */
export function digestOptions(options: SourceOptions, excludes: readonly string[]): string {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  if (given.length === 0 && excludes.length === 0) return '';
  return digestOf(JSON.stringify([given.toSorted(([one], [other]) => (one < other ? -1 : 1)), excludes])).slice(0, 32);
}
