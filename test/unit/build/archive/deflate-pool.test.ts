// Tests the pool of worker threads with the worker programs of this test.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';

import { createDeflatePool } from '../../../../build/archive/deflate-pool.ts';

/** Errors that would have ended the process, until the test ends. */
function unexpectedErrors(): readonly Error[] {
  const unexpected: Error[] = [];
  const note = (error: Error): unknown => unexpected.push(error);
  const others = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException').on('uncaughtException', note);
  onTestFinished(() => {
    process.removeListener('uncaughtException', note);
    for (const other of others) process.on('uncaughtException', other);
  });
  return unexpected;
}

function workerFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'libretto-pool-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

describe('the pool of workers', () => {
  it('a pool whose workers cannot start fails the waiting calls and does not end the process', async () => {
    const folder = workerFolder();
    const unexpected = unexpectedErrors();
    const worker = join(folder, 'worker.mjs');
    writeFileSync(worker, 'process.exit(3);');
    const pool = createDeflatePool(pathToFileURL(worker), 2);
    await expect(pool.readFiles({ folder, files: [], deflate: false })).rejects.toThrow();
    await pool.close();
    expect(unexpected).toEqual([]);
  });

  it('a pool that closes while answers are on their way throws no unexpected error, as after Ctrl+C or on a full disk', async () => {
    const folder = workerFolder();
    const unexpected = unexpectedErrors();
    const worker = join(folder, 'worker.mjs');
    writeFileSync(
      worker,
      'export const readAndDeflate = () => ({ digests: [], pieces: [], bytes: new Uint8Array() });',
    );
    const pool = createDeflatePool(pathToFileURL(worker), 2);
    const read = (): Promise<unknown> => pool.readFiles({ folder, files: [], deflate: false });
    await Promise.all([read(), read()]);

    const answers = Promise.allSettled([read(), read()]);
    // the workers answer meanwhile, and this thread has not read the answers
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
    await pool.close();
    await answers;
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(unexpected).toEqual([]);
  });
});
