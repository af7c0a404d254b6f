// Worker threads that read files, deflate, and write archives. A build loads this module only for enough files.

import { Piscina } from 'piscina';
import type { FilesRead, FilesToRead } from '../files/read-files.ts';
import type { DeflatedFacts } from '../compression/deflate.ts';
import type { Batch } from './deflate-worker.ts';
import type { ZipTask, ZipWritten } from './zip-task.ts';

export type DeflatePool = ReturnType<typeof createDeflatePool>;

/** `worker` is the module deflate-worker as Node itself can load it. */
export function createDeflatePool(worker: URL, threads: number) {
  const pool = new Piscina({
    filename: worker.href,
    minThreads: threads,
    maxThreads: threads,
    resourceLimits: { maxYoungGenerationSizeMb: 2 },
  });
  // An idle worker's failure reaches no other caller, and a worker that cannot start is not replaced: waiting callers
  // would wait forever.
  let broken: { readonly reason: unknown } | undefined;
  const waiting = new Set<(reason: unknown) => void>();
  pool.on('error', (reason) => {
    broken ??= { reason };
    for (const reject of waiting) reject(reason);
  });
  // no Promise.race against one promise for the pool's whole life: that would keep every answer until the pool ends
  const run = <Value>(task: unknown, name: string): Promise<Value> =>
    new Promise((resolve, reject) => {
      if (broken !== undefined) return reject(broken.reason);
      waiting.add(reject);
      return void (pool.run(task, { name }) as Promise<Value>)
        .then(resolve, reject)
        .finally(() => waiting.delete(reject));
    });
  return {
    /** The results of the batch are in its shared memory afterwards. */
    deflate: (batch: Batch) => run<readonly DeflatedFacts[]>(batch, 'deflateBatch'),
    readFiles: (task: FilesToRead) => run<FilesRead>(task, 'readAndDeflate'),
    writeZip: (task: ZipTask) => run<ZipWritten>(task, 'writeArchive'),
    close: (): Promise<void> => pool.destroy(),
  };
}
