// Tests `libretto build` with a libretto.json that describes its sources, with --only, with --subdirectory, and with a
// folder of ZIPs on the command line.

import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { startGitHttpServer } from '../util/git-http-server.ts';
import { createRepository } from '../util/git-repository.ts';
import { below, libraryTree, writeTree } from '../util/package-tree.ts';
import { publishedVersions } from '../util/published-tree.ts';
import { runCli, type CliOutcome } from '../util/run-cli.ts';
import { temporaryFolder, type TemporaryFolder } from '../util/temporary-folder.ts';
import { lacks } from '../util/tool.ts';
import { itInSeries } from '../util/series.ts';

let folder: TemporaryFolder;
beforeEach(() => {
  folder = temporaryFolder('build-options');
  for (const name of ['a', 'b', 'c'])
    writeTree(folder.at('packages'), below(name, libraryTree(`acme/${name}`, { version: '1.0.0' })));
});
afterEach(() => folder.remove());

const run = (...args: readonly string[]): Promise<CliOutcome> => runCli(args, { cwd: folder.path });
const configure = (config: object): void => writeFileSync(folder.at('libretto.json'), JSON.stringify(config));
const versions = (): string[] => Object.keys(publishedVersions(folder.at('var'))).sort();

describe('--only', () => {
  it('--only accepts several names and patterns after the sources', async () => {
    expect((await run('build', 'packages', '--only', 'acme/a', 'acme/b')).exitCode).toBe(0);
    expect(versions()).toEqual(['acme/a@1.0.0', 'acme/b@1.0.0']);
    expect((await run('build', '--only', 'acme/*')).exitCode).toBe(0);
    expect(versions()).toHaveLength(3);
  });

  it.each([
    [
      ['build', '--only', 'acme/a', './packages'],
      '--only ./packages: this is neither a package name such as acme/hello nor a pattern such as acme/*. Write SOURCE before --only.',
    ],
    [
      ['build', 'packages', '--only', 'acme/d'],
      '--only acme/d: no published package and no source of this build has that name.',
    ],
    [
      ['build', 'packages', '--only', 'acme/a', '--forget', 'packages'],
      '--forget withdraws all that a source published, and --only limits a build to some packages: use one of them.',
    ],
  ])('--only %j is refused', async (args, message) => {
    expect(await run(...args)).toEqual({ exitCode: 2, stdout: '', stderr: `libretto: ${message}` });
  });
});

describe.skipIf(lacks('git'))('--subdirectory', () => {
  it('the packages of a monorepo are published by the advised command, and by later builds', async () => {
    const files = { 'packages/y/composer.json': '{"name":"acme/y"}', 'packages/z/composer.json': '{"name":"acme/z"}' };
    const first = [
      { commit: 'main', files },
      { tag: '1.0.0', at: 'main' },
    ];
    const mono = createRepository(folder.at('mono.git'), first, { bare: true });
    const { exitCode, stderr } = await run('build', 'mono.git');
    const [, advised = ''] = /To publish them, run `libretto ([^`]*)`/.exec(stderr) ?? [];
    expect([exitCode, advised]).toEqual([1, `build ${folder.at('mono.git')} --subdirectory 'packages/*'`]);
    expect(await run('build', 'mono.git', '--subdirectory', 'packages/*')).toMatchObject({ exitCode: 0, stderr: '' });
    const published = ['acme/y@1.0.0', 'acme/y@dev-main', 'acme/z@1.0.0', 'acme/z@dev-main'];
    expect(versions()).toEqual(published);
    for (const [tag, ...source] of [['1.1.0'], ['1.2.0', 'mono.git']]) {
      mono.append([{ tag: tag ?? '', at: 'main' }]);
      expect((await run('build', ...source)).exitCode).toBe(0);
      published.push(`acme/y@${tag}`, `acme/z@${tag}`);
      expect(versions()).toEqual(published.toSorted());
    }
    configure({ sources: ['mono.git'] });
    expect(await run('build', 'mono.git', '--subdirectory', '.')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('mono.git is in libretto.json: write "subdirectories" there.') as string,
    });
  });

  it.each([
    [
      ['packages', '--subdirectory', 'a'],
      /needs a SOURCE that is a git repository\. .*packages is none; a build publishes every package in it/,
    ],
    [['--subdirectory', 'a'], /--subdirectory needs a SOURCE that is a git repository\.$/],
  ])('%j is refused', async (args, message) => {
    const { exitCode, stderr } = await run('build', ...args);
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(message)]);
  });
});

describe('a libretto.json', () => {
  it('libretto.json limits its sources, and one with faults is refused with all of them', async () => {
    configure({
      sources: [{ type: 'directory', path: 'packages', only: ['acme/a', 'acme/b'], except: ['acme/b'] }],
      name: 'Acme',
    });
    expect(await run('build')).toMatchObject({ exitCode: 0, stderr: '' });
    expect(versions()).toEqual(['acme/a@1.0.0']);
    expect(JSON.parse(readFileSync(folder.at('var/public/packages.json'), 'utf8'))).toMatchObject({ name: 'Acme' });
    configure({
      sources: [
        { type: 'directory', path: 'packages', onyl: ['acme/a'] },
        { type: 'git', url: 'https://me:hunter2@h/a.git' },
      ],
      abandonned: {},
    });
    const { exitCode, stderr } = await run('build');
    expect({ exitCode, problems: stderr.split('\n').length - 1 }).toEqual({ exitCode: 2, problems: 3 });
    expect(stderr).not.toContain('hunter2');
    expect(versions()).toEqual(['acme/a@1.0.0']);
  });

  itInSeries.skipIf(lacks('git'))(
    'libretto.json selects branches, tags and folders of a repository, and whether clients see the repository',
    async () => {
      const composerJson = (name: string): string => JSON.stringify({ name: `acme/${name}` });
      createRepository(
        folder.at('srv/mono.git'),
        [
          {
            commit: 'main',
            files: { 'composer.json': composerJson('x'), 'packages/y/composer.json': composerJson('y') },
          },
          { tag: '1.0.0', at: 'main' },
          { tag: '0.9.0', at: 'main' },
          { branch: 'wip', from: 'main' },
        ],
        { bare: true },
      );
      const server = await startGitHttpServer(folder.at('srv'));
      try {
        const source = {
          type: 'git',
          url: `${server.url}/mono.git`,
          subdirectories: ['.', 'packages/*'],
          tags: ['!0.*'],
          branches: ['main'],
        };
        configure({ sources: [source] });
        expect(await run('build')).toMatchObject({ exitCode: 0, stderr: '' });
        expect(versions()).toEqual(['acme/x@1.0.0', 'acme/x@dev-main', 'acme/y@1.0.0', 'acme/y@dev-main']);
        const record = (): unknown =>
          (
            JSON.parse(readFileSync(folder.at('var/public/p2/acme/x.json'), 'utf8')) as {
              packages: Record<string, Record<string, { source?: unknown }>>;
            }
          ).packages['acme/x']?.['1.0.0']?.source;
        expect(record()).toBeUndefined();
        configure({ sources: [{ ...source, 'reference-source': 'include' }] });
        expect(await run('build')).toMatchObject({ exitCode: 0, stderr: '' });
        expect(record()).toEqual({
          type: 'git',
          url: source.url,
          reference: expect.stringMatching(/^[0-9a-f]{40}$/) as string,
        });
        configure({ sources: [source] });
        expect((await run('build')).exitCode).toBe(0);
        expect(record()).toBeUndefined();
      } finally {
        await server.close();
      }
    },
  );
});

describe.skipIf(lacks('zip'))('artifact:', () => {
  it('artifact: reads a folder of ZIPs, and --forget accepts the path of the folder', async () => {
    mkdirSync(folder.at('zips'));
    execFileSync('zip', ['-qr', folder.at('zips/acme-a-2.0.0.zip'), 'src'], { cwd: folder.at('packages/a') });
    execFileSync('zip', ['-qr', folder.at('zips/acme-a-1.0.0.zip'), '.'], { cwd: folder.at('packages/a') });
    const { exitCode, stderr } = await run('build', 'artifact:zips');
    expect({ exitCode, told: stderr.includes('acme-a-2.0.0.zip') }).toEqual({ exitCode: 1, told: true });
    expect(versions()).toEqual(['acme/a@1.0.0']);
    expect((await run('build', '--forget', 'zips')).exitCode).toBe(0);
    expect(versions()).toEqual([]);
  });
});
