// Worker threads that read and deflate. Only loaded once a build has enough for them.

import { Piscina } from 'piscina';
import type { FilesRead, FilesToRead } from '../sources/directory/read-files.ts';
import type { Batch, DeflatedBatch } from './deflate-worker.ts';

export interface DeflatePool {
  /** Takes the batch's bytes away from this thread. */
  readonly deflate: (batch: Batch & { readonly bytes: Uint8Array<ArrayBuffer> }) => Promise<DeflatedBatch>;
  readonly readFiles: (task: FilesToRead) => Promise<FilesRead>;
  readonly close: () => Promise<void>;
}

/** `worker` is the module deflate-worker as Node itself can load it. */
export function createDeflatePool(worker: URL, threads: number): DeflatePool {
  const pool = new Piscina({ filename: worker.href, minThreads: threads, maxThreads: threads });
  let closed = false;
  // what a worker had said before it was ended, and nobody waits for any more
  pool.on('error', (error) => {
    if (!closed) throw error;
  });
  return {
    deflate: (batch) => pool.run(batch, { name: 'deflateBatch', transferList: [batch.bytes.buffer] }) as Promise<DeflatedBatch>,
    readFiles: (task) => pool.run(task, { name: 'readAndDeflate' }) as Promise<FilesRead>,
    close: () => {
      closed = true;
      return pool.destroy();
    },
  };
}
