// An archive that a worker thread writes: the request and the answer. Only plain data passes between threads, so an
// error of the disk returns as code and message.

import { rmSync } from 'node:fs';
import type { Sha1 } from '../contract/digest.ts';
import { errorCode, StorageError } from '../output/storage-error.ts';
import { writeZip, type ZipContent } from './zip-writer.ts';

export interface ZipTask {
  /** the file to write; it must not exist */
  readonly target: string;
  readonly content: ZipContent;
}

export type ZipWritten =
  | { readonly shasum: Sha1 }
  /** `path` cannot be written or read */
  | { readonly refused: { readonly path: string; readonly code: string | undefined; readonly message: string } };

/** Does the work of `writeZip` in a worker of the pool. Throws StorageError. */
export async function writeZipInWorker(
  pool: { readonly writeZip: (task: ZipTask) => Promise<ZipWritten> },
  target: string,
  content: ZipContent,
): Promise<Sha1> {
  const written = await pool.writeZip({ target, content }).catch((reason: unknown) => {
    rmSync(target, { force: true });
    throw reason;
  });
  if ('shasum' in written) return written.shasum;
  const { path, code, message } = written.refused;
  throw new StorageError(path, Object.assign(new Error(message), code === undefined ? {} : { code }));
}

/** Runs in the worker. */
export async function runZipTask({ target, content }: ZipTask): Promise<ZipWritten> {
  try {
    return { shasum: await writeZip(target, content) };
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    const { path, cause } = error;
    return {
      refused: { path, code: errorCode(cause), message: cause instanceof Error ? cause.message : String(cause) },
    };
  }
}
