// Tests notify-batch: Composer's reports of installs are checked against the published versions and counted next to
// downloads.

import { createConnection } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { below, libraryTree, temporaryTree, type TemporaryTree } from '../util/package-tree.ts';
import { runCli } from '../util/run-cli.ts';
import { runManagement, type RunningManagement } from '../util/running-management.ts';
import type { Reply } from '../util/running-proxy.ts';

let registry: RunningManagement;
let sources: TemporaryTree;
let reader: string;

const build = async (): Promise<void> => {
  const { exitCode, stderr } = await runCli(['build', 'src', '--data', registry.data, '--allow-withdraw'], {
    cwd: sources.root,
  });
  if (exitCode !== 0) throw new Error(stderr);
};

beforeAll(async () => {
  registry = await runManagement();
  reader = await registry.createToken('read');
  sources = temporaryTree({
    ...below('src/hello', libraryTree('acme/hello', { version: '1.0.0' })),
    ...below('src/hello-2', libraryTree('acme/hello', { version: '1.1' })),
    ...below('src/hello-x', libraryTree('acme/hello', { version: 'dev-feature/x' })),
    ...below('src/tool', libraryTree('acme/tool', { version: '2.0.0' })),
  });
  await build();
});
afterAll(async () => {
  await registry[Symbol.asyncDispose]();
  sources.remove();
});

const report = (downloads: unknown, as: string = reader): Promise<Reply> =>
  registry.call('POST', '/downloads', { as, body: { downloads } });
const codeOf = (reply: Reply): unknown => [reply.status, reply.json()['code']];
const statistics = async (name: string): Promise<Record<string, unknown>> =>
  (await registry.call('GET', `/api/packages/${name}/statistics`, { as: reader })).json();

describe('POST /downloads', () => {
  it('an install is counted by version and day, in any spelling of the version, and a repeated one once', async () => {
    const reply = await report([
      { name: 'acme/hello', version: '1.1.0.0' },
      { name: 'acme/hello', version: '1.1.0.0' },
      { name: 'Acme/Tool', version: '2.0.0.0', downloaded: true },
      { name: 'acme/hello', version: 'dev-feature/x' },
    ]);
    expect([reply.status, reply.json()]).toEqual([200, { status: 'success', counted: 3 }]);
    await report([{ name: 'acme/hello', version: '1.0.0' }]);
    const today = new Date().toISOString().slice(0, 10);
    expect(await statistics('acme/hello')).toEqual({
      total: 0,
      versions: {},
      days: [],
      installs: {
        total: 3,
        versions: { '1.0.0': 1, '1.1': 1, 'dev-feature/x': 1 },
        days: [{ date: today, installs: 3, versions: { '1.0.0': 1, '1.1': 1, 'dev-feature/x': 1 } }],
      },
    });
    expect(await statistics('acme/tool')).toMatchObject({ total: 0, installs: { total: 1, versions: { '2.0.0': 1 } } });
  });

  it('installs and downloads are counted separately, both in the state', async () => {
    await registry.proxy.get('/dist/acme/tool/2.0.0.zip', { authorization: `Bearer ${reader}` });
    expect(await statistics('acme/tool')).toMatchObject({ total: 1, installs: { total: 1 } });
    expect((await registry.state.range('install')).map(({ key }) => key.replace(/\/\d{4}-\d\d-\d\d$/, ''))).toEqual([
      'install-day',
      'install-total/acme/hello',
      'install-total/acme/tool',
      'install-versions/acme/hello',
      'install-versions/acme/tool',
      'installs/acme/hello',
      'installs/acme/tool',
    ]);
  });

  it('an invented install is neither counted nor stored', async () => {
    const before = await registry.state.range('install');
    const madeUp = Array.from({ length: 2000 }, (_, at) => ({ name: `made/up-${at}`, version: '1.0.0.0' }));
    expect((await report(madeUp)).json()).toEqual({ status: 'success', counted: 0 });
    expect(
      (
        await report([
          { name: 'acme/hello', version: '9.9.9.9' },
          { name: '../../etc', version: '1.0.0.0' },
          { name: '__proto__', version: 'constructor' },
          { name: 'acme/hello', version: 'x'.repeat(5000) },
        ])
      ).json(),
    ).toEqual({ status: 'success', counted: 0 });
    await registry.services.installs.flush();
    expect(await registry.state.range('install')).toEqual(before);
    expect(codeOf(await registry.call('GET', '/api/packages/made/up-1/statistics', { as: reader }))).toEqual([
      404,
      'NOT_FOUND',
    ]);
  });

  it('an install of a withdrawn version is counted too, because lock files still name it', async () => {
    sources.delete('src/hello');
    await build();
    expect((await report([{ name: 'acme/hello', version: '1.0.0.0' }])).json()).toEqual({
      status: 'success',
      counted: 1,
    });
    expect(await statistics('acme/hello')).toMatchObject({ installs: { total: 4, versions: { '1.0.0': 2 } } });
  });

  it('a malformed report is refused with the place of the fault', async () => {
    for (const body of [
      [],
      {},
      { downloads: {} },
      { downloads: ['acme/hello'] },
      { downloads: [{ name: 'acme/hello' }] },
      { downloads: [{ name: 1, version: '1' }] },
      { downloads: Array.from({ length: 2001 }, () => ({ name: 'acme/hello', version: '1.0.0.0' })) },
    ]) {
      expect(
        codeOf(await registry.call('POST', '/downloads', { as: reader, body })),
        JSON.stringify(body).slice(0, 60),
      ).toEqual([400, 'INVALID_INPUT']);
    }
    expect(
      (await report([{ name: 'acme/hello', version: '1.0.0.0' }, { name: 'acme/hello' }])).json()['details'],
    ).toEqual({ issues: [{ path: 'downloads.1', message: 'must be an object with the texts name and version' }] });
    const send = async (body: string, type = 'application/json'): Promise<unknown> =>
      codeOf(
        await registry.proxy.send(
          'POST',
          '/downloads',
          { authorization: `Bearer ${reader}`, 'content-type': type },
          body,
        ),
      );
    expect(await send('{"downloads":')).toEqual([400, 'BAD_REQUEST']);
    expect(await send('{"downloads":[]}', 'text/plain')).toEqual([400, 'UNSUPPORTED_MEDIA_TYPE']);
    expect(await send(`${'['.repeat(40)}${']'.repeat(40)}`)).toEqual([400, 'BAD_REQUEST']);
    expect(await send(`{"downloads":[],"x":"${'y'.repeat(530_000)}"}`)).toEqual([400, 'BODY_TOO_LARGE']);
    expect(codeOf(await registry.call('POST', '/downloads', { as: reader }))).toEqual([400, 'INVALID_INPUT']);
  });

  it('installs of a limited token are counted for the packages that it sees', async () => {
    const limited = (
      await registry.services.tokensOf('cli:test').create({
        description: 'limited',
        kind: 'read',
        limits: { packages: ['acme/hello'], constraints: { 'acme/hello': '<1.1' } },
      })
    ).secret.reveal();
    const before = await statistics('acme/hello');
    expect(
      (
        await report(
          [
            { name: 'acme/hello', version: '1.1.0.0' },
            { name: 'acme/tool', version: '2.0.0.0' },
          ],
          limited,
        )
      ).json(),
    ).toEqual({ status: 'success', counted: 0 });
    expect(await statistics('acme/hello')).toEqual(before);
    expect((await report([{ name: 'acme/hello', version: '1.0.0.0' }], limited)).json()).toEqual({
      status: 'success',
      counted: 1,
    });
  });

  it('the route requires a token, counts as one request, and allows POST alone', async () => {
    expect(codeOf(await registry.call('POST', '/downloads', { body: { downloads: [] } }))).toEqual([
      401,
      'AUTHENTICATION_REQUIRED',
    ]);
    expect(codeOf(await report([], 'lib_r_nonsense'))).toEqual([401, 'INVALID_TOKEN']);
    expect(codeOf(await report([], (await registry.signIn('admin')).token))).toEqual([403, 'INSUFFICIENT_SCOPE']);
    const [first, second] = [await report([{ name: 'acme/tool', version: '2.0.0.0' }]), await report([])].map(
      ({ headers }) => Number(headers['x-ratelimit-remaining']),
    );
    expect(Number(first) - Number(second)).toBe(1);
    for (const method of ['GET', 'HEAD', 'PUT', 'DELETE'] as const) {
      const refused = await registry.call(method, '/downloads', { as: reader });
      expect([refused.status, refused.headers['allow']], method).toEqual([400, 'POST']);
    }
  });

  it('a body that never arrives is given up, and a client that expects 100 Continue gets it', async () => {
    const { port } = registry.proxy;
    const converse = (head: string, body: string): Promise<string> =>
      new Promise((resolve, reject) => {
        const socket = createConnection(port, '127.0.0.1', () =>
          socket.write(
            `POST /downloads HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${reader}\r\nContent-Type: application/json\r\nContent-Length: 16\r\n${head}\r\n`,
          ),
        );
        let heard = '';
        socket.setEncoding('utf8').on('data', (text: string) => {
          heard += text;
          if (heard === 'HTTP/1.1 100 Continue\r\n\r\n') socket.write(body);
          if (heard.includes('"status":"success"')) socket.end();
        });
        socket.on('close', () => resolve(heard)).on('error', reject);
      });
    expect(await converse('Expect: 100-continue\r\n', '{"downloads":[]}')).toMatch(
      /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK\r\n/,
    );
    expect(await converse('', '')).toMatch(/^HTTP\/1\.1 408 [^]*"code":"REQUEST_TIMEOUT"/);
  });
});
