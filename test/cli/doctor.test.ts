// `libretto doctor`: what it finds in a registry, in what stands before it and in a Redis, and what it tells people to
// do.

import { chmodSync, chownSync, mkdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

import { startNginx } from '../util/nginx.ts';
import { startRedis } from '../util/redis-server.ts';
import { startRegistry, type Registry } from '../util/registry.ts';
import { runCli } from '../util/run-cli.ts';
import { lacks } from '../util/tool.ts';
import { temporaryFolder, type TemporaryFolder } from '../util/temporary-folder.ts';

interface Check {
  readonly check: string;
  readonly verdict: string;
  readonly message: string;
  readonly advice: string | null;
}

interface Report {
  readonly exitCode: number;
  readonly ok: boolean;
  readonly checks: readonly Check[];
  /** by name; of checks that are not there, undefined */
  readonly of: (check: string) => Check | undefined;
}

let folder: TemporaryFolder;
let registry: Registry;
beforeAll(async () => {
  folder = temporaryFolder('cli-doctor');
  mkdirSync(folder.at('packages/hello'), { recursive: true });
  writeFileSync(folder.at('packages/hello/composer.json'), JSON.stringify({ name: 'acme/hello', version: '1.0.0' }));
  registry = await startRegistry({ sources: [folder.at('packages')] });
});
afterAll(async () => {
  await registry.stop();
  await folder.remove();
});

async function doctor(args: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<Report> {
  const { exitCode, stdout } = await runCli(['doctor', '--json', ...args], { cwd: folder.path, environment });
  const { ok, checks } = JSON.parse(stdout) as Pick<Report, 'ok' | 'checks'>;
  return { exitCode, ok, checks, of: (name) => checks.find(({ check }) => check === name) };
}

const bad = ({ checks }: Report): Check[] =>
  checks.filter(({ verdict }) => verdict === 'failed' || verdict === 'warning');

describe('on a host', () => {
  it('finds nothing wrong with a registry that is well, and says so to people and scripts', async () => {
    const report = await doctor(['--data', registry.data]);
    expect([report.exitCode, report.ok, bad(report)]).toEqual([0, true, []]);
    expect(report.of('tree')?.message).toContain('1 package, 1 version');
    expect(report.of('server')?.message).toMatch(/^A server without a Redis is running: process \d+/);
    const { exitCode, stdout } = await runCli(['doctor', '--data', registry.data], { cwd: folder.path });
    expect([exitCode, stdout]).toEqual([
      0,
      expect.stringMatching(/^ok {7}node .*\n(?:.*\n)+\nNothing is wrong\.$/) as string,
    ]);
  });

  it('names an archive that is gone, keys that others can read, and what to do', async () => {
    const data = folder.at('damaged');
    await runCli(['build', 'packages', '--data', data], { cwd: folder.path });
    rmSync(`${data}/public/dist/acme/hello`, { recursive: true });
    mkdirSync(`${data}/keys`, { mode: 0o700 });
    writeFileSync(`${data}/keys/signing-0001.json`, '{}');
    chmodSync(`${data}/keys/signing-0001.json`, 0o644);
    const report = await doctor(['--data', data]);
    expect([report.exitCode, report.ok]).toEqual([1, false]);
    expect(report.of('tree')).toMatchObject({
      verdict: 'failed',
      message: expect.stringContaining('1.0.0') as string,
      advice: expect.stringContaining('libretto verify') as string,
    });
    expect(report.of('keys')).toMatchObject({
      verdict: 'failed',
      message: expect.stringContaining('signing-0001.json') as string,
      advice: expect.stringContaining('chmod') as string,
    });
    expect(report.of('state')).toMatchObject({ verdict: 'warning' });
    const { exitCode, stdout } = await runCli(['doctor', '--data', data], { cwd: folder.path });
    expect([exitCode, stdout]).toEqual([
      1,
      expect.stringMatching(/FAILED {3}tree .*\n +→ .*libretto verify.*\n(?:.*\n)*\n2 failed, 1 warning\.$/) as string,
    ]);
  });

  it('finds a document that was cut off, and says what mends it: a build whose sources are unchanged does not', async () => {
    const data = folder.at('cut');
    await runCli(['build', 'packages', '--data', data], { cwd: folder.path });
    truncateSync(`${data}/public/p2/acme/hello.json`, 50);
    const tree = (await doctor(['--data', data])).of('tree');
    expect(tree).toMatchObject({
      verdict: 'failed',
      message: expect.stringContaining('Remove build/manifest.json and run `libretto build`') as string,
    });
    expect(tree?.advice).not.toContain('libretto build');
    rmSync(`${data}/build/manifest.json`);
    await runCli(['build', '--data', data], { cwd: folder.path });
    expect((await doctor(['--data', data])).of('tree')?.verdict).toBe('ok');
  });

  it.runIf(process.getuid?.() === 0)('leaves nothing in the folder of another user when root asks', async () => {
    const data = folder.at('of-nobody');
    await runCli(['build', 'packages', '--data', data], { cwd: folder.path });
    await runCli(['token', 'create', '--description', 'a test', '--data', data], { cwd: folder.path });
    chownSync(data, 65_534, 65_534);
    const report = await doctor(['--data', data]);
    expect([report.of('data'), report.of('state')]).toMatchObject([
      { verdict: 'warning', advice: expect.stringContaining("sudo -u '#65534' libretto doctor") as string },
      { verdict: 'skipped' },
    ]);
  });

  it('says where there is no data folder, makes none, and goes on where the configuration is wrong', async () => {
    const missing = await doctor(['--data', folder.at('nowhere')]);
    expect([missing.exitCode, missing.of('data')]).toMatchObject([
      1,
      { verdict: 'failed', advice: expect.stringContaining('--data') as string },
    ]);
    expect((await doctor(['--data', folder.at('nowhere')])).of('data')?.verdict).toBe('failed');
    const wrong = await doctor([], { LIBRETTO_LISTEN: 'nonsense' });
    expect([wrong.exitCode, wrong.of('configuration'), wrong.of('node')]).toMatchObject([
      1,
      { verdict: 'failed', message: expect.stringContaining('LIBRETTO_LISTEN is "nonsense"') as string },
      { verdict: 'ok' },
    ]);
  });
});

describe('from outside', () => {
  const token = (): Record<string, string> => ({ LIBRETTO_TOKEN: registry.token });
  const servers: Server[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) server.close().closeAllConnections();
  });
  /** What stands before the registry: asks it with other headers, and changes what it says. */
  async function front(change: {
    readonly request?: (headers: Record<string, string>) => void;
    readonly answer?: (reply: { status: number; headers: Headers; body: Buffer }) => void;
  }): Promise<string> {
    const server = createServer((request, response) => {
      const headers = Object.fromEntries(
        Object.entries(request.headers).filter(([name]) => name !== 'host' && name !== 'connection'),
      ) as Record<string, string>;
      change.request?.(headers);
      void fetch(`${registry.direct()}${request.url ?? ''}`, { headers, redirect: 'manual' }).then(async (answer) => {
        const reply = {
          status: answer.status,
          headers: new Headers(answer.headers),
          body: Buffer.from(await answer.arrayBuffer()),
        };
        for (const name of ['content-encoding', 'content-length', 'transfer-encoding', 'connection'])
          reply.headers.delete(name);
        change.answer?.(reply);
        response
          .writeHead(reply.status, Object.fromEntries(reply.headers))
          .end(reply.status === 304 ? undefined : reply.body);
      });
    });
    servers.push(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return `http://127.0.0.1:${(server.address() as { port: number }).port}`;
  }

  it('finds nothing wrong with one that is reached directly', async () => {
    const report = await doctor(['--url', registry.direct(), '--data', folder.at('nowhere')], token());
    expect([report.exitCode, bad(report)]).toEqual([0, []]);
    expect(report.checks.filter(({ verdict }) => verdict === 'ok').map(({ check }) => check)).toEqual(
      expect.arrayContaining([
        'url',
        'url.clock',
        'url.ready',
        'url.unknown',
        'url.token',
        'url.metadata',
        'url.caching',
        'url.dist',
        'url.shared',
      ]),
    );
    expect(JSON.stringify(report.checks)).not.toContain(registry.token);
  });

  it.skipIf(lacks('nginx'))(
    'finds nothing wrong behind nginx, which refuses the exact template: clients behind it are told the plain one',
    async () => {
      const nginx = await startNginx(`location / { proxy_pass ${registry.direct()}; }`);
      const [known, unknown] = [
        await doctor(['--url', nginx.url, '--data', folder.at('nowhere')], token()),
        await doctor(['--url', nginx.url, '--data', folder.at('nowhere')]),
      ];
      await nginx.stop();
      for (const report of [known, unknown])
        expect([report.exitCode, bad(report), report.of('url.metadata')]).toMatchObject([
          0,
          [],
          { verdict: 'ok', message: '/p2/%package%.json gets through' },
        ]);
    },
  );

  it.skipIf(lacks('nginx'))(
    'names a front that refuses the exact template and adds nothing to requests, also to who has no token',
    async () => {
      const nginx = await startNginx(`location / { proxy_pass ${registry.direct()}; proxy_http_version 1.1; }`);
      const [known, unknown] = [
        await doctor(['--url', nginx.url, '--data', folder.at('nowhere')], token()),
        await doctor(['--url', nginx.url, '--data', folder.at('nowhere')]),
      ];
      await nginx.stop();
      for (const report of [known, unknown]) {
        expect(bad(report)).toMatchObject([
          {
            check: 'url.metadata',
            verdict: 'failed',
            message: expect.stringContaining('$%hash%.json answers 400') as string,
            advice: expect.stringContaining('Set metadataUrl to /p2/%package%.json (--metadata-url') as string,
          },
        ]);
        expect(report.exitCode).toBe(1);
      }
    },
  );

  it.each<[string, Parameters<typeof front>[0], string, RegExp]>([
    [
      'takes the Authorization header away',
      { request: (headers) => void delete headers['authorization'] },
      'url.token',
      /Authorization header does not arrive/,
    ],
    [
      'brings a token of its own',
      { request: (headers) => void (headers['authorization'] = `Bearer ${registry.token}`) },
      'url.unknown',
      /given to who has no token/,
    ],
    [
      'takes Last-Modified away',
      { answer: ({ headers }) => headers.delete('last-modified') },
      'url.caching',
      /without Last-Modified/,
    ],
    [
      'takes If-Modified-Since away',
      { request: (headers) => void delete headers['if-modified-since'] },
      'url.caching',
      /sent again: 200 in place of 304/,
    ],
    [
      'changes archives',
      {
        answer: (reply) =>
          void (reply.headers.get('content-type') === 'application/zip' && (reply.body = Buffer.from('other'))),
      },
      'url.dist',
      /differ from the checksum/,
    ],
    [
      'has another time',
      { answer: ({ headers }) => headers.set('date', new Date(Date.now() - 90_000).toUTCString()) },
      'url.clock',
      /(?:89|9\d) s behind/,
    ],
    [
      'leads elsewhere',
      {
        answer: (reply) => {
          reply.status = 302;
          reply.headers.set('location', 'https://login.example.org/');
        },
      },
      'url',
      /leads elsewhere: 302, to https:\/\/login/,
    ],
    [
      'answers in HTML',
      {
        answer: (reply) => {
          reply.status = 502;
          reply.body = Buffer.from('<h1>Bad gateway</h1>');
        },
      },
      'url',
      /answers 502 \(not an answer of Libretto\)/,
    ],
  ])('sees that a front %s', async (_what, change, check, message) => {
    const report = await doctor(['--url', await front(change), '--data', folder.at('nowhere')], token());
    expect([report.exitCode, report.of(check)]).toMatchObject([
      1,
      {
        verdict: 'failed',
        message: expect.stringMatching(message) as string,
        advice: expect.stringMatching(/.{20}/) as string,
      },
    ]);
  });

  it('sees a cache that gives one client what another one read', async () => {
    const kept = new Map<string, { status: number; headers: Headers; body: Buffer }>();
    const url = await front({
      answer: (reply) => {
        const key = `${reply.headers.get('last-modified') ?? ''}${reply.headers.get('content-type') ?? ''}`;
        if (reply.status === 200) kept.set(key, { ...reply });
        const found = [...kept.values()].find(({ body }) => body.includes('"packages":{"acme/hello"'));
        if (reply.status === 401 && found !== undefined) Object.assign(reply, found);
      },
    });
    const report = await doctor(['--url', url, '--data', folder.at('nowhere')], token());
    expect(report.of('url.shared')).toMatchObject({
      verdict: 'failed',
      message: expect.stringContaining('after a client with a token read it') as string,
    });
  });

  it('takes the token to no other host, wherever packages.json points', async () => {
    const asked: (string | undefined)[] = [];
    const elsewhere = createServer((request, response) => {
      asked.push(request.headers.authorization);
      response.writeHead(404).end();
    }).listen(0, '127.0.0.1');
    servers.push(elsewhere);
    await once(elsewhere, 'listening');
    const there = `http://127.0.0.1:${(elsewhere.address() as { port: number }).port}`;
    const url = await front({
      answer: (reply) =>
        void (reply.body = Buffer.from(
          reply.body.toString('latin1').replace('"metadata-url":"', `"metadata-url":"${there}`),
          'latin1',
        )),
    });
    const report = await doctor(['--url', url, '--data', folder.at('nowhere')], token());
    expect([report.exitCode, report.of('url.metadata')?.verdict]).toEqual([1, 'failed']);
    expect([...new Set(asked)]).toEqual([undefined]);
  });

  it('says when nothing answers, a token is wrong or missing', async () => {
    expect((await doctor(['--url', 'http://127.0.0.1:1', '--data', folder.at('nowhere')])).of('url')).toMatchObject({
      verdict: 'failed',
      message: expect.stringContaining('cannot be reached') as string,
    });
    expect(
      (await doctor(['--url', registry.direct(), '--token', 'lib_r_wrong', '--data', folder.at('nowhere')])).of(
        'url.token',
      ),
    ).toMatchObject({ verdict: 'failed', message: 'The token is not valid.' });
    const without = await doctor(['--url', registry.direct(), '--data', folder.at('nowhere')]);
    expect([without.exitCode, without.of('url.token')?.verdict]).toEqual([0, 'skipped']);
    const { exitCode, stderr } = await runCli(['doctor', '--url', 'ftp://nowhere'], { cwd: folder.path });
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('is not the address of a registry') as string]);
  });
});

describe.skipIf(lacks('redis-server'))('a Redis', () => {
  it('that counts need not keep anything; one that keeps the state has to', async () => {
    const redis = await startRedis(['--dir', folder.path]);
    const counts = await doctor(['--data', registry.data, '--redis', redis.url]);
    const state = await doctor(['--data', registry.data, '--state', redis.url]);
    await redis.command('config', 'set', 'appendonly', 'yes');
    const late = await doctor(['--data', registry.data, '--state', redis.url]);
    await redis.command('config', 'set', 'appendfsync', 'always');
    await sleep(100);
    const durable = await doctor(['--data', registry.data, '--state', redis.url]);
    await redis.stop();
    expect([
      counts.of('redis'),
      counts.of('redis.writable'),
      counts.of('redis.clock'),
      counts.of('redis.durable'),
    ]).toMatchObject([
      { verdict: 'ok', message: expect.stringMatching(/^Redis \d+\.\d+\.\d+ at 127/) as string },
      { verdict: 'ok' },
      { verdict: 'ok' },
      undefined,
    ]);
    expect(state.of('redis.state.durable')).toMatchObject({
      verdict: 'failed',
      advice: expect.stringContaining('appendonly yes') as string,
    });
    expect(late.of('redis.state.durable')).toMatchObject({
      verdict: 'warning',
      message: expect.stringContaining('appendfsync everysec') as string,
      advice: expect.stringContaining('appendfsync always') as string,
    });
    expect(durable.of('redis.state.durable')).toMatchObject({ verdict: 'ok' });
  });

  it('that is away or refuses the password is told without the password', async () => {
    const away = await doctor(['--data', registry.data, '--redis', 'redis://me:hunter2@127.0.0.1:1']);
    expect([away.exitCode, away.of('redis')]).toMatchObject([
      1,
      { verdict: 'failed', message: expect.stringContaining('ECONNREFUSED') as string },
    ]);
    const redis = await startRedis([], 'correct');
    const wrong = await doctor(['--data', registry.data, '--redis', redis.url.replace('correct', 'hunter2')]);
    await redis.stop();
    expect([wrong.exitCode, wrong.of('redis')]).toMatchObject([
      1,
      { verdict: 'failed', message: expect.stringMatching(/WRONGPASS|password/i) as string },
    ]);
    expect(JSON.stringify([away.checks, wrong.checks])).not.toContain('hunter2');
  });
});
