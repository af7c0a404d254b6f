// Tests `libretto why`: the source of a published version, or the reason why a version is not published.
import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { below, temporaryTree, type TemporaryTree } from '../util/package-tree.ts';
import { runCli, type CliOutcome } from '../util/run-cli.ts';
import { whoLibrary } from '../util/who-library.ts';

let tree: TemporaryTree;

beforeAll(async () => {
  tree = temporaryTree({
    ...below('packages/one', whoLibrary('acme/hello', '1.0.0', {}, 'a')),
    ...below('packages/old', whoLibrary('acme/hello', '0.9.0', {}, 'o')),
    ...below('packages/two', whoLibrary('acme/hello', '2.0.0', { require: { 'acme/other': '^^1' } }, 'b')),
    ...below('packages/dev', whoLibrary('acme/hello', undefined, {}, 'c')),
    ...below('packages/secret', whoLibrary('acme/secret', '1.0.0', {}, 'd')),
    'libretto.json': {
      json: {
        data: 'data',
        sources: [
          {
            type: 'directory',
            path: 'packages',
            except: { 'acme/secret': '*' },
            versions: { 'acme/hello': '<1.5 || 2.* || dev-main' },
          },
        ],
      },
    },
  });
  expect(await runCli(['build'], { cwd: tree.root })).toMatchObject({ exitCode: 1 });
  rmSync(tree.path('packages/old'), { recursive: true });
  tree.write(below('packages/dev', whoLibrary('acme/hello', undefined, {}, 'changed')));
  expect(await runCli(['build'], { cwd: tree.root })).toMatchObject({ exitCode: 1 });
});
afterAll(() => tree.remove());

const why = (...args: readonly string[]): Promise<CliOutcome> => runCli(['why', ...args], { cwd: tree.root });

interface Answer {
  readonly published: boolean;
  readonly versions: readonly {
    readonly version: string;
    readonly state: string;
    readonly source: string;
    readonly reference: string;
    readonly since: string;
  }[];
  readonly left_out: readonly { readonly code: string }[];
  readonly excluded_by: readonly { readonly option: string }[];
  readonly suggestions: readonly string[];
}

async function answer(...args: readonly string[]): Promise<Answer & { readonly exitCode: number }> {
  const { exitCode, stdout } = await why(...args, '--json');
  return { exitCode, ...(JSON.parse(stdout) as Answer) };
}

describe('libretto why', () => {
  it('names source and time of a published version', async () => {
    const found = await answer('acme/hello', '1.0.0');
    expect(found).toMatchObject({
      exitCode: 0,
      published: true,
      versions: [{ version: '1.0.0', state: 'published', source: 'dir:../packages' }],
      left_out: [],
      excluded_by: [],
    });
    const { stdout } = await why('acme/hello', 'v1.0');
    expect(stdout).toContain('is published');
    expect(stdout).toMatch(new RegExp(`^source +${tree.path('packages')}$`, 'm'));
    expect(stdout).toContain(found.versions[0]?.reference);
    expect(stdout).toContain(found.versions[0]?.since);
  });

  it('lists a package with the versions that the last build excluded', async () => {
    const { exitCode, stdout } = await why('Acme/Hello');
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(
      /published in 2 versions[^]*1\.0\.0 +published[^]*0\.9\.0 +withdrawn[^]*2\.0\.0 \([^)]*composer\.json\)[^]*\[CONSTRAINT_INVALID\]/,
    );
  });

  it('names the reason for an excluded version', async () =>
    expect(await answer('acme/hello', '2.0.0')).toMatchObject({
      exitCode: 1,
      published: false,
      left_out: [{ code: 'CONSTRAINT_INVALID' }],
    }));

  it('reports that a version was withdrawn and how long its archive stays', async () => {
    expect(await answer('acme/hello', '0.9.0')).toMatchObject({
      exitCode: 1,
      published: false,
      versions: [{ state: 'withdrawn' }],
    });
    expect((await why('acme/hello', '0.9.0')).stdout).toContain('until `libretto prune` removes it');
  });

  it('shows the earlier contents of a dev version', async () =>
    expect((await answer('acme/hello', 'dev-main')).versions.map(({ state }) => state)).toEqual([
      'published',
      'superseded',
    ]));

  it('names the limit of libretto.json that excludes a package or a version', async () => {
    expect((await answer('acme/secret')).excluded_by).toEqual([
      expect.objectContaining({ source: 'dir:../packages', option: 'sources[0].except["acme/secret"]', value: '*' }),
    ]);
    expect((await answer('acme/hello', '3.0.0')).excluded_by).toEqual([
      expect.objectContaining({ option: 'sources[0].versions["acme/hello"]' }),
    ]);
    expect((await why('acme/secret')).stdout).toContain('libretto.json excludes it');
  });

  it('suggests similar names', async () => {
    expect(await answer('acme/helo')).toMatchObject({ exitCode: 1, suggestions: ['acme/hello'] });
    expect((await answer('acme/hello', '1.0.1')).suggestions).toContain('1.0.0');
    expect((await why('acme/helo')).stdout).toContain('Did you mean acme/hello?');
  });

  it('refuses an invalid name', async () =>
    expect(await why('hello')).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('acme/hello') as string }));
});
