// Tests that a command loads only the modules that it needs, because each file delays each start. The layout of the
// bundle decides that (.rolldown.config.mjs).

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadedPackageFiles, loadedSources } from '../util/loaded-modules.ts';
import { below, libraryTree, temporaryTree, type TemporaryTree } from '../util/package-tree.ts';
import { binary, runCli } from '../util/run-cli.ts';
import { itInSeries } from '../util/series.ts';

let tree: TemporaryTree;
/** epoch milliseconds: the sources are older */
let writtenMs: number;

beforeAll(() => {
  tree = temporaryTree(below('src/hello', libraryTree('acme/hello', { version: '1.0.0' })));
  writtenMs = Date.now();
});
afterAll(() => tree.remove());

async function loadedBy(...words: readonly string[]): Promise<readonly string[]> {
  const coverage = join(tree.root, `coverage-${words.join('-').replaceAll('/', '')}`);
  const { exitCode } = await runCli(words, { cwd: tree.root, environment: { NODE_V8_COVERAGE: coverage } });
  expect(exitCode).toBe(0);
  expect(loadedPackageFiles(coverage)).toEqual([]);
  return loadedSources(coverage);
}

it('`libretto --version` loads neither the builder nor the server', async () => {
  const sources = await loadedBy('--version');
  expect(sources).toContain('cli/main.ts');
  expect(sources).not.toContain('build/build.ts');
  expect(sources).not.toContain('proxy/auth/tokens.ts');
  expect(sources).not.toContain('proxy/core/server.ts');
});

it('the files of the program are ASCII, for which V8 needs half the memory', () => {
  const folder = dirname(binary);
  const others = readdirSync(folder).filter(
    (name) => name.endsWith('.js') && /[^\0-\u007f]/.test(readFileSync(join(folder, name), 'utf8')),
  );
  expect(others).toEqual([]);
});

/** The files that a file of the program imports, and theirs. */
function importsOf(name: string, found = new Set<string>()): ReadonlySet<string> {
  for (const [, other = ''] of readFileSync(join(dirname(binary), name), 'utf8').matchAll(/^import .*"\.\/(.*)";$/gm))
    if (!found.has(other)) importsOf(other, found.add(other));
  return found;
}

it.each(['state-reader', 'deflate-worker', 'contents-worker', 'render-worker'])(
  'the process or thread `%s` loads neither the commands nor the builder',
  (name) => {
    const files = importsOf(`${name}.js`);
    for (const other of ['program.js', 'common.js', 'publication.js']) expect(files).not.toContain(other);
  },
);

itInSeries('an unchanged build loads neither the server nor a reader of ZIPs', async () => {
  await runCli(['build', 'src', '--data', 'data'], { cwd: tree.root });
  // a build reads files again that were younger than two seconds at the start of the build before it
  for (let startedMs = 0; startedMs - writtenMs <= 2000;) {
    startedMs = Date.now();
    await runCli(['build', '--data', 'data'], { cwd: tree.root });
  }
  const sources = await loadedBy('build', '--data', 'data');
  expect(sources).toContain('build/build.ts');
  expect(sources).not.toContain('build/archive/zip-members.ts');
  expect(sources).not.toContain('proxy/auth/tokens.ts');
  expect(sources).not.toContain('proxy/core/server.ts');
});
