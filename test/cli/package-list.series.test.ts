// Tests `libretto package list`, on a data folder and with --url. A token sees the packages and versions of its limits
// alone.

import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { below, libraryTree, temporaryTree, type TemporaryTree } from '../util/package-tree.ts';
import { runCli, startCli, type CliOutcome, type RunningCli } from '../util/run-cli.ts';
import { itInSeries } from '../util/series.ts';

/** more than a page of the API has */
const many = 201;

let tree: TemporaryTree;
let server: RunningCli;
let url: string;

const here = (...args: readonly string[]): Promise<CliOutcome> => runCli(args, { cwd: tree.root });
const there = (token: string, ...args: readonly string[]): Promise<CliOutcome> =>
  runCli(['package', 'list', ...args], {
    cwd: tree.root,
    environment: { LIBRETTO_URL: url, LIBRETTO_TOKEN: token },
  });
const tokenWith = async (...flags: readonly string[]): Promise<string> =>
  (JSON.parse((await here('token', 'create', '--description', 'x', '--json', ...flags)).stdout) as { token: string })
    .token;
const namesIn = ({ stdout }: CliOutcome): string[] =>
  (JSON.parse(stdout) as { packages: { name: string }[] }).packages.map(({ name }) => name);

beforeAll(async () => {
  const others = Array.from({ length: many }, (_, at) =>
    below(`src/m${at}`, libraryTree(`many/p${at}`, { version: '1.0.0' })),
  );
  tree = temporaryTree({
    ...below('src/one', libraryTree('acme/hello', { version: '1.0.0', description: 'Says hello' })),
    ...below('src/two', libraryTree('acme/hello', { version: '1.1.0', description: 'Says hello' })),
    ...below('src/old', libraryTree('acme/old', { version: '0.9.0', abandoned: 'acme/hello' })),
    ...Object.assign({}, ...others),
  });
  expect((await here('build', 'src')).exitCode).toBe(0);
  server = startCli(['serve', '--listen', '127.0.0.1:0'], { cwd: tree.root });
  [url] = (await server.shows(/http:\/\/127\.0\.0\.1:\d+/)) as unknown as [string];
});
afterAll(async () => {
  server.signal('SIGTERM');
  await server.ended;
  tree.remove();
});

it('shows the newest version, the number of versions, the type and the replacement of packages', async () => {
  expect(await here('package', 'list', 'ACME/*')).toMatchObject({
    exitCode: 0,
    stdout: [
      'NAME        NEWEST  VERSIONS  TYPE',
      'acme/hello  1.1.0   2         library',
      'acme/old    0.9.0   1         library  abandoned, use acme/hello',
    ].join('\n'),
  });
  expect(namesIn(await here('package', 'list', 'acme/hello', 'many/p7', '--json'))).toEqual(['acme/hello', 'many/p7']);
  expect(await here('package', 'list', 'none/*')).toMatchObject({
    exitCode: 0,
    stdout: '',
    stderr: expect.stringContaining(`shows all ${many + 2}.`) as string,
  });
});

it('gives the same document with --url, and only what the token sees', async () => {
  const all = await here('package', 'list', '--json');
  expect(await there(await tokenWith(), '--json')).toEqual(all);
  expect(namesIn(all)).toHaveLength(many + 2);
  const limited = await there(await tokenWith('--package', 'acme/hello:1.0.0'));
  expect(limited.stdout).toBe('NAME        NEWEST  VERSIONS  TYPE\nacme/hello  1.0.0   1         library');
  expect((await there('lib_r_no')).stderr).toContain('[INVALID_TOKEN]');
});

itInSeries('names damaged packages, and lists the others', async () => {
  writeFileSync(tree.path('var/index/acme/old.json'), 'damaged');
  const outcome = await here('package', 'list', 'acme/*');
  expect([outcome.exitCode, outcome.stdout, outcome.stderr]).toEqual([
    1,
    expect.stringMatching(/^NAME .*\nacme\/hello [^\n]*$/) as string,
    expect.stringContaining('1 package is damaged and not listed, such as acme/old. `libretto verify` names') as string,
  ]);
});
