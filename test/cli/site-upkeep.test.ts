// Tests how the catalogue of the setting `site` follows publications: those of commands, and those that a server
// notices.

import { existsSync, readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { runDoctor } from '../util/doctor-report.ts';
import { eventually } from '../util/eventually.ts';
import { below, temporaryTree, type TemporaryTree } from '../util/package-tree.ts';
import { runCli, startCli, type RunningCli } from '../util/run-cli.ts';
import { whoLibrary } from '../util/who-library.ts';
import { describeInSeries, itInSeries } from '../util/series.ts';

let registry: TemporaryTree;
const libretto = (...args: readonly string[]) => runCli([...args, '--data', 'data'], { cwd: registry.root });
/** Publishes, and knows no catalogue. */
const apart = (...args: readonly string[]) => libretto(...args, '--config', 'none.json');
const versionsIn = (folder: string): string =>
  existsSync(registry.path(folder, 'packages/acme/core/versions/index.html'))
    ? readFileSync(registry.path(folder, 'packages/acme/core/versions/index.html'), 'utf8')
    : '';

beforeAll(async () => {
  registry = temporaryTree({
    'libretto.json': { json: { site: 'site' } },
    'none.json': '{}',
    ...below('packages/core-1.0.0', whoLibrary('acme/core', '1.0.0')),
    ...below('packages/core-1.1.0', whoLibrary('acme/core', '1.1.0')),
  });
  expect(await libretto('build', 'packages')).toMatchObject({ exitCode: 0 });
  expect(versionsIn('site')).toContain('1.1.0');
});
afterAll(() => registry.remove());

describe('after a command that publishes', () => {
  it('the catalogue shows the publication, and the output is as without one', async () => {
    const withdrawn = await libretto('package', 'withdraw', 'acme/core', '1.1.0');
    expect(withdrawn).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^acme\/core 1\.1\.0 is withdrawn/) });
    expect(withdrawn.stderr).toContain(`Catalogue of 1 package in ${registry.path('site')}`);
    expect(versionsIn('site')).not.toContain('1.1.0');
    expect(await libretto('package', 'restore', 'acme/core', '1.1.0', '--json')).toMatchObject({ exitCode: 0 });
    expect(versionsIn('site')).toContain('1.1.0');
  });

  itInSeries('a preview leaves it as it is', async () => {
    expect(await apart('package', 'withdraw', 'acme/core', '1.0.0')).toMatchObject({ exitCode: 0 });
    const preview = await libretto('rollback', '1', '--dry-run');
    expect(preview).toMatchObject({ exitCode: 0, stderr: '' });
    expect(versionsIn('site')).toContain('1.0.0');
    expect((await runDoctor(registry.root, ['--data', 'data'])).of('site')).toMatchObject({
      verdict: 'warning',
      message: expect.stringMatching(/shows publication 3, and 4 is published/),
    });
  });

  it('a catalogue that cannot be written is told, and the command succeeds', async () => {
    await apart('package', 'withdraw', 'acme/core', '1.0.0');
    const restored = await runCli(['package', 'restore', 'acme/core', '1.0.0', '--data', 'data'], {
      cwd: registry.root,
      environment: { LIBRETTO_SITE: 'packages' },
    });
    expect(restored.exitCode).toBe(0);
    expect(restored.stderr).toMatch(/catalogue is not up to date: .*has files that Libretto did not write/);
  });
});

describeInSeries('a server', () => {
  let running: RunningCli | undefined;
  afterEach(async () => {
    running?.signal('SIGTERM');
    expect(await running?.ended).toMatchObject({ exitCode: 0 });
  });

  async function serve(site: string) {
    const server = startCli(['serve', '--data', 'data', '--listen', '127.0.0.1:0', '--site', site, '--log', 'none'], {
      cwd: registry.root,
    });
    running = server;
    const [, url = ''] = await server.shows(/Serving .* on (http:\/\/127\.0\.0\.1:\d+)/);
    return { server, url };
  }

  it('writes the catalogue at its start, and after publications of others', async () => {
    await serve('served');
    await eventually(() => versionsIn('served').includes('1.1.0'));
    expect(await apart('package', 'withdraw', 'acme/core', '1.1.0')).toMatchObject({ exitCode: 0 });
    await eventually(() => versionsIn('served') !== '' && !versionsIn('served').includes('1.1.0'));
    const report = await runDoctor(registry.root, ['--data', 'data'], { LIBRETTO_SITE: 'served' });
    expect(report.of('site')).toMatchObject({ verdict: 'ok' });
  });

  it('serves although it cannot write the catalogue, and tells the reason', async () => {
    const { server, url } = await serve('packages');
    await server.shows(/The catalogue in .*packages is not up to date.*has files that Libretto did not write/);
    expect((await fetch(`${url}/packages.json`)).status).toBe(401);
    const report = await runDoctor(registry.root, ['--data', 'data'], { LIBRETTO_SITE: 'packages' });
    expect(report.of('site')).toMatchObject({ verdict: 'failed' });
  });
});
