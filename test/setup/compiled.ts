// Refuses tests of the compiled program unless `npm run compile` has compiled the present sources. All files of some
// folders ask for it (each-file.ts). In other folders only the tests that run the program do.

import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const root = new URL('../..', import.meta.url).pathname;

let isCompiled = false;

/**
 * Throws unless lib/ is the output of the present sources. run-cli.ts calls it before each command. A test file whose
 * server runs the program, for an upload or a purge, calls it in `beforeAll`. The check runs once a process.
 */
export function demandCompiled(): void {
  if (isCompiled) return;
  const binary = join(root, 'lib/cli/main.js');
  if (!existsSync(binary))
    throw new Error('There is no lib/cli/main.js. Run `npm run compile` first, or all tests with `npm test`.');
  const newest = Math.max(...['cli', 'build', 'proxy'].map((folder) => newestSource(join(root, folder))));
  if (newest > statSync(binary).mtimeMs)
    throw new Error('lib/ is older than the sources. Run `npm run compile` first, or all tests with `npm test`.');
  isCompiled = true;
}

function newestSource(folder: string): number {
  let newest = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (entry.isFile() && entry.name.endsWith('.ts'))
      newest = Math.max(newest, statSync(join(entry.parentPath, entry.name)).mtimeMs);
  }
  return newest;
}
