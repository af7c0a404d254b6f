// Tests a composer.json with a repeated key: PHP takes the last value at the first place, and so does every way into
// the registry.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, it } from 'vitest';

import { createRepository } from '../util/git-repository.ts';
import { writeTree } from '../util/package-tree.ts';
import { runCli, type CliOutcome } from '../util/run-cli.ts';
import { temporaryFolder, type TemporaryFolder } from '../util/temporary-folder.ts';
import { lacks, toolPath } from '../util/tool.ts';

let folder: TemporaryFolder;
beforeEach(() => void (folder = temporaryFolder('repeated-keys')));
afterEach(() => folder.remove());

const run = (...args: readonly string[]): Promise<CliOutcome> => runCli(args, { cwd: folder.path });
const composerJson = (name: string, more = ''): string =>
  `{"name": "acme/${name}", "extra": {"lost": 1}, ${more}"require": {"php": ">=5", "ext-json": "*", "php": ">=7"}, "type": "library", "extra": {"b": {"x": 1, "y": 2, "x": 3}, "a": 1}}`;
const lastValues = { require: { php: '>=7', 'ext-json': '*' }, extra: { b: { x: 3, y: 2 }, a: 1 } };
const notice = (name: string, versions: string, key: string): string =>
  `acme/${name} ${versions}: composer.json has the key "${key}" twice in one object.`;

function published(data: string, label: string): unknown {
  const [name = '', version = ''] = label.split('@');
  const text = readFileSync(
    folder.at(`${data}/public/p2/${name}${version.startsWith('dev-') ? '~dev' : ''}.json`),
    'utf8',
  );
  return (JSON.parse(text) as { packages: Record<string, Record<string, unknown>> }).packages[name]?.[version];
}

it.skipIf(lacks('git', 'php'))(
  "a build publishes the fields in PHP's order, with one notice for all versions",
  async () => {
    createRepository(folder.at('lib'), [
      { commit: 'main', files: { 'composer.json': composerJson('lib') } },
      { tag: '1.0.0', at: 'main' },
      { tag: '1.1.0', at: 'main' },
    ]);
    writeTree(folder.path, {
      'packages/flat/composer.json': composerJson('flat', '"version": "1.0.0", "version": "2.0.0", '),
    });
    const { exitCode, stdout, stderr } = await run('build', 'lib', 'packages', '--data', 'data');
    expect([exitCode, stderr]).toEqual([0, '']);
    for (const version of ['acme/lib@1.0.0', 'acme/lib@1.1.0', 'acme/lib@dev-main', 'acme/flat@2.0.0'])
      expect(published('data', version)).toMatchObject(lastValues);
    for (const key of ['extra', 'php', 'x']) expect(stdout).toContain(notice('lib', '1.0.0, 1.1.0, dev-main', key));
    expect(stdout).toContain(notice('flat', '2.0.0', 'version'));

    const asPhp = execFileSync(
      toolPath('php'),
      [
        '-r',
        'echo json_encode(array_diff_key(json_decode(stream_get_contents(STDIN), true), ["name" => 0]), JSON_UNESCAPED_SLASHES);',
      ],
      { input: composerJson('lib'), encoding: 'utf8' },
    );
    expect(readFileSync(folder.at('data/public/p2/acme/lib.json'), 'utf8')).toContain(asPhp.slice(1, -1));
    expect((await run('build', '--data', 'data')).stdout).toContain('Nothing has changed');
  },
);

it('an artifact and a received tree publish the same fields', async () => {
  writeTree(folder.path, { 'hello/composer.json': composerJson('hello', '"version": "1.0.0", ') });
  const publication = await run('publish', 'hello', '--data', 'data');
  expect([publication.exitCode, publication.stderr]).toEqual([
    0,
    ['php', 'extra', 'x']
      .map((key) => `note: ${notice('hello', '1.0.0', key)} The last value counts, as in Composer; keep only one.`)
      .join('\n'),
  ]);
  expect(published('data', 'acme/hello@1.0.0')).toMatchObject(lastValues);
  expect((await run('build', 'artifact:data/artifacts', '--data', 'built')).exitCode).toBe(0);
  expect(published('built', 'acme/hello@1.0.0')).toMatchObject(lastValues);
  expect(await run('receive', 'built', '--as', 'ci', '--data', 'receiving')).toMatchObject({ exitCode: 0 });
  expect(published('receiving', 'acme/hello@1.0.0')).toMatchObject(lastValues);
});
