// Tests tokens as Composer sends them, and Composer's reaction to refusals.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { bearerAuth, createProject } from '../util/composer.ts';
import { below, temporaryTree, writeTree } from '../util/package-tree.ts';
import { startRegistry, type Registry } from '../util/registry.ts';
import { describeInSeries, firstOf, itInSeries } from '../util/series.ts';
import { lacks } from '../util/tool.ts';
import { askWho, whoLibrary } from '../util/who-library.ts';

/** Composer 2.5 lets the status become the exit code, which the shell caps; later ones end with 100. */
const refusalCodes = [100, 255];
const wantsHello = { require: { 'acme/hello': '*' } };

describe.skipIf(lacks('composer', 'php'))('tokens', () => {
  const source = temporaryTree({
    ...below('acme/hello/1.0.0', whoLibrary('acme/hello', '1.0.0')),
    ...below('acme/user/1.0.0', whoLibrary('acme/user', '1.0.0', { require: { 'acme/hello': '^1.0' } })),
  });
  let registry: Registry;

  beforeAll(async () => {
    registry = await startRegistry({ sources: [source.root] });
  });

  beforeEach(() => void registry.front.requests.splice(0));

  afterAll(async () => {
    await registry.stop();
    source.remove();
  });

  it('25: without a token Composer sends exactly one request, and nothing is written', async () => {
    await using app = createProject({ url: registry.url, composerJson: wantsHello });
    const { exitCode, output } = await app.run('update');
    expect(refusalCodes).toContain(exitCode);
    expect(output).toContain('HTTP 401');
    expect(registry.front.requests.map(({ target, status }) => [target, status])).toEqual([['/packages.json', 401]]);
    expect(app.exists('composer.lock')).toBe(false);
    expect(app.exists('vendor/acme')).toBe(false);
  });

  it.each([
    ['misspelt', (token: string) => `${token.slice(0, -1)}${token.endsWith('0') ? '1' : '0'}`],
    ['made up', () => 'not-a-token'],
  ])('26: a %s token is refused like no token', async (_, spoil) => {
    await using app = createProject({
      url: registry.url,
      auth: bearerAuth(registry.front.host, spoil(registry.token)),
      composerJson: wantsHello,
    });
    const { exitCode, output } = await app.run('update');
    expect(refusalCodes).toContain(exitCode);
    expect(output).toContain('HTTP 401');
    expect(registry.front.requests.map(({ status }) => status)).toEqual([401]);
    expect(app.exists('vendor/acme')).toBe(false);
  });

  it('26: a revoked token is refused on the next request', async () => {
    const { id, token } = await registry.createToken();
    await using app = createProject({
      url: registry.url,
      auth: bearerAuth(registry.front.host, token),
      composerJson: wantsHello,
    });
    expect((await app.run('update')).exitCode).toBe(0);
    expect((await registry.cli('token', 'revoke', id)).exitCode).toBe(0);
    registry.front.requests.splice(0);
    app.clearCache();
    app.removeVendor();
    expect((await app.run('install')).exitCode).not.toBe(0);
    expect(new Set(registry.front.requests.map(({ status }) => status))).toEqual(new Set([401]));
    expect(app.exists('vendor/acme/hello')).toBe(false);
  });

  it.each(
    firstOf(
      [
        ['a bearer in auth.json', () => ({ url: registry.url, auth: bearerAuth(registry.front.host, registry.token) })],
        [
          'a bearer in COMPOSER_AUTH',
          () => ({
            url: registry.url,
            environment: { COMPOSER_AUTH: JSON.stringify(bearerAuth(registry.front.host, registry.token)) },
          }),
        ],
        [
          'the http-basic password',
          () => ({
            url: registry.url,
            auth: { 'http-basic': { [registry.front.host]: { username: 'anyone', password: registry.token } } },
          }),
        ],
      ] as const,
      1,
    ),
  )('27: an install with the token as %s succeeds, and the lock has no secret', async (_, options) => {
    await using app = createProject(options());
    const { exitCode, output } = await app.run('require', 'acme/user');
    expect(exitCode, output).toBe(0);
    expect(Object.keys(app.locked()).sort()).toEqual(['acme/hello', 'acme/user']);
    expect(await app.php(askWho('acme/hello', 'acme/user'))).toBe('1.0.0 1.0.0');
    expect(app.read('composer.lock')).not.toContain(registry.token);
    expect(app.read('composer.json')).not.toContain(registry.token);
  });

  itInSeries(
    '27: an install with the token as the password in the address succeeds, and Composer then writes the address into the lock',
    async () => {
      await using app = createProject({ url: registry.url.replace('//', `//anyone:${registry.token}@`) });
      const { exitCode, output } = await app.run('require', 'acme/user');
      expect(exitCode, output).toBe(0);
      expect(await app.php(askWho('acme/hello', 'acme/user'))).toBe('1.0.0 1.0.0');
      // ComposerRepository::canonicalizeUrl keeps user information, which is why the README warns of this form
      expect(app.locked()['acme/user']?.dist?.mirrors?.[0]?.url).toContain(registry.token);
    },
  );

  it('the log names the token by its id and never shows its secret', async () => {
    const served = (): string =>
      JSON.stringify(registry.log().filter((line) => JSON.stringify(line).includes('/dist/acme/hello/1.0.0.zip')));
    // lines of the log are written in batches
    await expect.poll(served, { timeout: 60_000 }).toContain(registry.tokenId);
    const lines = registry.log();
    expect(JSON.stringify(lines)).not.toContain(registry.token);
    expect(JSON.stringify(lines)).not.toContain(Buffer.from(`anyone:${registry.token}`).toString('base64'));
  });

  it('scenario 30: a hidden package is not listed, not found, and never a 403', async () => {
    const { token } = await registry.createToken('--package', 'acme/hello');
    await using app = createProject({ url: registry.url, auth: bearerAuth(registry.front.host, token) });
    const { exitCode, output } = await app.run('require', 'acme/user');
    expect(exitCode).not.toBe(0);
    expect(output).toMatch(/Could not find (?:a matching version of )?package acme\/user/);
    expect(registry.front.requests.map(({ target, status }) => [target, status])).toEqual(
      expect.arrayContaining([
        ['/packages.json', 200],
        ['/providers/acme/user.json', 404],
      ]),
    );
    expect(registry.front.requests.filter(({ status, target }) => status === 403 || target.startsWith('/p2/'))).toEqual(
      [],
    );
    expect((await app.run('require', 'acme/hello')).exitCode).toBe(0);
  });

  it('scenario 31: Composer shows the message of a refusal', async () => {
    const { token } = await registry.createToken('--network', '203.0.113.0/24');
    await using app = createProject({
      url: registry.url,
      auth: bearerAuth(registry.front.host, token),
      composerJson: wantsHello,
    });
    const { exitCode, output } = await app.run('update');
    expect(exitCode).not.toBe(0);
    const [refused, ...more] = registry.front.requests;
    expect([refused?.status, refused?.answerHeaders['content-type'], more]).toEqual([403, 'application/json', []]);
    expect(output).toMatch(/Warning from [^ ]+: This token may not be used from/);
  });

  it('scenarios 33, 67: a used-up limit stops an install with one readable answer; a later install fetches only missing archives', async () => {
    const { id, token } = await registry.createToken('--limit', '4');
    await using app = createProject({
      url: registry.url,
      auth: bearerAuth(registry.front.host, token),
      composerJson: { require: { 'acme/user': '^1.0' } },
    });
    // packages.json and two p2 documents, then one of two archives
    const { exitCode, output } = await app.run('update');
    expect(exitCode).not.toBe(0);
    expect(registry.front.requests.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 429]);
    expect(output).toContain('429');
    expect(output).toMatch(/Warning from [^ ]+: This token has used all its 4 requests for this hour\./);
    expect(app.exists('vendor/acme/user')).toBe(false);
    const refused = registry.front.requests.find(({ status }) => status === 429);
    expect(Number(refused?.answerHeaders['retry-after'])).toBeGreaterThan(0);

    expect((await registry.cli('token', 'update', id, '--limit', '100')).exitCode).toBe(0);
    registry.front.requests.splice(0);
    const rerun = await app.run('install');
    expect(rerun.exitCode, rerun.output).toBe(0);
    expect(registry.front.requests.map(({ target, status }) => [target, status])).toEqual([
      [refused?.target, 200],
      ['/downloads', 200],
    ]);
    expect(await app.php(askWho('acme/hello', 'acme/user'))).toBe('1.0.0 1.0.0');
  });

  itInSeries('scenarios 33, 67: Composer shows the message of a refusal on metadata', async () => {
    const { token } = await registry.createToken('--limit', '1');
    await using app = createProject({
      url: registry.url,
      auth: bearerAuth(registry.front.host, token),
      composerJson: { require: { 'acme/user': '^1.0' } },
    });
    const { exitCode, output } = await app.run('update');
    expect(exitCode).not.toBe(0);
    expect(registry.front.requests.map(({ status }) => status)).toEqual([200, 429]);
    expect(output).toMatch(/Warning from [^ ]+: This token has used all its 1 request for this hour\./);
    expect(app.exists('composer.lock')).toBe(false);
  });

  itInSeries(
    'scenarios 33, 67: with absolute archive addresses the refusal is the last message of Composer, after one try',
    async () => {
      writeTree(registry.folder.path, { 'absolute.json': { json: { distUrl: registry.url } } });
      await registry.build('--config', registry.folder.at('absolute.json'));
      const { token } = await registry.createToken('--limit', '4');
      await using app = createProject({
        url: registry.url,
        auth: bearerAuth(registry.front.host, token),
        composerJson: { require: { 'acme/user': '^1.0' } },
      });
      const { exitCode, output } = await app.run('update');
      await registry.build();
      expect(exitCode).not.toBe(0);
      expect(output).toMatch(/Warning from [^ ]+: This token has used all its 4 requests for this hour\./);
      expect(output).toMatch(/could not be downloaded \(HTTP\/1\.1 429/);
      expect(output).not.toContain('No such file or directory');
      expect(output.match(/- Downloading acme/g)).toHaveLength(2);
    },
  );
});

describeInSeries.skipIf(lacks('composer', 'php'))('a registry without visible packages', () => {
  it('scenario 32: gets no requests for unknown names', async () => {
    const source = temporaryTree(below('acme/hello/1.0.0', whoLibrary('acme/hello', '1.0.0')));
    await using registry = await startRegistry({ sources: [source.root] });
    await registry.build('--forget', source.root);
    source.remove();
    await using app = createProject({ url: registry.url, auth: bearerAuth(registry.front.host, registry.token) });
    const { exitCode, output } = await app.run('require', 'psr/log');
    expect(exitCode).not.toBe(0);
    expect(output).toContain('psr/log');
    // Composer searches for the typed name to suggest another, and requests no document
    expect(new Set(registry.front.take())).toEqual(
      new Set(['/packages.json', '/providers/psr/log.json', '/search.json?q=psr%2Flog&type=']),
    );
  });
});
