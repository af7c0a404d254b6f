// Tests a project with the real Composer: require, lock, install, update, offline. Numbers are those of the conformance
// scenarios.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bearerAuth, createProject, isComposerFrom, type Project } from '../util/composer.ts';
import { below, temporaryTree, writeTree } from '../util/package-tree.ts';
import { startRegistry, type Registry } from '../util/registry.ts';
import { lacks } from '../util/tool.ts';
import { askWho, whoLibrary } from '../util/who-library.ts';
import { describeInSeries, itInSeries } from '../util/series.ts';

const crowd = Array.from({ length: 40 }, (_, index) => `crowd/part-${index + 1}`);

describe.skipIf(lacks('composer', 'php'))('installing', () => {
  const source = temporaryTree();
  let registry: Registry;

  const project = (composerJson: Readonly<Record<string, unknown>> = {}): Project =>
    createProject({ url: registry.url, auth: bearerAuth(registry.front.host, registry.token), composerJson });

  beforeAll(async () => {
    source.write(below('acme/hello/1.0.0', whoLibrary('acme/hello', '1.0.0')));
    source.write(below('acme/hello/1.1.0', whoLibrary('acme/hello', '1.1.0')));
    source.write(below('acme/user/2.0.0', whoLibrary('acme/user', '2.0.0', { require: { 'acme/hello': '^1.0' } })));
    for (const name of crowd) source.write(below(`${name}/1.0.0`, whoLibrary(name, '1.0.0')));
    source.write(
      below(
        'crowd/all/1.0.0',
        whoLibrary('crowd/all', '1.0.0', { require: Object.fromEntries(crowd.map((name) => [name, '^1.0'])) }),
      ),
    );
    registry = await startRegistry({ sources: [source.root] });
  });

  afterAll(async () => {
    await registry.stop();
    source.remove();
  });

  it('scenario 1: require requests packages.json, p2 and dist in their exact spelling, installs the package, and reports it', async () => {
    await using app = project();
    registry.front.take();
    const { exitCode, output } = await app.run('require', 'acme/hello');
    expect(exitCode, output).toBe(0);
    const asked = registry.front.take();
    const locked = app.locked()['acme/hello'];
    expect(new Set(asked)).toEqual(
      new Set([
        '/packages.json',
        '/p2/acme/hello$%hash%.json',
        `/dist/acme/hello/1.1.0.zip?ref=${locked?.dist?.reference}`,
        '/downloads',
      ]),
    );
    expect(locked).toMatchObject({
      version: '1.1.0',
      dist: {
        type: 'zip',
        url: '/dist/acme/hello/1.1.0.zip',
        mirrors: [{ url: `${registry.url}/dist/%package%/%prettyVersion%.zip?ref=%reference%`, preferred: true }],
      },
    });
    expect(locked?.dist?.shasum).toMatch(/^[0-9a-f]{40}$/);
    expect(await app.php(askWho('acme/hello'))).toBe('1.1.0');
  });

  it('scenarios 8, 9, 10: an install from a lock sends dist requests and a report, with a warm cache only the report, and works offline', async () => {
    await using app = project({ require: { 'acme/user': '^2.0' } });
    expect((await app.run('update')).exitCode).toBe(0);
    const references = app.locked();
    const dists = ['acme/hello/1.1.0', 'acme/user/2.0.0'].map(
      (path) => `/dist/${path}.zip?ref=${references[path.slice(0, path.lastIndexOf('/'))]?.dist?.reference}`,
    );

    app.removeVendor();
    app.clearCache();
    registry.front.take();
    expect((await app.run('install')).exitCode).toBe(0);
    // from 2.10 on Composer looks for filter lists first
    const lists = (await isComposerFrom('2.10')) ? ['/packages.json'] : [];
    expect(registry.front.take().sort()).toEqual([...dists, '/downloads', ...lists].sort());
    expect(app.exists('vendor/acme/user/src/Who.php')).toBe(true);

    app.removeVendor();
    expect((await app.run('install')).exitCode).toBe(0);
    expect(registry.front.take()).toEqual(['/downloads']);
    expect(app.exists('vendor/acme/hello/src/Who.php')).toBe(true);

    app.removeVendor();
    const offline = await app.runWith({ COMPOSER_DISABLE_NETWORK: '1' }, 'install');
    expect(offline.exitCode, offline.output).toBe(0);
    expect(await app.php(askWho('acme/hello', 'acme/user'))).toBe('1.1.0 2.0.0');
  });

  it('scenario 37: the second update revalidates with If-Modified-Since and gets empty 304s', async () => {
    await using app = project({ require: { 'acme/hello': '^1.0@dev' } });
    expect((await app.run('update')).exitCode).toBe(0);
    const before = app.read('composer.lock');
    registry.front.requests.splice(0);
    expect((await app.run('update')).exitCode).toBe(0);
    const conditional = registry.front.requests.filter(({ headers }) => headers['if-modified-since'] !== undefined);
    expect(new Set(conditional.map(({ target }) => target))).toEqual(
      // the empty document of dev versions, too
      new Set(['/packages.json', '/p2/acme/hello$%hash%.json', '/p2/acme/hello~dev$%hash%.json']),
    );
    for (const { status, bytes } of conditional) expect({ status, bytes }).toEqual({ status: 304, bytes: 0 });
    expect(app.read('composer.lock')).toBe(before);
  });

  itInSeries('scenario 40: 41 packages are downloaded over at most 8 connections, and none is refused', async () => {
    await using app = project({ require: { 'crowd/all': '^1.0' } });
    registry.front.requests.splice(0);
    const { exitCode, output } = await app.run('update');
    expect(exitCode, output).toBe(0);
    expect(registry.front.requests.filter(({ target }) => target.startsWith('/dist/')).length).toBe(41);
    expect(registry.front.requests.filter(({ status }) => status !== 200)).toEqual([]);
    expect(registry.front.mostConnections()).toBeLessThanOrEqual(8);
    expect(Object.keys(app.locked())).toHaveLength(41);
    expect(crowd.filter((name) => !app.exists(`vendor/${name}/src/Who.php`))).toEqual([]);
  });
});

describeInSeries.skipIf(lacks('composer', 'php'))('a registry that changes meanwhile', () => {
  const source = temporaryTree();
  let registry: Registry;

  beforeAll(async () => {
    source.write(below('acme/hello/1.0.0', whoLibrary('acme/hello', '1.0.0')));
    registry = await startRegistry({ sources: [source.root] });
  });

  afterAll(async () => {
    await registry.stop();
    source.remove();
  });

  const project = (): Project =>
    createProject({
      url: registry.url,
      auth: bearerAuth(registry.front.host, registry.token),
      composerJson: { require: { 'acme/hello': '*' } },
    });

  it('scenario 39: no longer offers a withdrawn version, and an older lock still installs it', async () => {
    source.write(below('acme/hello/1.1.0', whoLibrary('acme/hello', '1.1.0')));
    await registry.build();
    await using app = project();
    expect((await app.run('update')).exitCode).toBe(0);
    expect(app.locked()['acme/hello']?.version).toBe('1.1.0');
    const stamp = await lastModified(registry);
    const oldLock = app.read('composer.lock');

    source.delete('acme/hello/1.1.0');
    expect((await registry.build()).withdrawn).toMatchObject([{ name: 'acme/hello', version: '1.1.0' }]);
    expect(await lastModified(registry)).toBeGreaterThan(stamp);
    expect((await app.run('update')).exitCode).toBe(0);
    expect(app.locked()['acme/hello']?.version).toBe('1.0.0');
    expect(await app.php(askWho('acme/hello'))).toBe('1.0.0');

    await using late = project();
    writeTree(late.path, { 'composer.lock': oldLock });
    expect((await late.run('install')).exitCode).toBe(0);
    expect(await late.php(askWho('acme/hello'))).toBe('1.1.0');
  });

  it('scenario 38: shows a version published in the same second as the last update to the next update', async () => {
    await using app = project();
    for (const version of ['2.0.0', '2.0.1', '2.0.2']) {
      source.write(below(`acme/hello/${version}`, whoLibrary('acme/hello', version)));
      await registry.build();
      expect((await app.run('update')).exitCode).toBe(0);
      expect(app.locked()['acme/hello']?.version).toBe(version);
    }
  });
});

/** Epoch milliseconds of the p2 document's Last-Modified. */
async function lastModified(registry: Registry): Promise<number> {
  const response = await fetch(`${registry.direct()}/p2/acme/hello.json`, {
    headers: { authorization: `Bearer ${registry.token}` },
  });
  await response.arrayBuffer();
  return Date.parse(response.headers.get('last-modified') ?? '');
}
