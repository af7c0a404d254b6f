// Tests `libretto doctor --url`: it examines a server, and the proxies and caches in front of it, from a client's
// place.

import { mkdirSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

import { faultsOf, runDoctor, type DoctorReport } from '../util/doctor-report.ts';
import { startNginx } from '../util/nginx.ts';
import { startRegistry, type Registry } from '../util/registry.ts';
import { runCli } from '../util/run-cli.ts';
import { lacks } from '../util/tool.ts';
import { temporaryFolder, type TemporaryFolder } from '../util/temporary-folder.ts';
import { firstOf, itInSeries } from '../util/series.ts';

let folder: TemporaryFolder;
let registry: Registry;
beforeAll(async () => {
  folder = temporaryFolder('cli-doctor-url');
  mkdirSync(folder.at('packages/hello'), { recursive: true });
  writeFileSync(folder.at('packages/hello/composer.json'), JSON.stringify({ name: 'acme/hello', version: '1.0.0' }));
  registry = await startRegistry({ sources: [folder.at('packages')] });
});
afterAll(async () => {
  await registry.stop();
  await folder.remove();
});

const doctor = (args: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<DoctorReport> =>
  runDoctor(folder.path, args, environment);

describe('doctor with a URL', () => {
  const token = (): Record<string, string> => ({ LIBRETTO_TOKEN: registry.token });
  const servers: Server[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) server.close().closeAllConnections();
  });
  /** A front before the registry, which changes request headers and answers. */
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

  it('sends no token to an http:// address of another machine, and says so', async () => {
    const authorizations: (string | undefined)[] = [];
    const url = await front({ request: ({ authorization }) => void authorizations.push(authorization) });
    const elsewhere = url.replace(/127\.0\.0\.1|localhost/, '0.0.0.0'); // reaches this machine, and is no loopback name
    const report = await doctor(['--url', elsewhere], token());
    expect(report.of('url.token')).toMatchObject({
      verdict: 'skipped',
      message: expect.stringContaining('The token was not sent') as string,
    });
    expect(authorizations.length).toBeGreaterThan(0);
    expect(authorizations.filter((one) => one !== undefined)).toEqual([]);
  });

  it('finds no fault with a server that is reached directly', async () => {
    const report = await doctor(['--url', registry.direct(), '--data', folder.at('nowhere')], token());
    expect([report.exitCode, faultsOf(report)]).toEqual([0, []]);
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

  itInSeries('names a server of plain HTTP behind an https address, as status does', async () => {
    const url = registry.direct().replace('http:', 'https:');
    const fault = `The server at ${new URL(url).host} speaks plain HTTP.`;
    const report = await doctor(['--url', url, '--data', folder.at('nowhere')], token());
    expect([report.exitCode, faultsOf(report)]).toMatchObject([1, [{ check: 'url', message: fault }]]);
    const { exitCode, stderr } = await runCli(['status', '--url', url], { cwd: folder.path, environment: token() });
    expect([exitCode, stderr]).toEqual([
      1,
      `libretto: ${fault} Use http:// in the address, or turn on TLS at the server.`,
    ]);
  });

  it.skipIf(lacks('nginx'))(
    'finds no fault behind nginx, which refuses the exact template, because clients there get the plain one',
    async () => {
      const nginx = await startNginx(`location / { proxy_pass ${registry.direct()}; }`);
      const [known, unknown] = [
        await doctor(['--url', nginx.url, '--data', folder.at('nowhere')], token()),
        await doctor(['--url', nginx.url, '--data', folder.at('nowhere')]),
      ];
      await nginx.stop();
      for (const report of [known, unknown])
        expect([report.exitCode, faultsOf(report), report.of('url.metadata')]).toMatchObject([
          0,
          [],
          { verdict: 'ok', message: '/p2/%package%.json gets through' },
        ]);
    },
  );

  itInSeries.skipIf(lacks('nginx'))(
    'names a front that refuses the exact template and adds no header, also without a token',
    async () => {
      const nginx = await startNginx(`location / { proxy_pass ${registry.direct()}; proxy_http_version 1.1; }`);
      const [known, unknown] = [
        await doctor(['--url', nginx.url, '--data', folder.at('nowhere')], token()),
        await doctor(['--url', nginx.url, '--data', folder.at('nowhere')]),
      ];
      await nginx.stop();
      for (const report of [known, unknown]) {
        expect(faultsOf(report)).toMatchObject([
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

  it('names the path that a proxy must remove', async () => {
    const report = await doctor(['--url', `${registry.direct()}/composer`, '--data', folder.at('nowhere')]);
    expect(report.of('url')).toMatchObject({
      verdict: 'failed',
      advice: expect.stringMatching(/^Libretto itself answers: the reverse proxy must remove \/composer\./) as string,
    });
  });

  itInSeries('asks for the path of publicUrl in place of another metadataUrl, also without a token', async () => {
    const url = await front({
      answer: (reply) => {
        const text = reply.body.toString();
        if (text.startsWith('{')) reply.body = Buffer.from(text.replaceAll('"/p2/', '"/composer/p2/'));
      },
    });
    for (const environment of [token(), {}]) {
      const report = await doctor(['--url', url, '--data', folder.at('nowhere')], environment);
      expect(report.of('url.metadata')).toMatchObject({
        verdict: 'failed',
        advice: expect.stringMatching(
          /^packages\.json names addresses below \/composer: give --url with that/,
        ) as string,
      });
      expect(JSON.stringify(report.checks)).not.toContain('Set metadataUrl');
    }
  });

  it.each<[string, Parameters<typeof front>[0], string, RegExp]>(
    firstOf(
      [
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
          /Clients without a token get packages\.json/,
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
          'redirects to another address',
          {
            answer: (reply) => {
              reply.status = 302;
              reply.headers.set('location', 'https://login.example.org/');
            },
          },
          'url',
          /redirects to another address: 302, to https:\/\/login/,
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
      ],
      2,
    ),
  )('reports a front that %s', async (_what, change, check, message) => {
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

  it('reports a cache that gives one client the answer of another', async () => {
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

  it('sends the token to no other host, whatever packages.json contains', async () => {
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

  itInSeries('reports a silent server, and a wrong or missing token', async () => {
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
