// Tests that a scan with worker threads gives the tree of a scan with one thread. Workers run compiled modules only, so
// the test runs the compiled program.

import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { incompressibleBytes } from '../util/incompressible-bytes.ts';
import { temporaryFolder } from '../util/temporary-folder.ts';

const binary = new URL('../../lib/cli/main.js', import.meta.url).pathname;
const folder = temporaryFolder('scan-workers');
afterAll(() => folder.remove());

/** 12 MB in 30 packages, enough to start the workers. Some files repeat, some are empty, some are incompressible. */
function makePackages(): void {
  for (let index = 0; index < 30; index += 1) {
    const place = folder.at('packages', `p${index}`);
    mkdirSync(join(place, 'src'), { recursive: true });
    writeFileSync(join(place, 'composer.json'), JSON.stringify({ name: `acme/p${index}`, version: '1.0.0' }));
    writeFileSync(join(place, 'LICENSE'), 'All rights reserved. '.repeat(100));
    writeFileSync(join(place, 'empty'), '');
    writeFileSync(join(place, 'noise.bin'), incompressibleBytes(1000 + index));
    for (let file = 0; file < 20; file += 1)
      writeFileSync(join(place, `src/F${file}.php`), `<?php // ${index} ${file}\n`.repeat(900 + 37 * file));
  }
}

function build(jobs: number): { readonly started: boolean; readonly archives: readonly string[] } {
  const data = folder.at(`data-${jobs}`);
  const note = `import { writeSync } from 'node:fs'; process.on('worker', () => writeSync(2, 'worker started'));`;
  const stderr = folder.at(`stderr-${jobs}`);
  const output = execFileSync(
    'sh',
    [
      '-c',
      'exec "$@" 2>"$ERRORS"',
      'sh',
      process.execPath,
      '--import',
      `data:text/javascript,${encodeURIComponent(note)}`,
      binary,
      'build',
      folder.at('packages'),
      '--data',
      data,
      '--jobs',
      String(jobs),
      '--json',
    ],
    {
      env: { PATH: process.env['PATH'], HOME: folder.path, ERRORS: stderr },
      encoding: 'utf8',
    },
  );
  expect(JSON.parse(output)).toMatchObject({ published: true, quarantined: [] });
  const places = readdirSync(join(data, 'public'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.zip'))
    .sort();
  return {
    started: readFileSync(stderr, 'utf8').includes('worker started'),
    archives: places.map((path) => `${path} ${readFileSync(join(data, 'public', path)).toString('base64')}`),
  };
}

describe('worker threads of a scan', () => {
  it('change no byte of the tree', () => {
    makePackages();
    const [alone, together] = [build(1), build(3)];
    expect([alone.started, together.started], 'without a worker this test proves nothing').toEqual([false, true]);
    expect(alone.archives).toHaveLength(30);
    expect(together.archives.join('\n') === alone.archives.join('\n')).toBe(true);
  });
});
