// Tests the install reports that Composer sends, and the notices that Composer shows.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bearerAuth, createProject, type Project } from '../util/composer.ts';
import { below, temporaryTree } from '../util/package-tree.ts';
import { startRegistry, type Registry } from '../util/registry.ts';
import { describeInSeries, itInSeries } from '../util/series.ts';
import { lacks } from '../util/tool.ts';
import { askWho, whoLibrary } from '../util/who-library.ts';

interface Statistics {
  readonly total: number;
  readonly versions: Readonly<Record<string, number>>;
  readonly installs: { readonly total: number; readonly versions: Readonly<Record<string, number>> };
}

describe.skipIf(lacks('composer', 'php'))('installs with Composer', () => {
  const source = temporaryTree({
    ...below('acme/hello/1.1', whoLibrary('acme/hello', '1.1')),
    ...below('acme/user/2.0.0', whoLibrary('acme/user', '2.0.0', { require: { 'acme/hello': '^1.0' } })),
  });
  let registry: Registry;

  const project = (): Project =>
    createProject({
      url: registry.url,
      auth: bearerAuth(registry.front.host, registry.token),
      composerJson: { require: { 'acme/user': '^2.0' } },
    });
  const reports = () => registry.front.requests.splice(0).filter(({ method }) => method === 'POST');
  const statistics = async (name: string): Promise<Statistics> =>
    JSON.parse((await registry.cli('package', 'statistics', name, '--json')).stdout) as Statistics;

  beforeAll(async () => {
    registry = await startRegistry({ sources: [source.root] });
  });

  afterAll(async () => {
    await registry.stop();
    source.remove();
  });

  it('scenario 68: are reported after an update, and after an install from a lock and a warm cache; statistics list them next to downloads', async () => {
    await using app = project();
    registry.front.requests.splice(0);
    expect((await app.run('update')).exitCode).toBe(0);
    expect(reports()).toMatchObject([
      {
        target: '/downloads',
        status: 200,
        headers: { authorization: `Bearer ${registry.token}`, 'content-type': 'application/json' },
      },
    ]);

    app.removeVendor();
    expect((await app.run('install')).exitCode).toBe(0);
    expect(registry.front.requests.splice(0).map(({ method, target, status }) => [method, target, status])).toEqual([
      ['POST', '/downloads', 200],
    ]);

    app.removeVendor();
    expect((await app.runWith({ COMPOSER_DISABLE_NETWORK: '1' }, 'install')).exitCode).toBe(0);
    expect(registry.front.requests.splice(0)).toEqual([]);

    await registry.stopServer(); // counts are stored
    expect(await statistics('acme/hello')).toMatchObject({
      total: 1,
      versions: { '1.1': 1 },
      installs: { total: 2, versions: { '1.1': 2 } },
    });
    expect(await statistics('acme/user')).toMatchObject({ total: 1, installs: { total: 2, versions: { '2.0.0': 2 } } });
    const { stdout } = await registry.cli('package', 'statistics', 'acme/hello');
    expect(stdout).toMatch(
      /^acme\/hello: 1 download and 2 installs in total; in the last 30 days:\nVERSION +DOWNLOADS +INSTALLS\n1\.1 +1 +2$/,
    );
    await registry.startServer();
  });

  itInSeries('scenario 68: succeed when a report fails', async () => {
    registry.front.answer = (target) =>
      target === '/downloads'
        ? { status: 500, headers: { 'content-type': 'application/json' }, body: '{"error":"broken"}' }
        : undefined;
    await using app = project();
    const { exitCode, output } = await app.run('update');
    registry.front.answer = undefined;
    expect(exitCode, output).toBe(0);
    expect(await app.php(askWho('acme/hello', 'acme/user'))).toBe('1.1 2.0.0');
    // the installation is complete, whatever the report's limit
    const { token } = await registry.createToken('--limit', '5');
    await using limited = createProject({
      url: registry.url,
      auth: bearerAuth(registry.front.host, token),
      composerJson: { require: { 'acme/user': '^2.0' } },
    });
    registry.front.requests.splice(0);
    expect((await limited.run('update')).exitCode).toBe(0);
    expect(reports().map(({ status }) => status)).toEqual([429]);
    expect(await limited.php(askWho('acme/hello', 'acme/user'))).toBe('1.1 2.0.0');
  });
});

describeInSeries.skipIf(lacks('composer', 'php'))('warnings and notices', () => {
  it('scenario 67: are shown by the version of Composer, as soon as they are set', async () => {
    const source = temporaryTree(below('acme/hello/1.0.0', whoLibrary('acme/hello', '1.0.0')));
    await using registry = await startRegistry({ sources: [source.root] });
    await using app = createProject({
      url: registry.url,
      auth: bearerAuth(registry.front.host, registry.token),
      composerJson: { require: { 'acme/hello': '^1.0' } },
    });
    expect((await app.run('update')).output).not.toContain('Warning from');
    const warnings = [
      { versions: '<99', message: 'Please update Composer before March.' },
      { versions: '>=99', message: 'Not for you.' },
    ];
    expect((await registry.cli('settings', 'set', 'warnings', JSON.stringify(warnings))).exitCode).toBe(0);
    expect(
      (
        await registry.cli(
          'settings',
          'set',
          'infos',
          JSON.stringify([{ versions: '^2.2', message: 'Maintenance on Sunday.' }]),
        )
      ).exitCode,
    ).toBe(0);
    const { exitCode, output } = await app.run('update');
    expect(exitCode, output).toBe(0);
    expect(output).toContain(`Warning from ${registry.url}: Please update Composer before March.`);
    expect(output).toContain(`Info from ${registry.url}: Maintenance on Sunday.`);
    expect(output).not.toContain('Not for you.');
    // Composer shows the notices when it reads packages.json, and it does not read a cached one again
    expect((await app.run('update')).output).not.toContain('Warning from');
    expect(
      (await registry.cli('settings', 'set', 'warnings', '[{"versions":"nonsense!","message":"x"}]')).exitCode,
    ).toBe(2);
    source.remove();
  });
});
