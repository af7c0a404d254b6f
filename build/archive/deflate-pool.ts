// Worker threads that deflate batches. Only loaded once a build has enough to compress.

import { Piscina } from 'piscina';
import type { Batch, DeflatedBatch } from './deflate-worker.ts';

export interface DeflatePool {
  /** Takes the batch's bytes away from this thread. */
  readonly run: (batch: Batch & { readonly bytes: Uint8Array<ArrayBuffer> }) => Promise<DeflatedBatch>;
  readonly close: () => Promise<void>;
}

/** `worker` is the module deflate-worker as Node itself can load it. */
export function createDeflatePool(worker: URL, threads: number): DeflatePool {
  const pool = new Piscina<Batch, DeflatedBatch>({ filename: worker.href, name: 'deflateBatch', minThreads: threads, maxThreads: threads });
  return {
    run: (batch) => pool.run(batch, { transferList: [batch.bytes.buffer] }),
    close: () => pool.destroy(),
  };
}
