// Tests unusual situations: another PHP, the lock of another Composer, another address, a used-up limit, simultaneous
// clients.

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bearerAuth, createProject, type Project } from '../util/composer.ts';
import { below, temporaryTree, writeTree } from '../util/package-tree.ts';
import { startRecordingProxy } from '../util/recording-proxy.ts';
import { startRegistry, type Registry } from '../util/registry.ts';
import { lacks } from '../util/tool.ts';
import { askWho, whoLibrary } from '../util/who-library.ts';

const wantsUser = { require: { 'acme/user': '^1.0' } };

describe.skipIf(lacks('composer', 'php'))('Composer in an unusual situation', () => {
  const source = temporaryTree({
    ...below('acme/hello/1.0.0', whoLibrary('acme/hello', '1.0.0')),
    ...below('acme/user/1.0.0', whoLibrary('acme/user', '1.0.0', { require: { 'acme/hello': '^1.0' } })),
  });
  let registry: Registry;

  const project = (composerJson: Readonly<Record<string, unknown>> = wantsUser): Project =>
    createProject({ url: registry.url, auth: bearerAuth(registry.front.host, registry.token), composerJson });
  const updated = async (): Promise<Project> => {
    const app = project();
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

  it('scenario 3: sends the same requests with a PHP without curl, and installs the same', async () => {
    await using usual = await updated();
    const asked = registry.front.take().sort();
    await using app = project();
    mkdirSync(join(app.home, 'ini'));
    writeTree(join(app.home, 'ini'), { 'no-curl.ini': 'disable_functions=curl_multi_init,curl_multi_exec\n' });
    const { exitCode, output } = await app.runWith({ PHP_INI_SCAN_DIR: `:${join(app.home, 'ini')}` }, 'update', '-vvv');
    expect(exitCode, output).toBe(0);
    expect(output).not.toContain('cURL');
    expect([...new Set(registry.front.take())].sort()).toEqual([...new Set(asked)].sort());
    expect(app.locked()).toEqual(usual.locked());
    expect(await app.php(askWho('acme/hello', 'acme/user'))).toBe('1.0.0 1.0.0');
  });

  it('scenario 11: installs from a lock with the fields of later Composer versions', async () => {
    await using old = await updated();
    const lock = JSON.parse(old.read('composer.lock')) as Record<string, unknown>;
    await using app = project();
    writeTree(app.path, {
      'composer.lock': JSON.stringify(
        { ...lock, 'stability-flags': {}, platform: {}, 'platform-dev': {}, 'plugin-api-version': '2.9.0' },
        null,
        4,
      ),
    });
    registry.front.take();
    const { exitCode, output } = await app.run('install');
    expect(exitCode, output).toBe(0);
    expect(registry.front.take().filter((target) => target.startsWith('/p2/'))).toEqual([]);
    expect(await app.php(askWho('acme/hello', 'acme/user'))).toBe('1.0.0 1.0.0');
  });

  it('scenario 12: creates a project of a package with create-project', async () => {
    await using app = project({});
    const auth = JSON.stringify(bearerAuth(registry.front.host, registry.token));
    const global = join(app.home, 'composer');
    mkdirSync(global, { recursive: true });
    writeTree(global, {
      'config.json': JSON.stringify({
        config: { 'secure-http': false },
        repositories: { 'packagist.org': false, libretto: { type: 'composer', url: registry.url } },
      }),
    });
    const { exitCode, output } = await app.runWith(
      { COMPOSER_AUTH: auth },
      'create-project',
      'acme/user',
      'made',
      `--repository={"type":"composer","url":"${registry.url}"}`,
      '--add-repository',
    );
    expect(exitCode, output).toBe(0);
    expect(app.exists('made/src/Who.php')).toBe(true);
    expect(app.exists('made/vendor/acme/hello/src/Who.php')).toBe(true);
  });

  it('scenario 13: shows the old address of a moved registry when a lock fails, and update --lock repairs the lock', async () => {
    const former = await startRecordingProxy(registry.direct);
    await using app = createProject({
      url: former.url,
      auth: { bearer: { [former.host]: registry.token, [registry.front.host]: registry.token } },
      composerJson: wantsUser,
    });
    expect((await app.run('update')).exitCode).toBe(0);
    await former.close();
    app.removeVendor();
    app.clearCache();
    const { repositories: _moved, ...rest } = JSON.parse(app.read('composer.json')) as Record<string, unknown>;
    writeTree(app.path, {
      'composer.json': JSON.stringify({
        ...rest,
        repositories: [{ type: 'composer', url: registry.url }, { 'packagist.org': false }],
      }),
    });
    const failed = await app.run('install');
    expect(failed.exitCode).not.toBe(0);
    expect(failed.output).toContain(former.url);
    const mended = await app.run('update', '--lock');
    expect(mended.exitCode, mended.output).toBe(0);
    expect(app.read('composer.lock')).not.toContain(former.host);
    expect((await app.run('install')).exitCode).toBe(0);
    expect(await app.php(askWho('acme/hello', 'acme/user'))).toBe('1.0.0 1.0.0');
  });

  it('scenario 34: warns of a used-up limit with a warm cache, and the update continues with cached metadata', async () => {
    await using app = await updated();
    const before = app.read('composer.lock');
    const { id, token } = await registry.createToken('--limit', '1');
    writeTree(app.path, { 'auth.json': JSON.stringify(bearerAuth(registry.front.host, token)) });
    registry.front.requests.splice(0);
    const { exitCode, output } = await app.run('update');
    expect(exitCode, output).toBe(0);
    expect(
      registry.front.requests.filter(({ target }) => target.startsWith('/p2/')).map(({ status }) => status),
    ).toEqual([429, 429]);
    expect(output).toContain('package information was loaded from the local cache and may be out of date');
    expect(app.read('composer.lock')).toBe(before);
    expect((await registry.cli('token', 'revoke', id)).exitCode).toBe(0);
  });

  it('scenario 35: installs an archive that is unreachable twice and available at the third try', async () => {
    let failures = 2;
    registry.front.answer = (target) =>
      target.startsWith('/dist/acme/hello/') && (failures -= 1) >= 0 ? { status: 503, body: '' } : undefined;
    await using app = await updated();
    registry.front.answer = undefined;
    expect(failures).toBeLessThan(0);
    expect(await app.php(askWho('acme/hello', 'acme/user'))).toBe('1.0.0 1.0.0');
  });

  it('scenario 36: follows a front that redirects archives, and the other host never gets the token', async () => {
    const elsewhere = await startRecordingProxy(registry.direct);
    const { token } = await registry.createToken();
    // the address at the other host contains its credentials, as signed addresses do
    elsewhere.answer = (target) =>
      target.startsWith('/signed/')
        ? { status: 200, headers: { 'content-type': 'application/zip' }, body: archive }
        : undefined;
    const archive = new Uint8Array(
      await (
        await fetch(`${registry.direct()}/dist/acme/hello/1.0.0.zip`, { headers: { authorization: `Bearer ${token}` } })
      ).arrayBuffer(),
    );
    registry.front.answer = (target) =>
      target.startsWith('/dist/acme/hello/')
        ? { status: 302, headers: { location: `${elsewhere.url}/signed/hello.zip?signature=x` } }
        : undefined;
    await using app = await updated();
    registry.front.answer = undefined;
    expect(elsewhere.requests.map(({ target, headers }) => [target, headers['authorization']])).toEqual([
      ['/signed/hello.zip?signature=x', undefined],
    ]);
    expect(await app.php(askWho('acme/hello'))).toBe('1.0.0');
    await elsewhere.close();
  });

  it('scenario 69: never looks for a name of this registry in another repository, whatever versions that has', async () => {
    const others = temporaryTree(below('acme/hello/9.0.0', whoLibrary('acme/hello', '9.0.0')));
    await using other = await startRegistry({ sources: [others.root] });
    const twoRepositories = { require: { 'acme/hello': '^9.0' }, repositories: [{ type: 'composer', url: other.url }] };
    await using app = createProject({
      url: registry.url,
      auth: { bearer: { [registry.front.host]: registry.token, [other.front.host]: other.token } },
      composerJson: twoRepositories,
    });
    const { exitCode, output } = await app.run('update');
    expect(exitCode).not.toBe(0);
    expect(output).toContain('acme/hello');
    expect(other.front.requests.filter(({ target }) => target.startsWith('/dist/'))).toEqual([]);
    expect(app.exists('vendor/acme')).toBe(false);
    others.remove();
  });

  it('scenario 73: installs the same bytes for two first clients at the same time', async () => {
    source.write(below('acme/fresh/1.0.0', whoLibrary('acme/fresh', '1.0.0')));
    await registry.build();
    const apps = [project({ require: { 'acme/fresh': '^1.0' } }), project({ require: { 'acme/fresh': '^1.0' } })];
    const outcomes = await Promise.all(apps.map((app) => app.run('update')));
    expect(outcomes.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
    const [one, other] = apps.map((app) => ({
      locked: app.locked()['acme/fresh']?.dist,
      who: createHash('sha1')
        .update(readFileSync(join(app.path, 'vendor/acme/fresh/src/Who.php')))
        .digest('hex'),
    }));
    expect(one?.locked?.shasum).toMatch(/^[0-9a-f]{40}$/);
    expect(one).toEqual(other);
    for (const app of apps) await app.remove();
  });

  it('scenario 72: still installs from a lock a package that was removed from the registry', async () => {
    const gone = temporaryTree(below('acme/gone/1.0.0', whoLibrary('acme/gone', '1.0.0')));
    await registry.build(gone.root);
    await using app = project({ require: { 'acme/gone': '^1.0' } });
    expect((await app.run('update')).exitCode).toBe(0);
    await registry.build('--forget', gone.root, '--allow-withdraw');
    gone.remove();
    app.removeVendor();
    app.clearCache();
    const { exitCode, output } = await app.run('install');
    expect(exitCode, output).toBe(0);
    expect(await app.php(askWho('acme/gone'))).toBe('1.0.0');
    await using late = project({ require: { 'acme/gone': '^1.0' } });
    expect((await late.run('update')).output).toContain('acme/gone');
    expect(existsSync(join(late.path, 'composer.lock'))).toBe(false);
  });
});
