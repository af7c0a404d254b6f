// Tests that archives of worker threads have the same bytes as archives of this thread. Workers run compiled modules
// only.

import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { createArchiver, type Archiver, type ArchiverOptions } from '../../build/archive/archiver.ts';
import type { Content } from '../../build/archive/content.ts';
import { temporaryFolder } from '../util/temporary-folder.ts';

const folder = temporaryFolder('workers');
afterAll(() => folder.remove());

/** 20 MB of compressible content, enough to start the workers. */
const count = 4000;
function textOf(index: number): Buffer {
  const words = Array.from({ length: 600 }, (_, word) => ((index * 7919 + word * word * 31) % 9973).toString(36));
  return Buffer.from(`<?php // ${index}\n${words.join(' $x = ')}\n`);
}

function contentOf(read: (paths: readonly string[]) => AsyncIterable<Uint8Array>): Content {
  const files = Array.from(
    { length: count },
    (_, index) => ({ path: `${index}.php`, mode: 'file', identity: `number:${index}` }) as const,
  );
  return {
    entryTime: 0,
    list: () => Promise.resolve({ files, withheld: [] }),
    read: (wanted) => read(wanted.map(({ path }) => path)),
  };
}

const content = contentOf(async function* (paths) {
  for (const path of paths) yield textOf(Number.parseInt(path, 10));
});

async function compiledArchiver(options: ArchiverOptions): Promise<Archiver> {
  const compiled: typeof import('../../build/archive/archiver.ts') = await import(
    new URL('../../lib/cli/archiver.js', import.meta.url).href
  );
  return compiled.createArchiver(options);
}

const make = async (archiver: Archiver, name: string): Promise<string> =>
  (await archiver.archive(content, { topFolder: 'top', target: folder.at(name) })).shasum;

describe('archives of worker threads', () => {
  it('have the same bytes', async () => {
    const inline = createArchiver({ scratchDirectory: folder.path, jobs: 1 });
    const workers = await compiledArchiver({ scratchDirectory: folder.path, jobs: 3, memory: { slabsInMemory: 2 } });
    let started = 0;
    process.on('worker', () => (started += 1));
    const shasum = await make(workers, 'workers.zip');
    expect(started, 'without a worker this test proves nothing').toBe(2);
    expect(await make(inline, 'inline.zip')).toBe(shasum);
    // the workers run by now, and write this archive from slabs and the spill file
    expect(await make(workers, 'again.zip')).toBe(shasum);
    await expect(make(workers, 'missing/again.zip')).rejects.toMatchObject({
      name: 'StorageError',
      path: folder.at('missing/again.zip'),
      cause: { code: 'ENOENT' },
    });
    expect(readFileSync(folder.at('workers.zip')).equals(readFileSync(folder.at('inline.zip')))).toBe(true);
    await Promise.all([inline.close(), workers.close()]);
  });

  it('are refused and removed when the workers are closed halfway', async () => {
    const workers = await compiledArchiver({ scratchDirectory: folder.path, jobs: 2 });
    let stop: Promise<void> | undefined;
    const interrupted = contentOf(async function* (paths) {
      for (const [index, path] of paths.entries()) {
        if (index === count - 1) stop = workers.close();
        yield textOf(Number.parseInt(path, 10));
      }
    });
    await expect(
      workers.archive(interrupted, { topFolder: 'top', target: folder.at('interrupted.zip') }),
    ).rejects.toThrow();
    await stop;
    expect(() => readFileSync(folder.at('interrupted.zip'))).toThrow('ENOENT');
  });
});
