// Tests `libretto status` on a data folder and on a remote registry.

import { mkdirSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, it } from 'vitest';

import { freePort } from '../util/redis-server.ts';
import { runCli, startCli, type CliOutcome, type RunningCli } from '../util/run-cli.ts';
import { temporaryFolder, type TemporaryFolder } from '../util/temporary-folder.ts';

let folder: TemporaryFolder;
let server: RunningCli | undefined;
beforeEach(() => {
  folder = temporaryFolder('cli-status');
  mkdirSync(folder.at('packages/hello'), { recursive: true });
  writeFileSync(folder.at('packages/hello/composer.json'), JSON.stringify({ name: 'acme/hello', version: '1.0.0' }));
  mkdirSync(folder.at('packages/broken'));
  writeFileSync(folder.at('packages/broken/composer.json'), '{');
});
afterEach(async () => {
  server?.signal('SIGKILL');
  await server?.ended;
  server = undefined;
  await folder.remove();
});

const here = (...args: readonly string[]): Promise<CliOutcome> =>
  runCli([...args, '--data', 'data'], { cwd: folder.path });
const json = ({ stdout }: CliOutcome): Record<string, unknown> => JSON.parse(stdout) as Record<string, unknown>;

it('status shows the publication and the result of the last build, the same for a data folder and a remote registry', async () => {
  await here('build', 'packages');
  const { token } = json(await here('token', 'create', '--description', 'CI', '--json')) as { token: string };
  const status = await here('status');
  expect([status.exitCode, status.stderr]).toEqual([0, '']);
  expect(status.stdout).toMatch(
    /^version +\S+\npublished +1 package, 1 version\npublication +1 of \S+\nlast build +published at \S+, 1 version left out\nrepositories +0\nartifacts +0\ntokens +1 read, 0 write\nusers +0$/,
  );

  server = startCli(['serve', '--data', 'data', '--listen', `127.0.0.1:${await freePort()}`], { cwd: folder.path });
  const url = (await server.shows(/http:\/\/127\.0\.0\.1:\d+/))[0];
  const there = (...args: readonly string[]): Promise<CliOutcome> =>
    runCli(['status', '--url', url, ...args], { cwd: folder.path, environment: { LIBRETTO_TOKEN: token } });
  expect((await there()).stdout).toBe(`${status.stdout}\ncounters      ok`);
  const { started_at: _started, state: _state, counters, ...shared } = json(await there('--json'));
  const { servers, ...known } = json(await here('status', '--json'));
  expect([shared, counters]).toEqual([known, 'ok']);
  expect(servers).toMatchObject([{ pid: server.pid, version: shared['version'], serial: null, lag_seconds: null }]);
  expect((await here('status')).stdout).toContain(`, ${url}`);
  expect((await there('--token', 'lib_r_no')).stderr).toContain('[INVALID_TOKEN]');
});

it('status shows an empty registry', async () => {
  await here('restore', '--empty');
  expect(json(await here('status', '--json'))).toMatchObject({
    counts: { packages: 0, users: 0 },
    publication: null,
    last_build: null,
  });
});
