// Tests the services and notices in packages.json, set in libretto.json, in the environment and on the command line,
// and the statistics of a package.

import { execa } from 'execa';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { below, libraryTree, temporaryTree, type TemporaryTree } from '../util/package-tree.ts';
import { binary, cleanEnvironment, runCli, startCli } from '../util/run-cli.ts';

let tree: TemporaryTree;
let token: string;

beforeAll(async () => {
  tree = temporaryTree(below('src/hello', libraryTree('acme/hello', { version: '1.0.0' })));
  writeFileSync(
    join(tree.root, 'libretto.json'),
    JSON.stringify({
      data: 'data',
      sources: ['src'],
      advertise: ['search'],
      warnings: [{ versions: '<2.5', message: 'Please update.' }],
    }),
  );
  expect((await runCli(['build'], { cwd: tree.root })).exitCode).toBe(0);
  token = (
    JSON.parse((await runCli(['token', 'create', '--json', '--description', 'a test'], { cwd: tree.root })).stdout) as {
      token: string;
    }
  ).token;
});
afterAll(() => tree.remove());

interface Served {
  readonly root: Readonly<Record<string, unknown>>;
  readonly report: Readonly<Record<string, unknown>>;
}

/** packages.json from a server with these variables, and the server's answer to an install report. */
async function serve(environment: Readonly<Record<string, string>> = {}): Promise<Served> {
  const child = startCli(['serve', '--listen', '127.0.0.1:0'], { cwd: tree.root, environment });
  const [url = ''] = await child.shows(/http:\/\/127\.0\.0\.1:\d+/);
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const [root, report] = await Promise.all([
    fetch(`${url}/packages.json`, { headers }),
    fetch(`${url}/downloads`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ downloads: [{ name: 'acme/hello', version: '1.0.0.0' }] }),
    }),
  ]);
  const served = {
    root: (await root.json()) as Record<string, unknown>,
    report: (await report.json()) as Record<string, unknown>,
  };
  child.signal('SIGTERM');
  await child.ended;
  return served;
}

const offered = ({ root }: Served): readonly string[] =>
  ['search', 'list', 'providers-api', 'notify-batch'].filter((key) => key in root);

describe('packages.json', () => {
  it('packages.json offers the services of libretto.json, unless the environment overrides them', async () => {
    const byFile = await serve();
    expect([offered(byFile), byFile.root['warnings']]).toEqual([
      ['search'],
      [{ versions: '<2.5', message: 'Please update.' }],
    ]);
    expect(offered(await serve({ LIBRETTO_ADVERTISE: 'none' }))).toEqual([]);
    expect(offered(await serve({ LIBRETTO_ADVERTISE: 'notify-batch, list' }))).toEqual(['list', 'notify-batch']);
    const { exitCode, stderr } = await runCli(['serve'], {
      cwd: tree.root,
      environment: { LIBRETTO_ADVERTISE: 'everything' },
    });
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringContaining('allowed: any of search, list, providers-api, notify-batch'),
    ]);
  });

  it('packages.json offers the services that were set at run time, and the environment overrides them', async () => {
    const set = (...args: readonly string[]) => runCli(['settings', ...args], { cwd: tree.root });
    expect((await set('set', 'advertise', '["list"]')).exitCode).toBe(0);
    expect(offered(await serve())).toEqual(['list']);
    expect(offered(await serve({ LIBRETTO_ADVERTISE: 'search' }))).toEqual(['search']);
    expect((await set('set', 'advertise', '["everything"]')).stderr).toContain(
      'advertise must be a list of any of search, list, providers-api, notify-batch',
    );
    expect((await set('unset', 'advertise')).exitCode).toBe(0);
    expect(offered(await serve())).toEqual(['search']);
  });
});

describe('libretto package statistics', () => {
  it('prints the counted downloads and installs with any setting, and refuses an unknown package', async () => {
    const before = JSON.parse(
      (await runCli(['package', 'statistics', 'acme/hello', '--json'], { cwd: tree.root })).stdout,
    ) as { installs: { total: number } };
    expect((await serve({ LIBRETTO_ADVERTISE: 'none' })).report).toEqual({ status: 'success', counted: 1 });
    const after = JSON.parse(
      (await runCli(['package', 'statistics', 'Acme/Hello', '--days', '1', '--json'], { cwd: tree.root })).stdout,
    ) as object;
    expect(after).toMatchObject({
      name: 'acme/hello',
      total: 0,
      versions: {},
      days: [],
      installs: { total: before.installs.total + 1, versions: { '1.0.0': before.installs.total + 1 } },
    });
    expect(await runCli(['package', 'statistics', 'acme/none'], { cwd: tree.root })).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: expect.stringContaining('There is no package acme/none in '),
    });
    for (const args of [['hello'], ['acme/hello', '--days', '0'], ['acme/hello', '--days', 'x']])
      expect((await runCli(['package', 'statistics', ...args], { cwd: tree.root })).exitCode, args.join(' ')).toBe(2);
  });

  it('draws the installs by day on a terminal', async () => {
    const line = `stty cols 60; ${process.execPath} ${binary} package statistics acme/hello --days 7`;
    const { stdout } = await execa('script', ['-qec', line, '/dev/null'], {
      cwd: tree.root,
      env: cleanEnvironment({ TERM: 'xterm' }),
      extendEnv: false,
      stdin: 'ignore',
    });
    expect(stdout).toMatch(/Installs a day, \d{4}-\d\d-\d\d to \d{4}-\d\d-\d\d:\r?\n *\d+ ┤ +███\r?\n/);
    expect((await runCli(['package', 'statistics', 'acme/hello'], { cwd: tree.root })).stdout).not.toContain('┤');
  });
});
