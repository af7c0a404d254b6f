// The port to the output of a build. Every method that changes something is one storage operation: a test can make any
// of them fail or be the last one before a kill. Files appear under their final name only by an atomic rename of a
// staged, fsynced file.

import type { Sha1 } from '../contract/digest.ts';
import type { PublicPath } from '../contract/paths.ts';

/** `public`: the served tree. `index`: the serving index. `build`: the builder's own memory. */
export type OutputArea = 'public' | 'index' | 'build';

/** A complete file that no reader can see yet. */
export interface StagedFile {
  readonly path: string;
}

export interface FileFacts {
  readonly size: number;
  /** whole epoch seconds */
  readonly lastModified: number;
  /** equal for two names of one file */
  readonly inode: bigint;
}

export interface Output {
  /** undefined if there is no such file. */
  readonly read: (area: OutputArea, path: string) => Promise<string | undefined>;
  readonly facts: (area: OutputArea, path: string) => Promise<FileFacts | undefined>;
  /** Hex SHA-1 of a file's bytes; undefined if there is no such file. */
  readonly sha1: (area: OutputArea, path: string) => Promise<Sha1 | undefined>;
  /**
   * The absolute path of a public file, for readers that need a path. Throws ArchivesNeeded if only an object store has
   * the file.
   */
  readonly locate: (path: PublicPath) => Promise<string>;
  /** All files below a folder, relative to the area, sorted. */
  readonly list: (area: OutputArea, folder: string) => Promise<readonly string[]>;

  /** A unique path in the staging folder, for a writer that makes the file itself. */
  readonly stagingPath: () => string;
  readonly stage: (bytes: string) => Promise<StagedFile>;
  /** Makes staged files durable. */
  readonly settle: (files: readonly StagedFile[]) => Promise<void>;

  /**
   * Moves a settled file to its name, replacing any existing file. `lastModified` (epoch seconds) becomes its mtime.
   */
  readonly publish: (file: StagedFile, area: OutputArea, path: string, lastModified?: number) => Promise<void>;
  /** Gives a published file a second name, replacing any existing file. */
  readonly alias: (from: string, to: string) => Promise<void>;
  /**
   * Gives a file a second name below `build`, which stays when another file replaces the first name. Replaces any
   * existing file.
   */
  readonly keep: (area: OutputArea, from: string, to: string) => Promise<void>;
  readonly remove: (area: OutputArea, path: string) => Promise<void>;
  /** Makes all renames so far durable: the border between two phases of a publication. */
  readonly barrier: () => Promise<void>;
  /** Removes all staged files, from this build or a killed one. */
  readonly discard: () => Promise<void>;
}
