// Tests Libretto's metadata with Composer's resolver: names, links, stabilities, and the shown details of a package.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bearerAuth, createProject, type Project } from '../util/composer.ts';
import { below, temporaryTree, type Tree } from '../util/package-tree.ts';
import { startRegistry, type Registry } from '../util/registry.ts';
import { lacks } from '../util/tool.ts';
import { askWho, whoLibrary } from '../util/who-library.ts';
import { itInSeries } from '../util/series.ts';

const library = (name: string, version: string, fields: Readonly<Record<string, unknown>> = {}): Tree =>
  below(`${name.toLowerCase()}/${version}`, whoLibrary(name, version, fields));

describe.skipIf(lacks('composer', 'php'))('the resolver of Composer', () => {
  const source = temporaryTree({
    ...library('acme/hello', '1.0.0'),
    ...library('acme/hello', '1.1.0', {
      homepage: 'https://example.org/hello',
      keywords: ['greeting'],
      funding: [{ type: 'other', url: 'https://example.org/fund' }],
      support: { source: 'https://example.org/source' },
    }),
    ...library('Acme/Up', '1.0.0'),
    ...library('acme/implementation', '1.0.0', { provide: { 'acme/virtual': '1.0' } }),
    ...library('acme/needs-virtual', '1.0.0', { require: { 'acme/virtual': '^1.0' } }),
    ...library('acme/replacer', '3.2.0', { replace: { 'acme/replaced': 'self.version' } }),
    ...library('acme/needs-replaced', '1.0.0', { require: { 'acme/replaced': '^3.0' } }),
    ...library('acme/picky', '1.0.0', { conflict: { 'acme/target': '<2' } }),
    ...library('acme/target', '1.9.0'),
    ...library('acme/target', '2.0.0'),
    ...library('acme/modern', '1.0.0', { require: { php: '>=7.0' } }),
    ...library('acme/modern', '2.0.0', { require: { php: '>=99' } }),
    ...library('acme/beta', '1.0.0-beta1'),
  });
  let registry: Registry;

  const project = (composerJson: Readonly<Record<string, unknown>> = {}): Project =>
    createProject({ url: registry.url, auth: bearerAuth(registry.front.host, registry.token), composerJson });

  const update = async (require: Readonly<Record<string, string>>): Promise<Project> => {
    const app = project({ require });
    const { exitCode, output } = await app.run('update');
    expect(exitCode, output).toBe(0);
    return app;
  };

  beforeAll(async () => {
    registry = await startRegistry({ sources: [source.root] });
  });

  afterAll(async () => {
    await registry.stop();
    source.remove();
  });

  it('43: finds a name in mixed case, which is served in lower case', async () => {
    await using app = await update({ 'acme/up': '^1.0' });
    expect(Object.keys(app.locked())).toEqual(['acme/up']);
    expect(await app.php('echo AcmeUp\\Who::WHO;')).toBe('1.0.0');
    await using other = project();
    const { exitCode, output } = await other.run('require', 'Acme/Up');
    expect(exitCode === 0 || output.includes('acme/up'), output).toBe(true);
  });

  itInSeries('44: accepts a package that provides a virtual package', async () => {
    await using app = await update({ 'acme/needs-virtual': '^1.0', 'acme/implementation': '^1.0' });
    expect(Object.keys(app.locked()).sort()).toEqual(['acme/implementation', 'acme/needs-virtual']);
    expect(await app.php(askWho('acme/implementation', 'acme/needs-virtual'))).toBe('1.0.0 1.0.0');
  });

  itInSeries('45: treats replace with self.version as that version', async () => {
    await using app = await update({ 'acme/needs-replaced': '^1.0', 'acme/replacer': '^3.0' });
    expect(app.locked()['acme/replacer']?.['replace']).toEqual({ 'acme/replaced': 'self.version' });
    expect(await app.php(askWho('acme/needs-replaced', 'acme/replacer'))).toBe('1.0.0 3.2.0');
  });

  itInSeries('46: chooses another version because of a conflict', async () => {
    await using app = await update({ 'acme/picky': '^1.0', 'acme/target': '*' });
    expect(app.locked()['acme/target']?.version).toBe('2.0.0');
    await using impossible = project({ require: { 'acme/picky': '^1.0', 'acme/target': '^1.0' } });
    expect((await impossible.run('update')).exitCode).toBe(2);
    expect(impossible.exists('composer.lock')).toBe(false);
  });

  itInSeries('47: takes an older version because of a missing platform', async () => {
    await using app = project();
    const { exitCode, output } = await app.run('require', 'acme/modern');
    expect(exitCode, output).toBe(0);
    expect(output).toContain('php');
    expect(app.locked()['acme/modern']?.version).toBe('1.0.0');
    expect(await app.php(askWho('acme/modern'))).toBe('1.0.0');
  });

  itInSeries('48: reports a package with only a beta, and installs the beta on request', async () => {
    await using app = project();
    const refused = await app.run('require', 'acme/beta');
    expect(refused.exitCode).not.toBe(0);
    expect(refused.output).toContain('minimum-stability');
    expect(app.exists('vendor/acme')).toBe(false);
    const { exitCode, output } = await app.run('require', 'acme/beta:^1.0@beta');
    expect(exitCode, output).toBe(0);
    expect(app.locked()['acme/beta']?.version).toBe('1.0.0-beta1');
    expect(await app.php(askWho('acme/beta'))).toBe('1.0.0-beta1');
  });

  itInSeries('59: shows the fields for show, outdated, browse, fund and licenses', async () => {
    await using app = await update({ 'acme/hello': '1.0.*' });
    const shown = JSON.parse((await app.run('show', '-a', 'acme/hello', '--format=json')).stdout) as Record<
      string,
      unknown
    >;
    expect(shown).toMatchObject({
      name: 'acme/hello',
      versions: ['1.1.0', '1.0.0'],
      description: 'acme/hello for tests',
    });
    const outdated = JSON.parse((await app.run('outdated', '-D', '--format=json')).stdout) as {
      installed: Record<string, unknown>[];
    };
    expect(outdated.installed).toMatchObject([{ name: 'acme/hello', version: '1.0.0', latest: '1.1.0' }]);
    expect((await app.run('require', 'acme/hello:^1.1')).exitCode).toBe(0);
    expect((await app.run('browse', '--show', 'acme/hello')).stdout).toContain('https://example.org/source');
    expect((await app.run('browse', '--homepage', '--show', 'acme/hello')).stdout).toContain(
      'https://example.org/hello',
    );
    expect((await app.run('fund')).output).toContain('https://example.org/fund');
    const licenses = JSON.parse((await app.run('licenses', '--format=json')).stdout) as {
      dependencies: Record<string, unknown>;
    };
    expect(licenses.dependencies['acme/hello']).toMatchObject({ version: '1.1.0', license: ['MIT'] });
  });
});

describe.skipIf(lacks('composer', 'php'))('one invalid version among valid ones', () => {
  it('71: is never published: the other versions and the other packages install', async () => {
    const source = temporaryTree({
      ...library('acme/hello', '1.0.0'),
      ...below('acme/hello/broken', whoLibrary('acme/hello', 'one-point-two')),
      ...library('acme/hello', '1.1.0', { require: { 'acme/other': '^^1' } }),
      ...below('acme/garbled/1.0.0', { 'composer.json': '{"name": "acme/garbled",\n "version": }' }),
      ...library('acme/other', '2.0.0'),
    });
    await using registry = await startRegistry();
    const built = await registry.cli('build', '--json', source.root);
    source.remove();
    expect(built.exitCode).toBe(1);
    const { quarantined } = JSON.parse(built.stdout) as { quarantined: { code: string; where: string }[] };
    expect(quarantined.map(({ code }) => code).sort()).toEqual([
      'CONSTRAINT_INVALID',
      'INVALID_JSON',
      'VERSION_INVALID',
    ]);
    await using app = createProject({
      url: registry.url,
      auth: bearerAuth(registry.front.host, registry.token),
      composerJson: { require: { 'acme/hello': '*', 'acme/other': '*' } },
    });
    const { exitCode, output } = await app.run('update');
    expect(exitCode, output).toBe(0);
    expect(await app.php(askWho('acme/hello', 'acme/other'))).toBe('1.0.0 2.0.0');
  });
});
