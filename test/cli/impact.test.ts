// Tests `libretto impact`: it compares the versions of a lock file with the published ones.
import { readFileSync, rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { below, temporaryTree, type TemporaryTree } from '../util/package-tree.ts';
import { publishedVersions, type PublishedVersions } from '../util/published-tree.ts';
import { runCli, type CliOutcome } from '../util/run-cli.ts';
import { whoLibrary } from '../util/who-library.ts';

let tree: TemporaryTree;
let locked: PublishedVersions;

const hello = (folder: string, version: string | undefined, who: string): void =>
  tree.write(below(`packages/${folder}`, whoLibrary('acme/hello', version, {}, who)));

beforeAll(async () => {
  tree = temporaryTree();
  hello('one', '1.0.0', 'a');
  hello('two', '1.1.0', 'b');
  hello('dev', undefined, 'c');
  tree.write(below('packages/other', whoLibrary('acme/other', '1.0.0', {}, 'd')));
  expect(await build()).toMatchObject({ exitCode: 0 });
  locked = publishedVersions(tree.path('data'));
  rmSync(tree.path('packages/two'), { recursive: true });
  hello('dev', undefined, 'changed');
  expect(await build()).toMatchObject({ exitCode: 0 });
  rmSync(tree.path('data/public/dist/acme/other/1.0.0.zip'));
});
afterAll(() => tree.remove());

const build = (): Promise<CliOutcome> => runCli(['build', './packages', '--data', 'data'], { cwd: tree.root });

type Entry = readonly [name: string, version: string, dist?: Readonly<Record<string, unknown>>];

function lock(...entries: readonly Entry[]): string {
  const packages = entries.map(([name, version, dist]) => ({
    name,
    version,
    dist: { type: 'zip', url: `/dist/${name}/${version}.zip`, ...locked[`${name}@${version}`], ...dist },
  }));
  tree.write({ 'composer.lock': { json: { packages: packages.slice(0, 1), 'packages-dev': packages.slice(1) } } });
  return 'composer.lock';
}

async function impact(path: string, ...flags: readonly string[]): Promise<readonly [exitCode: number, ...string[]]> {
  const { exitCode, stdout } = await runCli(['impact', path, '--data', 'data', '--json', ...flags], { cwd: tree.root });
  const { impacts } = JSON.parse(stdout) as {
    impacts: { name: string; version: string; kind: string; installable: boolean }[];
  };
  return [
    exitCode,
    ...impacts.map(
      ({ name, version, kind, installable }) => `${name} ${version} ${kind}${installable ? '' : ' for good'}`,
    ),
  ];
}

describe('libretto impact', () => {
  it('finds nothing where all versions are as locked, and ignores packages of other registries', async () => {
    expect(await impact(lock(['acme/hello', '1.0.0'], ['symfony/console', 'v7.0.0']))).toEqual([0]);
    const { stdout } = await runCli(
      ['impact', lock(['acme/hello', '1.0.0'], ['symfony/console', 'v7.0.0']), '--data', 'data'],
      { cwd: tree.root },
    );
    expect(stdout).toContain('composer.lock: 1 package of this registry, all as locked.');
  });

  it('finds withdrawn, moved and missing versions, also among development packages', async () => {
    expect(await impact(lock(['acme/hello', '1.1.0'], ['acme/hello', 'dev-main'], ['acme/other', '1.0.0']))).toEqual([
      1,
      'acme/hello 1.1.0 withdrawn',
      'acme/hello dev-main changed',
      'acme/other 1.0.0 missing for good',
    ]);
  });

  it('finds other bytes and another reference under the same version', async () => {
    expect(await impact(lock(['acme/hello', '1.0.0', { shasum: 'a'.repeat(40) }]))).toEqual([
      1,
      'acme/hello 1.0.0 changed for good',
    ]);
    expect(await impact(lock(['acme/hello', '1.0.0', { reference: 'a'.repeat(40) }]))).toEqual([
      1,
      'acme/hello 1.0.0 missing for good',
    ]);
    expect(await impact(lock(['acme/hello', '9.0.0', { reference: 'a'.repeat(40) }]))).toEqual([
      1,
      'acme/hello 9.0.0 missing for good',
    ]);
  });

  it('with the address of this registry finds packages that the registry no longer knows', async () => {
    const path = lock(
      ['acme/gone', '1.0.0', { url: 'https://packages.example.org/dist/acme/gone/1.0.0.zip' }],
      [
        'acme/too',
        '1.0.0',
        { mirrors: [{ url: 'https://packages.example.org/dist/%package%/%version%.zip', preferred: true }] },
      ],
      ['symfony/console', 'v7.0.0', { url: 'https://example.com/console.zip' }],
    );
    expect(await impact(path)).toEqual([0]);
    expect(await impact(path, '--url', 'https://packages.example.org')).toEqual([
      1,
      'acme/gone 1.0.0 missing for good',
      'acme/too 1.0.0 missing for good',
    ]);
  });

  it('refuses a file that is no lock file', async () => {
    tree.write({ 'composer.json': '{}' });
    for (const path of ['composer.json', 'nowhere.lock'])
      expect(await runCli(['impact', path, '--data', 'data'], { cwd: tree.root })).toMatchObject({
        exitCode: 2,
        stderr: expect.stringContaining(path) as string,
      });
  });

  it('writes nothing', () =>
    expect(readFileSync(tree.path('data/build/manifest.json'), 'utf8')).toContain('"serial":2'));
});
