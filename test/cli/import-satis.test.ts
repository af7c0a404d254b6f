// Tests `libretto import satis`: a whole satis.json is converted, and the next build publishes the versions that Satis
// would publish.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { createRepository } from '../util/git-repository.ts';
import { libraryTree, writeTree } from '../util/package-tree.ts';
import { publishedVersions } from '../util/published-tree.ts';
import { runCli, type CliOutcome } from '../util/run-cli.ts';
import { temporaryFolder, type TemporaryFolder } from '../util/temporary-folder.ts';
import { lacks } from '../util/tool.ts';
import { itInSeries } from '../util/series.ts';

let folder: TemporaryFolder;
beforeEach(() => void (folder = temporaryFolder('satis')));
afterEach(() => folder.remove());

const run = (...args: readonly string[]): Promise<CliOutcome> => runCli(args, { cwd: folder.path });
const put = (satis: object, name = 'satis.json'): void => writeFileSync(folder.at(name), JSON.stringify(satis));

/**
 * A repository with a branch that has the alias `2.x`, a branch without one, and the tags 1.0.0, 2.0.0-beta1 and 2.0.0.
 */
function library(name: string, path: string): void {
  const composerJson = JSON.stringify({ name, extra: { 'branch-alias': { 'dev-main': '2.x-dev' } } });
  createRepository(folder.at(path), [
    { commit: 'main', files: { 'composer.json': composerJson } },
    { tag: 'v1.0.0', at: 'main' },
    { commit: 'main', files: { 'a.php': '<?php\n' } },
    { tag: 'v2.0.0-beta1', at: 'main' },
    { tag: 'v2.0.0', at: 'main' },
    { branch: 'feature', from: 'main' },
  ]);
}

describe.skipIf(lacks('git') || lacks('zip'))('a rich satis.json', () => {
  beforeEach(() => {
    library('acme/lib', 'git/lib');
    library('acme/other', 'git/other');
    writeTree(folder.at('packages/tool'), libraryTree('acme/tool', { version: '3.0.0' }));
    writeTree(folder.at('zipped'), libraryTree('acme/zipped', { version: '1.5.0' }));
    mkdirSync(folder.at('zips'));
    execFileSync('zip', ['-qr', folder.at('zips/acme-zipped-1.5.0.zip'), '.'], { cwd: folder.at('zipped') });
    put({
      name: 'acme/packages',
      homepage: 'https://packages.example.org',
      repositories: [
        { type: 'vcs', url: 'git/lib' },
        { type: 'vcs', url: 'git/other' },
        { type: 'path', url: 'packages/*' },
        { type: 'artifact', url: 'zips' },
        {
          type: 'package',
          package: { name: 'acme/inline', version: '1.0.0', dist: { type: 'zip', url: 'zips/acme-zipped-1.5.0.zip' } },
        },
        { type: 'composer', url: 'https://repo.packagist.org' },
      ],
      require: {
        'acme/lib': '^2.0',
        'acme/other': '1.0.0 || dev-feature',
        'acme/tool': '*',
        'acme/zipped': '*',
        'acme/inline': '*',
      },
      blacklist: { 'acme/lib': '2.0.0-beta1' },
      abandoned: { 'acme/other': 'acme/lib' },
      archive: { directory: 'dist', format: 'zip', 'skip-dev': true },
      'output-html': false,
      config: { 'github-oauth': { 'github.com': 'hunter2' } },
    });
  });

  it('is converted, the rest is listed on standard error, and a build publishes the versions of Satis', async () => {
    const imported = await run('import', 'satis', 'satis.json', '--out', 'etc.json');
    expect(imported).toEqual({
      exitCode: 0,
      stdout: `Wrote ${folder.at('etc.json')}: 6 sources. Build it with \`libretto build --config etc.json\`.`,
      stderr: [
        '2 options could not be carried over:',
        '  archive.skip-dev: Every published version has an archive, branches too. To leave branches out altogether, give the source "minimum-stability".',
        '  config.github-oauth: libretto.json contains no credentials. Git finds them: use a credential helper, ~/.netrc, GIT_ASKPASS or an ssh key.',
      ].join('\n'),
    });
    expect(readFileSync(folder.at('etc.json'), 'utf8')).not.toContain('hunter2');
    const { exitCode, stderr } = await run('build', '--config', 'etc.json');
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(Object.keys(publishedVersions(folder.at('var'))).sort()).toEqual([
      'acme/inline@1.0.0',
      'acme/lib@dev-main',
      'acme/lib@v2.0.0',
      'acme/other@dev-feature',
      'acme/other@v1.0.0',
      'acme/tool@3.0.0',
      'acme/zipped@1.5.0',
    ]);
    expect(readFileSync(folder.at('var/public/p2/acme/other.json'), 'utf8')).toContain('"abandoned":"acme/lib"');
    expect((await run('verify')).exitCode).toBe(0);
  });

  itInSeries('selects all packages where it requires none', async () => {
    const satis = JSON.parse(readFileSync(folder.at('satis.json'), 'utf8')) as Record<string, unknown>;
    put({ ...satis, 'require-all': true, 'minimum-stability': 'stable' });
    await run('import', 'satis', 'satis.json');
    expect((await run('build')).exitCode).toBe(0);
    expect(Object.keys(publishedVersions(folder.at('var'))).sort()).toEqual([
      'acme/inline@1.0.0',
      'acme/lib@v1.0.0',
      'acme/lib@v2.0.0',
      'acme/other@v1.0.0',
      'acme/other@v2.0.0',
      'acme/tool@3.0.0',
      'acme/zipped@1.5.0',
    ]);
  });
});

describe('the command import satis', () => {
  it('rewrites paths relative to the folder of libretto.json', async () => {
    mkdirSync(folder.at('old/satis'), { recursive: true });
    mkdirSync(folder.at('new'));
    put(
      {
        repositories: [
          { type: 'vcs', url: '../lib' },
          { type: 'artifact', url: '/srv/zips' },
        ],
      },
      'old/satis/satis.json',
    );
    await run('import', 'satis', 'old/satis/satis.json', '--out', 'new/libretto.json');
    expect(JSON.parse(readFileSync(folder.at('new/libretto.json'), 'utf8'))).toMatchObject({
      sources: [{ path: '../old/lib' }, { path: '/srv/zips' }],
    });
  });

  it('prints the result with --out -, and the full report with --json', async () => {
    put({ name: 'x', 'notify-batch': 'https://h' });
    const { stdout, stderr, exitCode } = await run('import', 'satis', 'satis.json', '--out', '-');
    expect({ exitCode, config: JSON.parse(stdout) as unknown }).toEqual({
      exitCode: 0,
      config: { name: 'x', sources: [] },
    });
    expect(stderr).toBe(
      '1 option could not be carried over:\n  notify-batch: Libretto does not report installations to other servers.',
    );
    expect(JSON.parse((await run('import', 'satis', 'satis.json', '--out', '-', '--json')).stdout)).toEqual({
      out: null,
      config: { name: 'x', sources: [] },
      options: [
        { option: 'name', outcome: 'carried', detail: '"name".' },
        {
          option: 'notify-batch',
          outcome: 'not-carried',
          detail: 'Libretto does not report installations to other servers.',
        },
      ],
    });
  });

  it('replaces no file, and reports the faults of its input', async () => {
    put({});
    writeFileSync(folder.at('libretto.json'), '{}');
    expect(await run('import', 'satis', 'satis.json')).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: expect.stringContaining('libretto.json exists already. Name another file with --out') as string,
    });
    expect(await run('import', 'satis', 'gone.json')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('gone.json cannot be read') as string,
    });
    writeFileSync(folder.at('satis.json'), '{\n  "name": "x",\n}');
    expect(await run('import', 'satis', 'satis.json')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining(
        'satis.json is not valid JSON (line 2, column 14): the comma before "}" is one too many.',
      ) as string,
    });
    writeFileSync(folder.at('satis.json'), '{"require": [{"__proto__": {}}]}');
    expect(await run('import', 'satis', 'satis.json', '--out', '-')).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: expect.stringContaining('satis.json: the key require.0.__proto__ cannot be used. Remove it.') as string,
    });
    writeFileSync(folder.at('satis.json'), '[]');
    expect((await run('import', 'satis', 'satis.json')).stderr).toContain('contains no JSON object');
  });
});
