// The options of a source in libretto.json beyond its place. The names come from Composer and Satis.

import type { JsonObject } from '../contract/json.ts';
import type { Stability } from '../contract/stability.ts';
import { digestOf } from '../shared/text/digest-of.ts';

/** Which packages and versions are published, checked. Nothing given means no limit. */
export interface FilterOptions {
  /** name patterns, of which one must hold */
  readonly only?: readonly string[];
  /** name pattern → constraint: versions that are left out */
  readonly except?: Readonly<Record<string, string>>;
  /**
   * name pattern → constraint: of a package that a pattern stands for, only these versions. All patterns that stand for
   * it must hold.
   */
  readonly versions?: Readonly<Record<string, string>>;
  readonly 'minimum-stability'?: Stability;
  /** package name → the one that counts in its place */
  readonly 'minimum-stability-per-package'?: Readonly<Record<string, Stability>>;
}

export interface SourceOptions extends FilterOptions {
  /** of a git source: patterns of the tags and branches that are read at all; a leading `!` excludes */
  readonly tags?: readonly string[];
  readonly branches?: readonly string[];
  /** of a git source: folders that are packages of their own, at every tag and branch */
  readonly subdirectories?: readonly string[];
  /** `include`: records say where the git repository is, for clients that prefer sources */
  readonly 'reference-source'?: 'none' | 'include';
}

export const noOptions: SourceOptions = {};

/** A source of libretto.json. */
export interface ConfiguredSource {
  /** as on a command line and absolute, `git:/srv/lib.git`; of inline packages what they are */
  readonly source: string | InlinePackages;
  readonly options: SourceOptions;
  /** for messages: `sources[2]` */
  readonly where: string;
}

/** A repository of the management API: the service's own state says where it is, and how it may be reached. */
export interface RegisteredSource {
  /** `repo_…` */
  readonly id: string;
  /** as on a command line and absolute */
  readonly source: string;
  readonly options: SourceOptions;
  /**
   * what git sees in place of the builder's own environment: credentials of its own and nobody else's. Never
   * remembered, never shown.
   */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** why it is not to be read now */
  readonly refusal?: string;
}

/** Packages that stand in libretto.json itself. */
export interface InlinePackages {
  /** as Composer's repositories of type `package` have them; each has a name and a version */
  readonly packages: readonly JsonObject[];
  /** absolute: what a relative dist path is relative to */
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
