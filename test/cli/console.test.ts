// Tests where a server has its console: the way of a browser to it, an address of its own, host names, and the lines
// that name it.

import { request } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { freePort } from '../util/redis-server.ts';
import { runCli, startCli, type RunningCli } from '../util/run-cli.ts';
import { temporaryFolder, type TemporaryFolder } from '../util/temporary-folder.ts';
import { itInSeries } from '../util/series.ts';

const password = 'correct horse battery';
let folder: TemporaryFolder;
let running: RunningCli | undefined;

beforeEach(() => {
  folder = temporaryFolder('console');
});
afterEach(async () => {
  running?.signal('SIGTERM');
  await running?.ended;
  running = undefined;
  await folder.remove();
});

/** A running server. `port`: of the main address. */
async function serve(...flags: readonly string[]): Promise<{ readonly server: RunningCli; readonly port: number }> {
  const server = startCli(['serve', '--data', 'data', '--listen', '127.0.0.1:0', ...flags], { cwd: folder.path });
  running = server;
  const port = Number((await server.shows(/Serving .* on \w+:\/\/[\w.]+:(\d+)/))[1]);
  return { server, port };
}

async function makeAdmin(): Promise<void> {
  const args = ['user', 'create', '--admin', '--email', 'ada@example.org', '--password-stdin', '--data', 'data'];
  expect((await runCli(args, { cwd: folder.path, input: `${password}\n` })).exitCode).toBe(0);
}

interface Reply {
  readonly status: number;
  readonly location: string | undefined;
  readonly body: string;
}

/** Like a browser, which sends names in `Host` that fetch cannot send. */
function get(port: number, path: string, headers: Readonly<Record<string, string>> = {}): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, agent: false, headers }, (answer) => {
      let body = '';
      answer.setEncoding('utf8').on('data', (text: string) => (body += text));
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, location: answer.headers.location, body }));
    });
    sent.on('error', reject).end();
  });
}

async function signIn(port: number): Promise<{ readonly cookie: string }> {
  const reply = await fetch(`http://127.0.0.1:${port}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'ada@example.org', password }),
  });
  return { cookie: ((await reply.json()) as { token: string }).token };
}

const page = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

describe('the address of a server', () => {
  it('sends a browser to the console, and answers every other client as before', async () => {
    const { port } = await serve();
    expect(await get(port, '/', page)).toMatchObject({ status: 303, location: 'ui/' });
    expect(await get(port, '/ui')).toMatchObject({ status: 303, location: 'ui/' });
    for (const headers of [{}, { accept: '*/*' }, { accept: 'application/json' }])
      expect(JSON.parse((await get(port, '/', headers)).body)).toMatchObject({ code: 'NOT_FOUND' });
  });

  it('is as before without the console', async () => {
    const { server, port } = await serve('--features', 'api');
    for (const path of ['/', '/ui', '/ui/']) expect((await get(port, path, page)).status).toBe(404);
    await server.shows(/curl http:\/\/127\.0\.0\.1:\d+\/api\/auth\/setup .*"setup_code":"set_\w+"/);
    expect(server.output().stderr).not.toContain('/ui/');
  });
});

describe('a console with an address of its own', () => {
  it('is there alone, and not at the address of the server', async () => {
    const { server, port } = await serve('--console-listen', '127.0.0.1:0');
    const own = Number((await server.shows(/http:\/\/127\.0\.0\.1:(\d+)\/ui\/setup\?code=set_/))[1]);
    expect(own).not.toBe(port);
    expect(await get(own, '/', page)).toMatchObject({ status: 303, location: 'ui/' });
    expect((await get(own, '/ui/')).status).toBe(303);
    for (const path of ['/packages.json', '/p2/acme/hello.json', '/health', '/api/status', '/search.json?q=a'])
      expect((await get(own, path)).status, path).toBe(404);
    for (const path of ['/', '/ui', '/ui/']) expect((await get(port, path, page)).status, path).toBe(404);
    expect((await get(port, '/health')).status).toBe(200);
  });

  it('is named at the address of the server, which sends a browser on if its name leads there', async () => {
    const own = await freePort();
    const { port } = await serve('--console-listen', `0.0.0.0:${own}`);
    for (const name of ['127.0.0.1', 'localhost', '[::1]'])
      expect(await get(port, '/', { ...page, host: `${name}:${port}` })).toMatchObject({
        status: 303,
        location: `http://${name}:${own}/ui/`,
      });
    expect(await get(port, '/', { ...page, host: 'evil.test' })).toMatchObject({
      status: 404,
      location: undefined,
      body: expect.stringContaining(`It is at port ${own} of the registry's machine.`) as string,
    });
    for (const headers of [{}, { accept: 'application/json' }])
      expect(JSON.parse((await get(port, '/', headers)).body)).toMatchObject({ code: 'NOT_FOUND' });
  });

  it('behind a proxy is named to clients of an internal network alone', async () => {
    const own = await freePort();
    const { port } = await serve('--console-listen', `127.0.0.2:${own}`, '--trusted-proxies', '127.0.0.1');
    expect((await get(port, '/', page)).body).toContain(`machine only, at http://127.0.0.2:${own}/ui/.`);
    running?.signal('SIGTERM');
    await running?.ended;
    const { port: other } = await serve('--console-listen', `0.0.0.0:${own}`, '--trusted-proxies', '127.0.0.1');
    const from = (address: string): Promise<Reply> => get(other, '/', { ...page, 'x-forwarded-for': address });
    expect((await from('10.1.2.3')).body).toContain(`It is at port ${own} of the registry's machine.`);
    const stranger = await from('1.1.1.1');
    expect([stranger.status, stranger.body.includes(String(own))]).toEqual([404, false]);
  });

  it('is named by the refusal of an address that is in use', async () => {
    const { port } = await serve();
    const args = ['serve', '--data', 'other', '--listen', '127.0.0.1:0', '--console-listen', `127.0.0.1:${port}`];
    const { exitCode, stderr } = await runCli(args, { cwd: folder.path });
    expect(exitCode).toBe(2);
    expect(stderr).toContain(`Cannot listen on 127.0.0.1:${port} (--console-listen)`);
  });
});

describe('the console', () => {
  it('answers addresses, localhost, the configured address and the named hosts, and refuses other names', async () => {
    const { port } = await serve('--console-hosts', 'packages.lan,*.example.org');
    const known = ['127.0.0.1', `localhost:${port}`, '[::1]', 'packages.lan', 'Packages.LAN:8080', 'a.example.org'];
    for (const host of known) expect((await get(port, '/ui/', { host })).status, host).toBe(303);
    for (const host of ['evil.test', 'example.org', 'packages.lan.evil.test'])
      expect((await get(port, '/ui/', { host })).body, host).toMatch(
        /Unknown host name.*not encrypted either.*consoleAllowHttp/s,
      );
  });

  it('answers the host of publicUrl', async () => {
    const environment = { LIBRETTO_PUBLIC_URL: 'https://registry.example.org/composer' };
    running = startCli(['serve', '--data', 'data', '--listen', '127.0.0.1:0'], { cwd: folder.path, environment });
    const port = Number((await running.shows(/on http:\/\/127\.0\.0\.1:(\d+)/))[1]);
    expect((await get(port, '/ui/', { host: 'registry.example.org' })).status).toBe(303);
    await running.shows(/^ {2}https:\/\/registry\.example\.org\/composer\/ui\/setup\?code=set_\w+$/m);
  });

  itInSeries(
    'takes a session over plain HTTP from this machine, and from others only where that is allowed',
    async () => {
      await makeAdmin();
      for (const flags of [[], ['--console-allow-http']]) {
        const { server, port } = await serve(...flags);
        const { cookie } = await signIn(port);
        const headers = { cookie: `libretto-session-${port}=${cookie}`, host: `127.0.0.1:${port}` };
        expect((await get(port, '/ui/packages', headers)).status).toBe(200);
        const other = await get(port, '/ui/packages', { ...headers, 'x-forwarded-for': '192.0.2.7' });
        expect(other.status).toBe(flags.length === 0 ? 403 : 200);
        server.signal('SIGTERM');
        await server.ended;
      }
    },
  );

  it('is named by a server that has users, and its setup page by one that has none', async () => {
    const first = await serve();
    await first.server.shows(new RegExp(`^ {2}http://127\\.0\\.0\\.1:${first.port}/ui/setup\\?code=set_\\w{32}$`, 'm'));
    expect(first.server.output().stderr).not.toContain('Console:');
    first.server.signal('SIGTERM');
    await first.server.ended;
    await makeAdmin();
    const { server, port } = await serve();
    await server.shows(new RegExp(`^Console: http://127\\.0\\.0\\.1:${port}/ui/$`, 'm'));
    expect(server.output().stderr).not.toContain('set_');
  });

  it('is where an invitation of the command line leads', async () => {
    await makeAdmin();
    const invite = async (...more: readonly string[]) => {
      const args = ['user', 'update', 'ada@example.org', '--invite', '--data', 'data', ...more];
      return runCli(args, { cwd: folder.path, environment: { LIBRETTO_PUBLIC_URL: 'https://packages.example.org' } });
    };
    const { stdout, stderr } = await invite();
    expect(stdout).toMatch(/^inv_\w{32}$/);
    expect(stderr).toContain('  https://packages.example.org/ui/invitation?code=CODE');
    const { invitation } = JSON.parse((await invite('--json')).stdout) as { invitation: Record<string, string> };
    expect(invitation['link']).toBe(`/ui/invitation?code=${invitation['token']}`);
  });
});
