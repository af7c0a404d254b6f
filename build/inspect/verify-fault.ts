// The faults that `verify` can find.

import { NewerFormat } from '../contract/newer-format.ts';
import { publicationPath, type PublicPath } from '../contract/paths.ts';
import { purgedPath, type PurgedLookup } from '../contract/purged.ts';
import { withheldPath } from '../contract/withheld.ts';
import type { Output } from '../output/output.ts';
import { UnreadableFile } from '../output/unreadable-file.ts';

export type FaultCode =
  | 'MISSING_FILE'
  | 'MALFORMED_DOCUMENT'
  | 'MALFORMED_INDEX'
  | 'NEWER_FORMAT'
  | 'WRONG_BYTES'
  | 'BAD_ARCHIVE'
  | 'WRONG_PACKAGE'
  | 'NOT_INDEXED'
  | 'SERIAL_BEHIND'
  | 'PURGED_CONTENT'
  | 'FOREIGN_FILE';

export interface Fault {
  readonly code: FaultCode;
  /** below the data folder */
  readonly path: string;
  readonly name?: string;
  readonly version?: string;
  /** the fault and its repair */
  readonly message: string;
}

/** A remark about an intact tree. No fault. */
export interface VerifyNotice {
  /** below the data folder */
  readonly path: string;
  /** the remark, and the command that resolves it */
  readonly message: string;
}

/** A version that stays, and has the files of a purged one in another archive. No fault. */
export interface SameFiles {
  /** below the data folder */
  readonly path: string;
  readonly name: string;
  readonly version: string;
  readonly reference: string;
  /** the remark, and the command that purges it */
  readonly message: string;
}

export interface VerifyContext {
  readonly output: Output;
  readonly tombstones: PurgedLookup;
  readonly repairs: Repairs;
  /** true: checks only size and existence of archives and texts */
  readonly fast: boolean;
  /** false: a publication is running or was interrupted, and its last files may be missing */
  readonly settled: boolean;
  /** archives of a running or interrupted publication */
  readonly leftovers: ReadonlySet<PublicPath>;
}

/** A build without the manifest examines every package, and rebuilds missing files. */
const repairByComparing =
  'Remove build/manifest.json and run `libretto build`: it compares everything and writes this again.';
/** The repair of an index that documents and archives can restore. */
const repairIndex =
  'Restore it from a backup; or remove it, if it is there, and build/manifest.json and run `libretto build`, ' +
  'which derives it from the documents and the archives.';
const repairDevArchive =
  'Restore it from a backup; or remove it, if it is there, and build/manifest.json and run `libretto build`, ' +
  'which makes the archive again from its source.';

/** The repair of a fault by a build that compares everything. */
export interface Repairs {
  readonly byComparing: string;
  readonly index: string;
  readonly devArchive: string;
  /** the repair of a damaged index whose recovery a build refuses with `reason` */
  readonly refused: (reason: string) => string;
  readonly manifest: string;
}

const guards: readonly string[] = [publicationPath, purgedPath, withheldPath].map((path) => `index/${path}`);

/**
 * Without build/manifest.json a build compares everything. If the announcement or one of the two lists is lost or
 * damaged, the manifest may be the last file with the purged and withdrawn versions (I21): then it stays. `faults`: at
 * least those of these files.
 */
export function repairsBeside(faults: readonly Fault[]): Repairs {
  const damaged = guards.filter((path) => faults.some((fault) => fault.path === path));
  const first =
    `First follow the advice for ${damaged.join(' and ')}, and run \`libretto verify\` again. Until then ` +
    'build/manifest.json stays: it may be the last file that names purged and withdrawn versions.';
  return damaged.length === 0
    ? {
        byComparing: repairByComparing,
        index: repairIndex,
        devArchive: repairDevArchive,
        refused: (reason) => reason,
        manifest: 'Remove it and run `libretto build`, which compares everything and writes it again.',
      }
    : { byComparing: first, index: first, devArchive: first, refused: () => first, manifest: first };
}

/** Reads a file for a check. `unreadable`: the file exists and cannot be read, and `faults` has the error. */
export async function readOrFault<Found>(
  reading: Promise<Found>,
  place: Omit<Fault, 'message'>,
  faults: Fault[],
): Promise<Found | 'unreadable'> {
  try {
    return await reading;
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    faults.push({ ...place, message: `It ${error.predicate}` });
    return 'unreadable';
  }
}

/** `repair`: the repair of a damaged file. */
export function indexFault(error: unknown, place: Pick<Fault, 'path' | 'name'>, repair: string): Fault {
  const message = `${error instanceof Error ? error.message : String(error)}.`;
  return error instanceof NewerFormat
    ? { code: 'NEWER_FORMAT', ...place, message }
    : { code: 'MALFORMED_INDEX', ...place, message: `${message} ${repair}` };
}
