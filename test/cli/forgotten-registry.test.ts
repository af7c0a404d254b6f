// Tests that a publication whose registry nobody named is refused, and that answers about unknown packages and versions
// say what there is instead.

import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runCli, type CliOutcome } from '../util/run-cli.ts';
import { temporaryFolder, type TemporaryFolder } from '../util/temporary-folder.ts';

let folder: TemporaryFolder;
beforeEach(() => {
  folder = temporaryFolder('forgotten-registry');
  mkdirSync(folder.at('hello'));
  writeFileSync(folder.at('hello/composer.json'), '{"name":"acme/hello","version":"1.0.0"}');
});
afterEach(() => folder.remove());

const run = (args: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<CliOutcome> =>
  runCli(args, { cwd: folder.path, environment });

it.each([{}, { CI: 'true' }, { LIBRETTO_URLL: 'https://packages.example.org' }])(
  'publish without a registry and a data folder ends with 2 and makes nothing, with %j',
  async (env) => {
    const { exitCode, stdout, stderr } = await run(['publish', 'hello'], env);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toContain(`No registry is named, and there is no data folder ${folder.at('var')} (default).`);
    expect(stderr).toContain('set LIBRETTO_URL and LIBRETTO_TOKEN, or use --url');
    expect(existsSync(folder.at('var'))).toBe(false);
  },
);

it('publish makes the data folder that is named', async () => {
  expect((await run(['publish', 'hello', '--data', 'data'])).exitCode).toBe(0);
  writeFileSync(folder.at('libretto.json'), '{"data":"other"}');
  expect((await run(['publish', 'hello'])).exitCode).toBe(0);
  expect(existsSync(folder.at('other/public/packages.json'))).toBe(true);
});

it('why names what there is, and a new token the names without a package', async () => {
  const data = ['--data', 'data'];
  await run(['build', 'hello', ...data]);
  expect((await run(['why', 'acme/hello', '9', ...data])).stdout).toContain(
    'acme/hello has 1.0.0: `libretto why acme/hello',
  );
  expect((await run(['why', 'acme/other', ...data])).stdout).toContain('` names the packages.');
  const made = await run(['token', 'create', '--description', 'x', '--package', 'acme/helo', ...data]);
  expect([made.exitCode, made.stderr]).toEqual([
    0,
    expect.stringContaining('No package of this registry matches acme/helo.'),
  ]);
  const right = await run(['token', 'create', '--description', 'x', '--package', 'acme/*', ...data]);
  expect(right.stderr).not.toContain('No package of this registry');
});

it('init prints nothing with --quiet', async () => {
  const { exitCode, stdout, stderr } = await run(['init', '--quiet', '--source', 'hello', '--yes']);
  expect([exitCode, stdout, stderr]).toEqual([0, '', '']);
});
