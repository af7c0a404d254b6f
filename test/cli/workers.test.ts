// Tests `serve --workers`: several processes act as one server. Limits are exact, every worker learns every change, and
// none depends on another.

import { existsSync, readdirSync, readFileSync, readlinkSync, renameSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { Agent, createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Agent as TlsAgent, request } from 'undici';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';

import { createAuthority } from '../util/certificate.ts';
import { eventually } from '../util/eventually.ts';
import { libraryTree, writeTree } from '../util/package-tree.ts';
import { startRedis, type RedisServer } from '../util/redis-server.ts';
import { logLines, runCli, startCli, type CliOutcome, type RunningCli } from '../util/run-cli.ts';
import { startKeepAliveClients } from '../util/keep-alive-clients.ts';
import { temporaryFolder, type TemporaryFolder } from '../util/temporary-folder.ts';
import { lacks } from '../util/tool.ts';
import { describeInSeries, itInSeries } from '../util/series.ts';

let folder: TemporaryFolder;
const started: RunningCli[] = [];

interface Health {
  readonly workers: unknown;
}
const open = (): void => void (folder = temporaryFolder('cli-workers'));
async function close(): Promise<void> {
  for (const server of started.splice(0)) {
    server.signal('SIGKILL');
    await server.ended;
  }
  await folder.remove();
}

function start(...args: readonly string[]): RunningCli {
  const server = startCli(['serve', '--listen', '127.0.0.1:0', ...args], { cwd: folder.path });
  started.push(server);
  return server;
}
const run = (...args: readonly string[]): Promise<CliOutcome> => runCli(args, { cwd: folder.path });

describe('workers without a Redis', () => {
  beforeEach(open);
  afterEach(close);

  it('refuse to start, with the reason', async () => {
    const { exitCode, stdout, stderr } = await run('serve', '--listen', '127.0.0.1:0', '--workers', '2');
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toBe(
      'libretto: 2 workers (--workers) need a shared Redis. Otherwise each worker counts requests for itself, and a token gets 2 times its limit. Name a Redis with --redis URL (or --state URL), or serve with one worker.',
    );
    expect(existsSync(folder.at('var/state'))).toBe(false);
  });

  itInSeries('start with one worker, and the number of workers is checked', async () => {
    expect(await run('serve', '--workers', '0')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('allowed: a whole number from 1 to 256, or auto') as string,
    });
    const [url] = await start('--workers', '1').shows(/http:\/\/127\.0\.0\.1:\d+/);
    expect(await (await fetch(`${url}/health`)).json()).not.toHaveProperty('workers');
  });
});

describe.skipIf(lacks('redis-server'))('workers with a Redis', () => {
  let redis: RedisServer;
  beforeAll(async () => void (redis = await startRedis()));
  afterAll(() => redis.stop());

  const serve = async (...flags: readonly string[]): Promise<{ readonly server: RunningCli; readonly url: string }> => {
    writeTree(folder.at('hello'), libraryTree('acme/hello', { version: '1.0.0' }));
    expect((await run('build', 'hello')).exitCode).toBe(0);
    const server = start('--workers', '2', '--redis', redis.url, ...flags);
    const [url] = await server.shows(/https?:\/\/127\.0\.0\.1:\d+/);
    await server.shows(/There is no user yet/);
    await allServe(url);
    return { server, url };
  };
  const anyCertificate = new TlsAgent({ connect: { rejectUnauthorized: false } });
  afterAll(() => anyCertificate.close());
  const healthOf = async (url: string): Promise<unknown> =>
    ((await (await request(`${url}/health`, { dispatcher: anyCertificate, reset: true })).body.json()) as Health)
      .workers;
  /** each worker has the change, and the next two requests reach one worker each */
  const allServe = (url: string): Promise<void> =>
    vi.waitFor(
      async () =>
        expect([await healthOf(url), await healthOf(url)]).toEqual([
          { serving: 2, of: 2 },
          { serving: 2, of: 2 },
        ]),
      { timeout: 60_000, interval: 20 },
    );
  const createToken = async (...flags: readonly string[]): Promise<{ readonly id: string; readonly token: string }> =>
    JSON.parse((await run('token', 'create', '--description', 'x', '--json', ...flags)).stdout) as {
      id: string;
      token: string;
    };
  const workersOf = ({ pid }: RunningCli): number[] =>
    readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);
  const allEnded = (pids: readonly number[]): Promise<void> =>
    vi.waitFor(() => expect(pids.filter((pid) => existsSync(`/proc/${pid}`))).toEqual([]), { timeout: 60_000 });
  const statusOf = (url: string, token: string, agent: Agent): Promise<number> =>
    new Promise((resolve, reject) =>
      get(`${url}/packages.json`, { agent, headers: { authorization: `Bearer ${token}` } }, (response) =>
        response.resume().on('end', () => resolve(response.statusCode ?? 0)),
      ).on('error', reject),
    );

  describe('of one server', () => {
    let server: RunningCli;
    let url: string;
    beforeAll(async () => {
      open();
      ({ server, url } = await serve());
    });
    afterAll(close);

    it('have the same management API: a login on one is valid on all', async () => {
      const [, code = ''] = /setup\?code=(\w+)/.exec(server.output().stderr) ?? [];
      const call = async (
        method: string,
        path: string,
        session?: string,
        body?: unknown,
      ): Promise<{ readonly status: number; readonly json: Record<string, unknown> }> => {
        const reply = await request(`${url}${path}`, {
          method: method as 'GET',
          reset: true,
          headers: {
            ...(session === undefined ? {} : { authorization: `Bearer ${session}` }),
            ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        });
        return { status: reply.statusCode, json: (await reply.body.json()) as Record<string, unknown> };
      };
      const { json } = await call('POST', '/api/auth/setup', undefined, {
        setup_code: code,
        email: 'ada@example.org',
        password: 'correct horse battery staple',
      });
      const session = String(json['token']);
      const made = await Promise.all(
        Array.from({ length: 4 }, (_, at) =>
          call('POST', '/api/tokens', session, { description: `number ${at}`, kind: 'read' }),
        ),
      );
      expect(made.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
      const seen = await Promise.all(Array.from({ length: 4 }, () => call('GET', '/api/tokens', session)));
      for (const { json: list } of seen) expect(list['data']).toHaveLength(4);
      expect((await call('POST', '/api/auth/logout', session, {})).status).toBe(200);
      const after = await Promise.all(Array.from({ length: 4 }, () => call('GET', '/api/tokens', session)));
      expect(after.map(({ status }) => status)).toEqual([401, 401, 401, 401]);
    });

    it('F5: answer 1000 of 1200 requests at once against a limit of 1000, and refuse 200', async () => {
      const burst = async (): Promise<readonly number[]> => {
        const { token } = await createToken('--limit', '1000');
        const agent = new Agent({ keepAlive: true, maxSockets: 48 });
        const statuses = await Promise.all(Array.from({ length: 1200 }, () => statusOf(url, token, agent)));
        agent.destroy();
        return [200, 429].map((status) => statuses.filter((one) => one === status).length);
      };
      // a machine that holds Redis up for 250 ms makes each worker count alone, which the server announces (F6)
      const text = (): string => server.output().stderr;
      const outages = (): number => text().split('Degraded: Redis').length;
      const isShared = (): boolean => text().lastIndexOf('Degraded: Redis') <= text().lastIndexOf('Redis is back');
      let counts: readonly number[] = [];
      for (let attempt = 0, before = -1; attempt < 5 && before !== outages(); attempt += 1) {
        await expect.poll(isShared).toBe(true);
        before = outages();
        counts = await burst();
      }
      expect(counts).toEqual([1000, 200]);
    });

    it('refuse a revoked token with the next request, on each of them', async () => {
      const { id, token } = await createToken();
      const agents = Array.from({ length: 4 }, () => new Agent({ keepAlive: true, maxSockets: 1 }));
      const askAll = (): Promise<number[]> => Promise.all(agents.map((agent) => statusOf(url, token, agent)));
      expect([await askAll(), await askAll()].flat()).toEqual(Array.from({ length: 8 }, () => 200));
      expect((await run('token', 'revoke', id)).exitCode).toBe(0);
      expect(await askAll()).toEqual([401, 401, 401, 401]);
      for (const agent of agents) agent.destroy();
    });

    it('end at once at a second signal', async () => {
      const workers = workersOf(server);
      server.signal('SIGINT');
      await server.shows(/Stopping/);
      await delay(250); // an immediate repetition counts as the same signal
      server.signal('SIGINT');
      const { exitCode } = await server.ended;
      // without running requests all workers may have ended before the second signal
      expect([130, 0]).toContain(exitCode);
      await allEnded(workers);
    });
  });

  describeInSeries('of a server of their own', () => {
    beforeEach(open);
    afterEach(close);

    it('serve together, print each message once, and have common metrics', async () => {
      const { server, url } = await serve('--metrics', '127.0.0.1:0');
      const { token } = await createToken();
      const { stderr } = server.output();
      const [, metrics = ''] = /Metrics: (http:[^\s,]+)/.exec(stderr) ?? [];
      expect(stderr).toContain('2 workers serve.');
      for (const line of [/Serving 1 package/g, /There is no user yet/g]) expect(stderr.match(line)).toHaveLength(1);
      for (let asked = 0; asked < 10; asked += 1) expect(await statusOf(url, token, new Agent())).toBe(200);
      const text = await (await fetch(metrics)).text();
      expect(text).toContain('libretto_requests_total{route="root",status="200",token="read"} 10\n');
      expect(text).toContain('libretto_workers_serving 2\n');
      expect(text).toContain('libretto_publication_serial 1\n');
      for (const process of ['worker 1', 'worker 2', 'primary'])
        expect(text).toMatch(new RegExp(`^process_resident_memory_bytes\\{process="${process}"\\} \\d+$`, 'm'));
      const typed = [...text.matchAll(/^# TYPE ([a-z_]+)/gm)].map(([, name]) => name);
      expect(new Set(typed).size).toBe(typed.length);
      server.signal('SIGTERM');
      const { exitCode, stdout } = await server.ended;
      expect(exitCode).toBe(0);
      const lines = logLines(stdout);
      const ids = lines.filter(({ path }) => path === '/packages.json').map(({ request_id }) => String(request_id));
      expect(new Set(ids).size).toBe(10);
      expect(new Set(ids.map((id) => id.split('-')[0])).size).toBe(2);
      // one worker writes it at its end, because a token was added since its start
      expect(stdout.match(/audit_head/g)).toHaveLength(1);
    });

    it('accept eight correct logins at once, and answer five of twelve wrong ones; they end when the primary is killed', async () => {
      const { server, url } = await serve('--state', redis.url);
      const [, code = ''] = /setup\?code=(\w+)/.exec(server.output().stderr) ?? [];
      const post = async (path: string, body: object): Promise<number> =>
        (
          await fetch(`${url}${path}`, {
            method: 'POST',
            headers: { 'content-type': 'application/json', connection: 'close' },
            body: JSON.stringify(body),
          })
        ).status;
      const [email, password] = ['ada@example.org', 'correct horse battery staple'];
      expect(await post('/api/auth/setup', { setup_code: code, email, password })).toBe(201);
      const right = await Promise.all(Array.from({ length: 8 }, () => post('/api/auth/login', { email, password })));
      expect(right).toEqual(Array.from({ length: 8 }, () => 200));
      const began = performance.now();
      const wrong = await Promise.all(
        Array.from({ length: 12 }, (_, at) => post('/api/auth/login', { email, password: `wrong ${at}` })),
      );
      // after five failures the account waits 1, 2, 4 … seconds, so a slow machine answers a few more
      const waited = Math.floor(Math.log2((performance.now() - began) / 1000 + 1));
      const answered = wrong.filter((status) => status === 401).length;
      expect(answered).toBeGreaterThanOrEqual(5);
      expect(answered).toBeLessThanOrEqual(5 + waited);
      const workers = workersOf(server);
      server.signal('SIGKILL');
      await allEnded(workers);
    });

    it('lose no count when a worker is killed and replaced; F14: abort no answer at SIGTERM under load', async () => {
      const { server, url } = await serve('--metrics', '127.0.0.1:0');
      const [, metrics = ''] = /Metrics: (http:[^\s,]+)/.exec(server.output().stderr) ?? [];
      const counted = async (): Promise<number> =>
        Number(/route="root",status="200",token="read"\} (\d+)/.exec(await (await fetch(metrics)).text())?.[1]);
      const { token } = await createToken('--limit', '0');
      const clients = startKeepAliveClients(`${url}/packages.json`, token, 8);
      await clients.more(200);
      const before = await counted();
      const [victim = 0, survivor = 0] = workersOf(server);
      process.kill(victim, 'SIGKILL');
      await server.shows(/Worker \d \(process \d+\) was ended by SIGKILL\. It is started again in 0\.1 seconds\./);
      await clients.more(200);
      // answers of the killed worker broke off, and those of the other continued
      expect(clients.answers()['broken'] ?? 0).toBeLessThan(8);
      await allServe(url);
      clients.stop();
      await clients.ended;
      expect(Object.keys(clients.answers()).filter((what) => !['broken', 'late'].includes(what))).toEqual(['200']);
      expect(workersOf(server)).toHaveLength(2);
      expect(workersOf(server)).toContain(survivor);
      expect(workersOf(server)).not.toContain(victim);
      expect(await counted()).toBeGreaterThan(before);

      const stopped = startKeepAliveClients(`${url}/packages.json`, token, 16);
      await stopped.more(300);
      server.signal('SIGTERM');
      await stopped.ended;
      const { late = 0, ...answers } = stopped.answers();
      // a machine that stops a client for a quarter of a second makes its next request late; no server received it
      expect([Object.keys(answers), late < 16]).toEqual([['200'], true]);
      expect((await server.ended).exitCode).toBe(0);
    });

    it('leave no process when the primary is killed while they start', async () => {
      const server = start('--workers', '2', '--redis', redis.url);
      const workers = await vi.waitUntil(
        () => {
          const found = workersOf(server);
          return found.length === 2 && found.every((pid) => hasOpened(pid, 'data.mdb')) && found;
        },
        { timeout: 60_000, interval: 1 },
      );
      server.signal('SIGKILL');
      await allEnded(workers);
    });

    it('reopen the log at SIGHUP in all processes', async () => {
      const { server, url } = await serve('--log', 'requests.log');
      const { token } = await createToken();
      const ask = async (): Promise<void> => {
        for (let asked = 0; asked < 4; asked += 1) await statusOf(url, token, new Agent());
      };
      await ask();
      renameSync(folder.at('requests.log'), folder.at('old.log'));
      server.signal('SIGHUP');
      await eventually(() => workersOf(server).every((pid) => hasOpened(pid, '/requests.log')));
      await ask();
      server.signal('SIGTERM');
      expect((await server.ended).exitCode).toBe(0);
      const writersOf = (file: string): Set<string> =>
        new Set(
          logLines(readFileSync(folder.at(file), 'utf8'))
            .filter(({ path }) => path === '/packages.json')
            .map(({ request_id }) => String(request_id).split('-')[0] ?? ''),
        );
      expect([writersOf('old.log').size, writersOf('requests.log').size]).toEqual([2, 2]);
    });

    it.skipIf(lacks('openssl'))(
      'report an unusable certificate once at SIGHUP, also where all processes get the signal',
      async () => {
        const { certFile, keyFile } = createAuthority(folder.path).issue('one');
        const { server: running } = await serve('--log', 'requests.log', '--tls-cert', certFile, '--tls-key', keyFile);
        writeFileSync(keyFile, 'no key');
        for (const pid of [running.pid, ...workersOf(running)]) process.kill(pid, 'SIGHUP');
        await running.shows(/The server continues with the previous certificate/);
        await delay(300); // time for a second report, which must not come
        running.signal('SIGTERM');
        const { exitCode, stderr } = await running.ended;
        const logged = logLines(readFileSync(folder.at('requests.log'), 'utf8')).filter(
          ({ certificate }) => certificate === 'kept',
        );
        expect([
          exitCode,
          stderr.match(/The server continues with the previous certificate/g)?.length,
          logged.length,
        ]).toEqual([0, 1, 1]);
      },
    );

    it('end the command with the exit code and the message of a first worker that cannot start', async () => {
      const other = createServer().listen(0, '127.0.0.1');
      await once(other, 'listening');
      const { port } = other.address() as AddressInfo;
      await runCli(['token', 'create', '--description', 'ci', '--data', 'other'], { cwd: folder.path });
      const { exitCode, stderr } = await runCli(
        ['serve', '--data', 'other', '--workers', '2', '--redis', redis.url, '--listen', `127.0.0.1:${port}`],
        { cwd: folder.path },
      );
      other.close();
      expect(exitCode).toBe(2);
      expect(stderr).toMatch(
        /^libretto: Cannot listen on 127\.0\.0\.1:\d+ \(--listen\): another program listens there already\./m,
      );
    });
  });
});

/** Empty for a descriptor that was closed in the meantime. */
function hasOpened(pid: number, name: string): boolean {
  const descriptors = `/proc/${pid}/fd`;
  return readdirSync(descriptors).some((fd) => targetOf(`${descriptors}/${fd}`).endsWith(name));
}

function targetOf(descriptor: string): string {
  try {
    return readlinkSync(descriptor);
  } catch {
    return '';
  }
}
