// Tests a registry below a path of its host, behind the nginx of docs/deploy/nginx-path.conf: Composer, people in a
// browser, and doctor. `publicUrl` is the only setting of the path. Another service answers at the rest of the host.

import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openContext } from '../util/browser.ts';
import { createAuthority } from '../util/certificate.ts';
import { bearerAuth, createProject } from '../util/composer.ts';
import { faultsOf, runDoctor } from '../util/doctor-report.ts';
import { startNginxWith, type Nginx } from '../util/nginx.ts';
import { below, temporaryTree } from '../util/package-tree.ts';
import { freePort } from '../util/redis-server.ts';
import { startRegistry, type Registry } from '../util/registry.ts';
import { runCli } from '../util/run-cli.ts';
import { temporaryFolder } from '../util/temporary-folder.ts';
import { lacks } from '../util/tool.ts';
import { askWho, whoLibrary } from '../util/who-library.ts';

const sample = readFileSync(new URL('../../docs/deploy/nginx-path.conf', import.meta.url), 'utf8');
const person = { email: 'ada@example.org', password: 'correct horse battery' };

describe.skipIf(lacks('composer', 'php', 'nginx', 'chromium-headless-shell'))('a registry below a path', () => {
  const folder = temporaryFolder('below-path');
  const source = temporaryTree({
    ...below('hello', whoLibrary('acme/hello', '1.0.0', { description: 'Greets' })),
    ...below('moving', whoLibrary('acme/moving', undefined, { provide: { 'acme/virtual': '1.0' } }, 'moving')),
    'advisories.json': {
      json: [
        {
          advisoryId: 'ACME-2026-1',
          packageName: 'acme/hello',
          affectedVersions: '<1.1.0',
          title: 'Greets everybody',
          reportedAt: '2026-03-01T12:00:00+00:00',
        },
      ],
    },
  });
  const { file: caFile, issue } = createAuthority(folder.path);
  const { certFile, keyFile } = issue('localhost');
  /** the requests to the other service of the host */
  const strayed: string[] = [];
  let [other, registry, nginx]: [Server, Registry, Nginx] = [] as never;
  let [host, url] = ['', ''];

  const configure = (more: object): void =>
    writeFileSync(
      registry.folder.at('libretto.json'),
      JSON.stringify({
        sources: [source.path('hello'), source.path('moving')],
        advisories: source.path('advisories.json'),
        trustedProxies: ['127.0.0.1'],
        ...more,
      }),
    );
  const restart = async (more: object): Promise<void> => {
    configure(more);
    await registry.stopServer();
    await registry.startServer();
  };

  beforeAll(async () => {
    other = createServer((request, response) => {
      strayed.push(`${request.method ?? ''} ${request.url ?? ''}`);
      response.writeHead(404).end();
    }).listen(0, '127.0.0.1');
    await once(other, 'listening');
    const port = await freePort();
    [host, url] = [`localhost:${port}`, `https://localhost:${port}/composer`];
    registry = await startRegistry();
    await restart({ publicUrl: url });
    await registry.build();
    nginx = await startNginxWith(port, configured(port));
  });
  afterAll(async () => {
    await nginx.stop();
    await registry.stop();
    other.close();
    source.remove();
    await folder.remove();
  });

  /** The sample with the addresses and the certificate of this test. */
  const configured = (port: number): string =>
    sample
      .replace(/\nserver \{\n    listen 80;[^]*$/, '')
      .replace(/ *listen \[::\]:443.*\n/, '')
      .replace('listen 443', `listen 127.0.0.1:${port}`)
      .replace('/etc/ssl/packages.example.org.pem', certFile)
      .replace('/etc/ssl/packages.example.org.key', keyFile)
      .replaceAll('packages.example.org', 'localhost')
      .replaceAll('127.0.0.1:8080', new URL(registry.front.url).host)
      .replace('return 404;', `proxy_pass http://127.0.0.1:${(other.address() as AddressInfo).port};`);

  const doctor = (...args: readonly string[]) =>
    runDoctor(folder.path, ['--url', url, '--data', folder.at('nowhere'), ...args], { NODE_EXTRA_CA_CERTS: caFile });

  it('Composer finds everything below the path, and asks nothing at the root of the host', async () => {
    await using app = createProject({
      url,
      auth: bearerAuth(host, registry.token),
      composerJson: {
        require: { 'acme/hello': '^1.0', 'acme/moving': 'dev-main' },
        config: { cafile: caFile, policy: { advisories: { block: false } } },
      },
    });
    const update = await app.run('update');
    expect(update.exitCode, update.output).toBe(0);
    expect(app.locked()['acme/hello']?.dist).toMatchObject({
      url: '/dist/acme/hello/1.0.0.zip',
      mirrors: [{ url: `${url}/dist/%package%/%prettyVersion%.zip?ref=%reference%`, preferred: true }],
    });
    expect(app.locked()['acme/hello']?.['notification-url']).toBe(`${url}/downloads`);
    app.removeVendor();
    app.clearCache();
    expect((await app.run('install')).exitCode).toBe(0);
    expect(await app.php(askWho('acme/hello', 'acme/moving'))).toBe('1.0.0 moving');
    expect((await app.run('search', 'greets')).output).toContain('acme/hello');
    expect((await app.run('show', '--all', 'acme/hello')).output).toContain('1.0.0');
    expect((await app.run('audit')).output).toContain('Greets everybody');
    expect((await app.run('require', 'acme/virtual:^2.0')).output).toContain('acme/moving');
    const targets = (): string[] =>
      registry.front.requests.map(({ method, target }) => `${method} ${target.split('?')[0]}`);
    await expect
      .poll(targets, { timeout: 60_000 })
      .toEqual(
        expect.arrayContaining([
          'GET /packages.json',
          'GET /p2/acme/hello.json',
          'GET /p2/acme/moving~dev.json',
          'GET /dist/acme/hello/1.0.0.zip',
          'POST /downloads',
          'GET /search.json',
          'GET /providers/acme/virtual.json',
        ]),
      );
    expect(strayed).toEqual([]);
  });

  it('clients of every kind are told addresses below the path', async () => {
    const context = await openContext({ ignoreHTTPSErrors: true });
    const get = async (path: string, headers: Record<string, string> = {}) =>
      (await context.request.get(`${url}${path}`, { headers })).text();
    const authorization = `Bearer ${registry.token}`;
    const root = JSON.parse(
      await get('/packages.json', { authorization, 'user-agent': 'Composer/2.10.2 (Linux)' }),
    ) as Record<string, unknown>;
    expect(root).toMatchObject({
      'metadata-url': '/composer/p2/%package%.json',
      mirrors: [{ 'dist-url': '/composer/dist/%package%/%prettyVersion%.zip?ref=%reference%', preferred: true }],
      search: '/composer/search.json?q=%query%&type=%type%',
      list: '/composer/list.json',
      'providers-api': '/composer/providers/%package%.json',
      'notify-batch': '/composer/downloads',
      'security-advisories': { 'api-url': '/composer/security-advisories' },
    });
    const asked = await context.request.post(`${url}/security-advisories`, {
      headers: { authorization },
      form: { 'packages[0]': 'acme/hello' },
    });
    expect(await asked.json()).toMatchObject({ advisories: { 'acme/hello': [{ advisoryId: 'ACME-2026-1' }] } });
    expect(JSON.parse(await get('/search.json?q=acme&per_page=1', { authorization }))).toMatchObject({
      next: '/composer/search.json?q=acme&per_page=1&page=2',
    });
    const device = await context.request.post(`${url}/api/oauth/device_authorization`, {
      form: { client_id: 'libretto-cli', machine: 'laptop', days: '1' },
    });
    expect(await device.json()).toMatchObject({ verification_uri: `${url}/ui/device` });
    expect(JSON.parse(await get('/api/openapi.json'))).toMatchObject({ servers: [{ url: '/composer' }] });
    expect(await get('/feeds/releases.atom', { authorization })).toContain(`href="${url}/feeds/releases.atom"`);
    expect(strayed).toEqual([]);
    await context.close();
  });

  it('people sign in to the console, and its cookies stay below the path', async () => {
    const made = await runCli(
      ['user', 'create', '--admin', '--email', person.email, '--password-stdin', '--data', registry.data],
      { cwd: registry.folder.path, input: `${person.password}\n` },
    );
    expect(made.exitCode, made.stderr).toBe(0);
    const context = await openContext({ ignoreHTTPSErrors: true });
    const page = await context.newPage();
    const requested: string[] = [];
    page.on('request', (request) => void requested.push(request.url()));
    await page.goto(url);
    for (const [name, value] of Object.entries(person)) {
      await page.locator(`#${name}`).fill(value);
      await page.locator('form.form button').click();
    }
    await page.waitForURL(`${url}/ui/overview`);
    expect((await context.cookies()).map(({ name, path, secure }) => [name, path, secure])).toEqual(
      expect.arrayContaining([['__Secure-libretto-session', '/composer/', true]]),
    );
    await page.locator('.person summary').click();
    await page.locator('form[action$="sign-out"] button').click();
    await page.waitForURL(/sign-in/);
    expect((await context.cookies()).map(({ name }) => name)).not.toContain('__Secure-libretto-session');
    expect(requested.filter((address) => address !== url && !address.startsWith(`${url}/`))).toEqual([]);
    await page.goto(`${url}/api/swagger`);
    const operation = page.locator('#operations-Composer-getPackagesJson');
    await operation.locator('.opblock-summary-control').first().click();
    await operation.locator('button.execute').click();
    await operation.locator('.live-responses-table').waitFor();
    expect(requested.at(-1)).toBe(`${url}/packages.json`);
    expect(strayed).toEqual([]);
    await context.close();
  });

  it('doctor finds no fault, and names the addresses outside of the path once publicUrl has left libretto.json', async () => {
    for (const args of [[], ['--token', registry.token]]) {
      const report = await doctor(...args);
      expect([report.exitCode, faultsOf(report)]).toEqual([0, []]);
    }
    await restart({}); // the tree still has the path: the settings of the server count
    const [known, unknown] = [await doctor('--token', registry.token), await doctor()];
    const advice = expect.stringContaining(`Set "publicUrl" to ${url} on the host of the registry`) as string;
    expect([known.exitCode, faultsOf(known)]).toMatchObject([
      1,
      [
        {
          check: 'url.addresses',
          message: expect.stringMatching(/outside of .*metadata-url https.*search https.*notify-batch/) as string,
          advice,
        },
      ],
    ]);
    expect([unknown.exitCode, faultsOf(unknown)]).toMatchObject([1, [{ check: 'url.metadata', advice }]]);
  });
});
