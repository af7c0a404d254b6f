// Tests searches with the real Composer: search, show -a, outdated, and its suggestions for a virtual package.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bearerAuth, createProject, type Project } from '../util/composer.ts';
import { below, temporaryTree, type Tree } from '../util/package-tree.ts';
import { startRegistry, type Registry } from '../util/registry.ts';
import { describeInSeries, itInSeries } from '../util/series.ts';
import { lacks } from '../util/tool.ts';
import { whoLibrary } from '../util/who-library.ts';

const library = (name: string, version: string, fields: Readonly<Record<string, unknown>> = {}): Tree =>
  below(`${name}/${version}`, whoLibrary(name, version, fields));

describe.skipIf(lacks('composer', 'php'))('Composer looking for packages', () => {
  const source = temporaryTree({
    ...library('acme/hello', '1.0.0', { description: 'Says hello', homepage: 'https://example.org/hello' }),
    ...library('acme/hello', '1.1.0', { description: 'Says hello politely', homepage: 'https://example.org/hello' }),
    ...library('acme/logger', '1.0.0', {
      description: 'Writes lines',
      keywords: ['hello'],
      provide: { 'psr/log-implementation': '1.0.0' },
    }),
    ...library('acme/second-logger', '2.0.0', { provide: { 'psr/log-implementation': '1.0.0' } }),
    ...library('acme/plugin', '1.0.0', { type: 'acme-plugin', description: 'Says hello in another way' }),
    ...library('acme/old', '1.0.0', { description: 'Said hello', abandoned: 'acme/hello' }),
    ...library('globex/tool', '1.0.0'),
    ...library('acme/beta', '1.0.0-beta1'),
  });
  let registry: Registry;

  const project = (composerJson: Readonly<Record<string, unknown>> = {}): Project =>
    createProject({ url: registry.url, auth: bearerAuth(registry.front.host, registry.token), composerJson });
  const found = async (app: Project, ...args: readonly string[]): Promise<readonly string[]> => {
    const { exitCode, output, stdout } = await app.run('search', '--format=json', ...args);
    expect(exitCode, output).toBe(0);
    return (JSON.parse(stdout) as { name: string }[]).map(({ name }) => name);
  };

  beforeAll(async () => {
    registry = await startRegistry({ sources: [source.root] });
  });

  afterAll(async () => {
    await registry.stop();
    source.remove();
  });

  it('scenario 60: finds names, keywords and descriptions', async () => {
    await using app = project();
    registry.front.take();
    expect(await found(app, 'hello')).toEqual(['acme/hello', 'acme/logger', 'acme/plugin', 'acme/old']);
    expect(registry.front.take()).toEqual(['/packages.json', '/search.json?q=hello&type=']);
  });

  itInSeries('scenario 60: marks abandoned packages, and searches by type and by several words', async () => {
    await using app = project();
    registry.front.take();
    expect(await found(app, '--type=acme-plugin', 'hello')).toEqual(['acme/plugin']);
    expect(registry.front.take()).toContain('/search.json?q=hello&type=acme-plugin');
    expect(await found(app, 'hello', 'politely')).toEqual(['acme/hello']);
    expect(await found(app, 'zzqx', 'hello')).toEqual([]);
    const shown = (await app.run('search', 'hello')).stdout.split('\n').map((line) => line.trim());
    expect(shown).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^acme\/hello +Says hello politely$/),
        expect.stringMatching(/^acme\/old +! Abandoned ! Said hello$/),
      ]),
    );
  });

  itInSeries('scenario 60: searches by name and by vendor', async () => {
    await using app = project();
    expect(await found(app, '--only-name', 'logger')).toEqual(['acme/logger', 'acme/second-logger']);
    expect(await found(app, '--only-vendor', 'glo')).toEqual(['globex']);
  });

  it('scenario 61: lists with show -a the packages that a pattern matches', async () => {
    await using app = project();
    const { exitCode, output, stdout } = await app.run('show', '-a', '--format=json', 'acme/*');
    expect(exitCode, output).toBe(0);
    const names = (JSON.parse(stdout) as { available: { name: string }[] }).available.map(({ name }) => name);
    expect(names.sort()).toEqual([
      'acme/beta',
      'acme/hello',
      'acme/logger',
      'acme/old',
      'acme/plugin',
      'acme/second-logger',
    ]);
  });

  it('scenario 66: lists the providers when a virtual package is required', async () => {
    await using app = project({ require: { 'psr/log-implementation': '^1.0' } });
    registry.front.take();
    const { exitCode, output } = await app.run('update');
    expect(exitCode).not.toBe(0);
    expect(output).toContain('Consider requiring one of these to satisfy the psr/log-implementation requirement');
    expect(output).toContain('- acme/logger Writes lines');
    expect(output).toContain('- acme/second-logger');
    expect(registry.front.take()).toContain('/providers/psr/log-implementation.json');
  });

  itInSeries(
    'scenario 66: never takes an existing package for a virtual one, and reports an unknown name as unknown',
    async () => {
      await using app = project();
      const beta = await app.run('require', 'acme/beta');
      expect(beta.exitCode).not.toBe(0);
      expect(beta.output).toContain('minimum-stability');
      const unknown = await app.run('require', 'acme/nothing-like-it');
      expect(unknown.exitCode).not.toBe(0);
      expect(unknown.output).toMatch(/Could not find (?:a matching version of )?package acme\/nothing-like-it/);
      const mistyped = await app.run('require', 'acme/helo');
      expect(mistyped.exitCode).not.toBe(0);
      expect(mistyped.output).toMatch(/Did you mean this\?\s+acme\/hello/);
      expect(app.exists('composer.lock')).toBe(false);
    },
  );

  itInSeries('scenario 62: warns of an abandoned package at its installation, with the replacement', async () => {
    await using app = project({ require: { 'acme/old': '^1.0' } });
    const { exitCode, output } = await app.run('update');
    expect(exitCode, output).toBe(0);
    expect(output).toContain('Package acme/old is abandoned, you should avoid using it. Use acme/hello instead.');
    const outdated = await app.run('outdated', '--format=json');
    expect(JSON.parse(outdated.stdout)).toMatchObject({ installed: [{ name: 'acme/old', abandoned: 'acme/hello' }] });
  });
});

describeInSeries.skipIf(lacks('composer', 'php'))('a registry without search', () => {
  it('is searched by its list of names, and gets no reports', async () => {
    const source = temporaryTree(library('acme/hello', '1.0.0', { description: 'Greets' }));
    await using registry = await startRegistry({ sources: [source.root] });
    expect((await registry.cli('settings', 'set', 'advertise', '[]')).exitCode).toBe(0);
    await using app = createProject({
      url: registry.url,
      auth: bearerAuth(registry.front.host, registry.token),
      composerJson: { require: { 'acme/hello': '^1.0' } },
    });
    const { stdout } = await app.run('search', '--format=json', 'hello');
    expect(JSON.parse(stdout)).toEqual([{ name: 'acme/hello', description: '' }]);
    expect((await app.run('update')).exitCode).toBe(0);
    expect(registry.front.requests.filter(({ method }) => method === 'POST')).toEqual([]);
    expect((await app.run('require', 'psr/log')).exitCode).not.toBe(0);
    expect(
      registry.front.take().filter((target) => target.startsWith('/search') || target.startsWith('/providers')),
    ).toEqual([]);
    source.remove();
  });
});
