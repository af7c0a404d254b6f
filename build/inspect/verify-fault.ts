// The faults that `verify` can find.

import { NewerFormat } from '../contract/newer-format.ts';
import type { PurgedLookup } from '../contract/purged.ts';
import type { Output } from '../output/output.ts';

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
  /** what is wrong and what repairs it */
  readonly message: string;
}

/** What somebody should know of a tree that is whole. No fault. */
export interface Notice {
  /** below the data folder */
  readonly path: string;
  /** what it is, and the command that settles it */
  readonly message: string;
}

/** A version that stays, and has the files of a purged one in another archive. No fault. */
export interface SameFiles {
  /** below the data folder */
  readonly path: string;
  readonly name: string;
  readonly version: string;
  readonly reference: string;
  /** what it is, and the command that purges it */
  readonly message: string;
}

export interface VerifyContext {
  readonly output: Output;
  readonly tombstones: PurgedLookup;
  /** of archives and texts size and existence only */
  readonly fast: boolean;
  /** false: a publication is under way or was cut off, and what comes last in it may not be there yet */
  readonly settled: boolean;
}

/** A build that does not find what it remembers looks at every package, and makes again what it can. */
export const repairByComparing =
  'Remove build/manifest.json and run `libretto build`: it compares everything and writes this again.';
export const repairIndex =
  'Restore it from a backup; or remove it and build/manifest.json and run `libretto build`, ' +
  'which derives it from the documents and the archives.';

/** `repair`: what is done about one that is damaged. */
export function indexFault(error: unknown, place: Pick<Fault, 'path' | 'name'>, repair: string): Fault {
  const message = `${error instanceof Error ? error.message : String(error)}.`;
  return error instanceof NewerFormat
    ? { code: 'NEWER_FORMAT', ...place, message }
    : { code: 'MALFORMED_INDEX', ...place, message: `${message} ${repair}` };
}
