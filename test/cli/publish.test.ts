// Tests `libretto publish` on a data folder and on a remote registry.

import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { allFiles, publishedVersions } from '../util/published-tree.ts';
import { below, writeTree } from '../util/package-tree.ts';
import { startRegistry, type Registry } from '../util/registry.ts';
import { runCli, type CliOutcome } from '../util/run-cli.ts';
import { temporaryFolder, type TemporaryFolder } from '../util/temporary-folder.ts';
import { whoLibrary } from '../util/who-library.ts';
import { itInSeries } from '../util/series.ts';

let folder: TemporaryFolder;
beforeEach(() => void (folder = temporaryFolder('cli-publish')));
afterEach(() => folder.remove());

const run = (args: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<CliOutcome> =>
  runCli(['publish', ...args], { cwd: folder.path, environment });
const write = (version: string | undefined, fields: Readonly<Record<string, unknown>> = {}): void =>
  writeTree(folder.path, below('hello', whoLibrary('acme/hello', version, fields)));
const published = (): readonly string[] => Object.keys(publishedVersions(folder.at('data')));

describe('libretto publish on the data folder', () => {
  it('publishes a folder as a build would pack it, once', async () => {
    write('1.2.0');
    writeTree(folder.at('hello'), { '.env': 'SECRET=1', 'vendor/acme/other/a.php': '<?php' });
    const first = await run(['hello', '--data', 'data']);
    expect(first).toEqual({
      exitCode: 0,
      stdout: expect.stringMatching(/^Published acme\/hello 1\.2\.0 \(\d+ bytes, art_[0-9A-Za-z]{16}\)\.$/) as string,
      stderr: 'Left out, since they look like credentials: .env',
    });
    const again = await run(['hello', '--data', 'data', '--json']);
    expect([again.exitCode, JSON.parse(again.stdout)]).toEqual([
      0,
      expect.objectContaining({
        name: 'acme/hello',
        version: '1.2.0',
        status: 'published',
        created_by: expect.stringMatching(/^cli:/) as string,
      }),
    ]);
    expect((await run(['hello', '--data', 'data'])).stdout).toMatch(
      /^acme\/hello 1\.2\.0 is already published with the same bytes \(art_/,
    );
    expect(published()).toEqual(['acme/hello@1.2.0']);

    await runCli(['build', './hello', '--data', 'built'], { cwd: folder.path });
    expect(publishedVersions(folder.at('built'))['acme/hello@1.2.0']?.shasum).toBe(
      (JSON.parse(again.stdout) as { sha1: string }).sha1,
    );
    expect(readdirSync(folder.at('data/artifacts/.staging'))).toEqual([]);
  });

  itInSeries('publishes a tar as its ZIP, and remarks on names in it', async () => {
    writeTree(folder.at('tarred'), {
      'composer.json': '{"name": "acme/tarred", "version": "1.0.0"}',
      'src/aux.php': '',
    });
    execFileSync('tar', ['czf', folder.at('x.tgz'), '-C', folder.path, 'tarred']);
    expect(await run(['x.tgz', '--data', 'data', '--dry-run'])).toMatchObject({ exitCode: 0 });
    expect(await run(['x.tgz', '--data', 'data'])).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^Published acme\/tarred 1\.0\.0 /) as unknown,
      stderr: expect.stringMatching(/tarred\/src\/aux\.php, which is no name of a file on Windows/) as unknown,
    });
    execFileSync('tar', ['cPzf', folder.at('leaving.tgz'), '-C', folder.at('tarred'), 'composer.json', '../x.tgz']);
    expect(await run(['leaving.tgz', '--data', 'data'])).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/^libretto: The path "\.\.\/x\.tgz" cannot be published: /) as unknown,
    });
    expect((await run(['x.tgz', '--data', 'data'])).stdout).toMatch(/is already published with the same bytes/);
    expect(readdirSync(folder.at('data/artifacts/.staging'))).toEqual([]);
  });

  itInSeries('publishes under a clock that is decades ahead of the clock of the disk', async () => {
    write('1.2.0');
    const ahead =
      'globalThis.Date=class extends Date{constructor(...given){super(...(given.length===0?[Date.now()]:given))}static now(){return super.now()+1e12}}';
    const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(ahead)}`;
    expect(await run(['hello', '--data', 'data'], { NODE_OPTIONS })).toMatchObject({ exitCode: 0 });
    expect(published()).toEqual(['acme/hello@1.2.0']);
    expect(readdirSync(folder.at('data/artifacts/.staging'))).toEqual([]);
  });

  itInSeries(
    'is refused where the folder of uploads has lost its ZIPs, and works again once they are back',
    async () => {
      for (const version of ['1.0.0', '1.1.0']) {
        write(version);
        expect(await run(['hello', '--data', 'data'])).toMatchObject({ exitCode: 0 });
      }
      renameSync(folder.at('data/artifacts'), folder.at('away'));
      write('1.2.0');
      for (let turn = 0; turn < 2; turn += 1)
        expect(await run(['hello', '--data', 'data'])).toMatchObject({
          exitCode: 2,
          stderr: expect.stringMatching(
            /artifacts has no ZIP, but acme\/hello 1\.[01]\.0 is published from it.* `libretto build --forget artifact-[0-9a-f]{12} --data \S+` first/,
          ) as string,
        });
      expect(published().toSorted()).toEqual(['acme/hello@1.0.0', 'acme/hello@1.1.0']);
      rmSync(folder.at('data/artifacts'), { recursive: true });
      renameSync(folder.at('away'), folder.at('data/artifacts'));
      expect(await run(['hello', '--data', 'data'])).toMatchObject({ exitCode: 0 });
      expect(published().toSorted()).toEqual(['acme/hello@1.0.0', 'acme/hello@1.1.0', 'acme/hello@1.2.0']);
    },
  );

  it('publishes a ZIP without moving it, next to packages of other sources', async () => {
    write('1.0.0');
    await runCli(['build', './hello', '--data', 'data'], { cwd: folder.path });
    write('2.0.0');
    await run(['hello', '--data', 'other']);
    const zip = folder.at('data-2.zip');
    writeFileSync(zip, readFileSync(folder.at('other/artifacts/acme/hello/acme-hello-2.0.0.zip')));
    write('1.0.0');
    expect((await run([zip, '--data', 'data'])).exitCode).toBe(0);
    expect(existsSync(zip)).toBe(true);
    expect(published()).toEqual(['acme/hello@2.0.0', 'acme/hello@1.0.0']);
    const build = await runCli(['build', '--data', 'data'], { cwd: folder.path });
    expect([build.exitCode, build.stdout]).toEqual([0, expect.stringContaining('Nothing has changed')]);
  });

  it.each([
    ['no such folder', ['nowhere'], 2, /nowhere is neither a folder nor a ZIP\./],
    ['a folder without composer.json', ['.'], 2, /contains no composer\.json\./],
    [
      'no version',
      ['hello'],
      2,
      /The version is unknown\. Write "version" into composer\.json, or name it with --version/,
    ],
    [
      'an invalid version',
      ['hello', '--version', 'one'],
      2,
      /The version to publish is "one", which Composer does not accept/,
    ],
    ['a file that is no ZIP', ['hello/composer.json', '--version', '1.0.0'], 1, /^libretto: The archive/],
    [
      'an address that is none',
      ['hello', '--url', 'ftp://x'],
      2,
      /--url "ftp:\/\/x" is not the address of a registry\./,
    ],
    ['a remote registry without a token', ['hello', '--url', 'http://127.0.0.1:1'], 2, /set LIBRETTO_TOKEN/],
    [
      'a remote registry that is not there',
      ['hello', '--url', 'http://127.0.0.1:1', '--token', 'x'],
      1,
      /http:\/\/127\.0\.0\.1:1 cannot be reached/,
    ],
  ])('refuses %s', async (_what, args, exitCode, message) => {
    write(undefined);
    const outcome = await run([...args, '--data', 'data']);
    expect([outcome.exitCode, outcome.stdout]).toEqual([exitCode, '']);
    expect(outcome.stderr).toMatch(message);
    expect(existsSync(folder.at('data/public'))).toBe(false);
    if (existsSync(folder.at('data/artifacts'))) expect(allFiles(folder.at('data/artifacts'))).toEqual([]);
  });

  it('--dry-run checks the same, and changes nothing', async () => {
    write('1.0.0');
    const dry = (...more: readonly string[]): Promise<CliOutcome> =>
      run(['hello', '--data', 'data', '--dry-run', ...more]);
    expect(await dry()).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(
        /^Would publish acme\/hello 1\.0\.0 \(\d+ bytes\)\. Nothing was changed\.$/,
      ) as string,
    });
    expect(existsSync(folder.at('data'))).toBe(false);
    await run(['hello', '--data', 'data']);
    const before = allFiles(folder.at('data/artifacts'));
    expect((await dry()).stdout).toBe(
      'acme/hello 1.0.0 is already published with the same bytes. Nothing would change.',
    );
    expect(JSON.parse((await dry('--json')).stdout)).toEqual({
      dry_run: true,
      name: 'acme/hello',
      version: '1.0.0',
      reference: expect.stringMatching(/^[0-9a-f]{40}$/) as string,
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      size: expect.any(Number) as number,
      already_published: true,
    });
    write('1.0.0', { description: 'other' });
    expect(await dry()).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('acme/hello 1.0.0 is published already, with other content.') as string,
    });
    expect(await dry('--version', 'one')).toMatchObject({ exitCode: 2, stdout: '' });
    expect(allFiles(folder.at('data/artifacts'))).toEqual(before);
    expect(published()).toEqual(['acme/hello@1.0.0']);
  });

  it('refuses other content of a release, and a version that differs from composer.json', async () => {
    write('1.0.0');
    expect((await run(['hello', '--data', 'data'])).exitCode).toBe(0);
    write('1.0.0', { description: 'other' });
    expect(await run(['hello', '--data', 'data'])).toEqual({
      exitCode: 1,
      stdout: '',
      stderr:
        'libretto: acme/hello 1.0.0 is published already, with other content. A released version never changes: publish a new version.',
    });
    expect((await run(['hello', '--version', '1.1.0', '--data', 'data'])).stderr).toMatch(
      /composer\.json has version 1\.0\.0, but it was sent as 1\.1\.0/,
    );
  });
});

describe('libretto publish on a remote registry', () => {
  let registry: Registry;
  beforeAll(async () => void (registry = await startRegistry()));
  afterAll(() => registry.stop());

  it('publishes with a write token, and prints refusals with their reasons', async () => {
    write(undefined);
    const [write_, read] = [(await registry.createToken('--kind', 'write')).token, registry.token];
    const url = registry.direct();
    const remote = (token: string, ...more: readonly string[]): Promise<CliOutcome> =>
      run(['hello', '--version', '1.0.0', '--url', url, ...more], { LIBRETTO_TOKEN: token });
    const first = await remote(write_, '--json');
    expect([first.exitCode, first.stderr, JSON.parse(first.stdout)]).toEqual([
      0,
      '',
      expect.objectContaining({
        name: 'acme/hello',
        version: '1.0.0',
        created_by: expect.stringMatching(/^token:tok_/) as string,
      }),
    ]);
    expect((await remote(write_)).stdout).toContain(
      `acme/hello 1.0.0 is already published on ${url} with the same bytes`,
    );
    expect(Object.keys(publishedVersions(registry.data))).toEqual(['acme/hello@1.0.0']);
    writeTree(folder.path, { 'hello/src/aux.php': '' });
    execFileSync('tar', ['czf', folder.at('hello.tgz'), '-C', folder.path, 'hello']);
    const remarked = await run(['hello.tgz', '--version', '1.1.0', '--url', url], { LIBRETTO_TOKEN: write_ });
    expect(remarked.stderr).toMatch(/^note: .*hello\/src\/aux\.php, which is no name of a file on Windows/m);

    expect(await remote(read)).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /^libretto: A token that begins with lib_r_ can only read, not publish\. .*\[INSUFFICIENT_SCOPE\]$/,
      ) as string,
    });
    write(undefined, { description: 'other' });
    const refused = await remote(write_);
    expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining('[VERSION_EXISTS]')]);
  });

  itInSeries('--dry-run asks the registry, and sends no ZIP', async () => {
    write(undefined);
    const url = registry.direct();
    const { token } = await registry.createToken('--kind', 'write');
    const dry = (secret: string, version: string): Promise<CliOutcome> =>
      run(['hello', '--version', version, '--url', url, '--dry-run'], { LIBRETTO_TOKEN: secret });
    expect((await dry(token, '2.0.0')).stdout).toMatch(
      new RegExp(
        `^Would publish acme/hello 2\\.0\\.0 on ${url} \\(\\d+ bytes\\)\\. Nothing was changed\\.\nNot checked here: whether the token may`,
      ),
    );
    await run(['hello', '--version', '2.0.0', '--url', url], { LIBRETTO_TOKEN: token });
    expect((await dry(token, '2.0.0')).stdout).toBe(
      `acme/hello 2.0.0 is already published on ${url} with the same bytes. Nothing would change.`,
    );
    write(undefined, { description: 'other' });
    expect(await dry(token, '2.0.0')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining(`is published already on ${url}, with other content`) as string,
    });
    expect(await dry(registry.token, '2.1.0')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('A token that begins with lib_r_ can only read, not publish.') as string,
    });
    expect(await dry('lib_w_unknown', '2.1.0')).toMatchObject({ exitCode: 1, stdout: '' });
    expect(Object.keys(publishedVersions(registry.data))).not.toContain('acme/hello@2.1.0');
  });
});
