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
  // an idle worker that fails is told to nobody else, and one that cannot start is not replaced: whoever waits would wait for ever
  const broken = new Promise<never>((_, reject) => void pool.on('error', reject));
  broken.catch(() => undefined); // nobody may be waiting
  const run = <Value>(task: unknown, options: { readonly name: string; readonly transferList?: ArrayBuffer[] }): Promise<Value> => Promise.race([pool.run(task, options) as Promise<Value>, broken]);
  return {
    deflate: (batch) => run(batch, { name: 'deflateBatch', transferList: [batch.bytes.buffer] }),
    readFiles: (task) => run(task, { name: 'readAndDeflate' }),
    close: () => pool.destroy(),
  };
}
