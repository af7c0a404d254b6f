// Tests the quick start of the README: the lines that `npm start` prints install a package when pasted into an empty
// folder.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { composerCommand, composerEnvironment } from '../util/composer.ts';
import { below, libraryTree, writeTree } from '../util/package-tree.ts';
import { startCli } from '../util/run-cli.ts';
import { itInSeries } from '../util/series.ts';
import { temporaryFolder, type TemporaryFolder } from '../util/temporary-folder.ts';
import { lacks } from '../util/tool.ts';

const root = new URL('../..', import.meta.url).pathname;
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> };

describe('the README', () => {
  const readme = readFileSync(join(root, 'README.md'), 'utf8');

  it('begins with the two commands, and npm start runs compile and `libretto start`', () => {
    const commands = [...readme.matchAll(/^```sh\n([^`]+)\n```$/gm)].map((match) => match[1]);
    expect(commands.slice(0, 2)).toEqual(['npm ci && npm start', 'npm ci && npm test']);
    expect(scripts['start']).toBe('npm run --silent compile && exec node lib/cli/main.js start');
  });

  it('links only to existing files', () => {
    const links = [...readme.matchAll(/\]\((?!https?:)([^)#]+)/g)].map((match) => match[1] ?? '');
    expect(links.length).toBeGreaterThan(3);
    for (const link of links) expect(() => readFileSync(join(root, link)), link).not.toThrow();
  });
});

/** Pastes the printed lines into a shell in an empty folder, and returns the project. */
async function paste(output: string, folder: TemporaryFolder): Promise<string> {
  const lines = output.split('\n').filter((line) => /^\s*composer\s/.test(line));
  const [empty, home] = [folder.at('empty'), folder.at('home')];
  for (const made of [empty, home]) mkdirSync(made);
  const client = `composer() { ${composerCommand()
    .map((word) => `'${word}'`)
    .join(' ')} "$@"; }`;
  writeFileSync(folder.at('pasted.sh'), `${[client, ...lines].join('\n')}\n`);
  // an interactive shell that reads its lines from standard input and never stops
  const pasted = await execa('sh', {
    cwd: empty,
    env: composerEnvironment(home),
    extendEnv: false,
    reject: false,
    all: true,
    inputFile: folder.at('pasted.sh'),
  });
  expect(pasted.exitCode, pasted.all).toBe(0);
  return empty;
}

describe.skipIf(lacks('composer', 'php'))('npm start', () => {
  it('prints lines that install a package when pasted into an empty folder', async () => {
    await using folder = temporaryFolder('quickstart');
    const running = startCli(['start', '--data', folder.at('var'), '--listen', '127.0.0.1:0'], { cwd: root });
    try {
      await running.shows(/composer require\b.*\n/);
      const { stdout, stderr } = running.output();
      const empty = await paste(`${stdout}${stderr}`, folder);
      const lock = JSON.parse(readFileSync(join(empty, 'composer.lock'), 'utf8')) as {
        packages: { name: string; version: string }[];
      };
      expect(lock.packages).toMatchObject([{ name: 'acme/hello' }]);
      expect(readFileSync(join(empty, 'vendor/acme/hello/composer.json'), 'utf8')).toContain('acme/hello');
      const token = /lib_r_\w+/.exec(`${stdout}${stderr}`)?.[0] ?? 'none';
      expect(
        readFileSync(join(empty, 'composer.lock'), 'utf8') + readFileSync(join(empty, 'composer.json'), 'utf8'),
      ).not.toContain(token);
      expect(readFileSync(join(empty, 'auth.json'), 'utf8')).toContain(token);
    } finally {
      running.signal('SIGTERM');
      await running.ended;
    }
  });

  itInSeries('prints lines that install own packages without a release', async () => {
    await using folder = temporaryFolder('quickstart');
    writeTree(folder.at('packages-src'), {
      ...below('shop', libraryTree('acme/shop', { require: { 'acme/tool': '*' } })),
      ...below('tool', libraryTree('acme/tool')),
    });
    const running = startCli(['start', '--listen', '127.0.0.1:0'], { cwd: folder.path });
    try {
      await running.shows(/composer require\b.*\n/);
      const empty = await paste(running.output().stdout, folder);
      const lock = JSON.parse(readFileSync(join(empty, 'composer.lock'), 'utf8')) as object;
      expect(lock).toMatchObject({
        packages: [
          { name: 'acme/shop', version: 'dev-main' },
          { name: 'acme/tool', version: 'dev-main' },
        ],
      });
    } finally {
      running.signal('SIGTERM');
      await running.ended;
    }
  });
});
