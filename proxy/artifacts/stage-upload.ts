// Writes an upload to a staging file, one chunk in memory at a time, within a size limit and a time limit. An upload
// that ends early leaves no file behind.

import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { artifactsFolder, stagedUploadName, stagingFolder } from '../../build/contract/artifact-files.ts';
import { RegistryError } from '../../build/contract/errors.ts';
import { folderFault } from '../../build/shared/files/folder-fault.ts';
import type { ThroughputWatch } from '../../build/shared/concurrency/throughput-floor.ts';

export const mostUploadBytes = 256 * 1024 * 1024;
export const longestUploadMs = 300_000;

export interface UploadedFile {
  /** absolute */
  readonly path: string;
  readonly size: number;
  /** lower-case hex */
  readonly sha256: string;
}

/**
 * Resolves after all of `source` is durably in a file. Throws RegistryError BODY_TOO_LARGE, REQUEST_TIMEOUT, or
 * BAD_REQUEST for a source that broke off. `signal` aborts with its reason. `speed` receives the number of arrived
 * bytes.
 */
export async function stageUpload(
  source: Readable,
  dataDirectory: string,
  { signal, speed }: { readonly signal: AbortSignal; readonly speed: ThroughputWatch },
): Promise<UploadedFile> {
  const folder = join(dataDirectory, artifactsFolder, stagingFolder);
  await mkdir(folder, { recursive: true, mode: 0o700 }).catch((error: unknown) =>
    Promise.reject(folderFault(error, folder)),
  );
  const path = join(folder, stagedUploadName(process.pid, randomUUID()));
  const handle = await open(path, 'wx', 0o600);
  try {
    const hash = createHash('sha256');
    let size = 0;
    for await (const piece of abortable(source, signal)) {
      size += piece.length;
      if (size > mostUploadBytes) throw tooLarge();
      speed.arrived(piece.length);
      hash.update(piece);
      speed.waiting(true); // for the disk
      await handle.writeFile(piece);
      speed.waiting(false);
    }
    signal.throwIfAborted();
    if (size === 0)
      throw new RegistryError('BAD_REQUEST', {
        message: 'The upload is empty. Send the ZIP as the body, or as the one file of a form.',
      });
    await handle.sync();
    await handle.close();
    return { path, size, sha256: hash.digest('hex') };
  } catch (error) {
    await handle.close();
    await rm(path, { force: true });
    throw error;
  }
}

export function tooLarge(): RegistryError {
  return new RegistryError('BODY_TOO_LARGE', {
    message: `The upload is larger than the maximum of ${mostUploadBytes} bytes.`,
    details: { limit: mostUploadBytes },
  });
}

/**
 * The pieces of `source` until it ends, breaks off or is aborted. The source is not destroyed: its connection still
 * carries the answer.
 */
async function* abortable(source: Readable, signal: AbortSignal): AsyncGenerator<Buffer> {
  const aborted = new Promise<never>((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason as Error);
    else signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
  aborted.catch(() => undefined); // raced below; after the end of the source nothing awaits it
  const pieces = source.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>;
  for (;;) {
    const next = await Promise.race([pieces.next().catch(brokenOff), aborted]);
    if (next.done === true) return;
    yield next.value;
  }
}

function brokenOff(cause: unknown): never {
  throw cause instanceof RegistryError
    ? cause
    : new RegistryError('BAD_REQUEST', { message: 'The upload ended too early.', cause });
}
