// Writes the files of `libretto init`: all of them, or none. An existing file is never replaced.

import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

import { storageAdvice, storageFaultOf } from '../../build/contract/storage-fault.ts';
import { UsageError } from '../io/usage-error.ts';

export interface NewFile {
  /** absolute */
  readonly path: string;
  readonly text: string;
}

/** Throws UsageError for files that exist. `advice` names the way around each. */
export function refuseExisting(paths: readonly string[], advice: string): void {
  const existing = paths.filter((path) => existsSync(path));
  if (existing.length > 0)
    throw new UsageError(
      `${existing.join(', ')} ${existing.length === 1 ? 'exists' : 'exist'} already, and is not replaced. ${advice}`,
    );
}

/** Throws UsageError, after removing the files that were written, if one cannot be written. */
export function writeAll(files: readonly NewFile[]): void {
  const written: string[] = [];
  for (const { path, text } of files) {
    try {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text, { flag: 'wx' });
      written.push(path);
    } catch (error) {
      for (const one of written) rmSync(one, { force: true });
      if (!(error instanceof Error && 'code' in error)) throw error;
      const reason = storageFaultOf(error) === undefined ? `${error.message}.` : storageAdvice(error);
      throw new UsageError(`${path} cannot be written: ${reason} No file was written.`, { cause: error });
    }
  }
}
