// Tests tokens on the whole service with the real authenticator: the operations that each kind may call, and the equal
// answers to invalid tokens.

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { createTokens } from '../../../proxy/auth/tokens.ts';
import { mintToken } from '../../../proxy/core/tokens/token-format.ts';
import { createAuditedStore } from '../../../proxy/state/audit.ts';
import { runManagement, type RunningManagement } from '../../util/running-management.ts';
import { HandMadeTree, zipBytes } from '../../util/hand-made-tree.ts';

let registry: RunningManagement;
let nowMs = Date.parse('2026-11-21T09:00:00Z');
const large = zipBytes('large', 40_000_000);

beforeAll(async () => {
  registry = await runManagement({ now: () => nowMs });
  const tree = new HandMadeTree(registry.data);
  tree.put('acme/hello', [{ version: '1.0.0', normalized: '1.0.0.0', zip: large }]);
  tree.publish();
});
afterAll(() => registry[Symbol.asyncDispose]());

const tokens = () =>
  createTokens({
    store: createAuditedStore({ store: registry.state, now: () => nowMs }),
    now: () => nowMs,
    randomBytes,
    actor: 'cli:test',
  });
const make = async (kind: 'read' | 'write' = 'read', expiresAt?: Date) => {
  const { record, secret } = await tokens().create({
    description: 'a test',
    kind,
    ...(expiresAt === undefined ? {} : { expiresAt }),
  });
  return { id: record.id, text: secret.reveal() };
};

it('row 23, F13: a token that is malformed, unknown, expired or revoked gets one answer, byte for byte', async () => {
  const expired = await make('read', new Date(nowMs + 1000));
  const revoked = await make();
  await tokens().revoke(revoked.id);
  nowMs += 1000;
  const bearer = 'Bearer realm="libretto", error="invalid_token"';
  const basic = 'Basic realm="libretto", charset="UTF-8"';
  // a browser would prompt for a password if the management API offered Basic
  for (const [path, challenges] of [
    ['/packages.json', [bearer, basic]],
    ['/api/status', bearer],
  ] as const) {
    const seen = new Set<string>();
    for (const text of [
      'no token',
      mintToken('read', randomBytes).secret.reveal(),
      expired.text,
      revoked.text,
      `${revoked.text.slice(0, -1)}_`,
    ]) {
      const { status, headers, body } = await registry.proxy.send('GET', path, { authorization: `Bearer ${text}` });
      const { date: _date, ...told } = headers;
      seen.add(JSON.stringify([status, told, body.toString()]));
    }
    expect([...seen]).toHaveLength(1);
    expect(JSON.parse([...seen][0] ?? '')).toMatchObject([
      401,
      { 'www-authenticate': challenges },
      expect.stringContaining('INVALID_TOKEN'),
    ]);
  }
});

it('row 24: a read token changes nothing, and a write token changes no users, tokens or settings', async () => {
  const [reader, writer] = [await make('read'), await make('write')];
  const writeToken = ' Use a write token: `libretto token create --kind write` makes one.';
  for (const [method, path] of [
    ['POST', '/api/artifacts'],
    ['POST', '/api/repositories'],
    ['DELETE', '/api/packages/acme/hello/versions/1.0.0'],
  ] as const) {
    const reply = await registry.call(method, path, { as: reader.text, body: {} });
    expect([path, reply.status, reply.json()['code'], reply.json()['error']]).toEqual([
      path,
      403,
      'INSUFFICIENT_SCOPE',
      `A read token may not do that.${path === '/api/artifacts' ? writeToken : ''}`,
    ]);
  }
  for (const [method, path] of [
    ['POST', '/api/users'],
    ['POST', '/api/tokens'],
    ['PATCH', '/api/settings'],
    ['DELETE', `/api/tokens/${writer.id}`],
    ['GET', '/api/audit'],
  ] as const) {
    const reply = await registry.call(method, path, {
      as: writer.text,
      ...(method === 'GET' || method === 'DELETE' ? {} : { body: {} }),
    });
    expect([path, reply.status, reply.json()['code']]).toEqual([path, 403, 'INSUFFICIENT_SCOPE']);
  }
});

it('row 25: a token is accepted in the Authorization header alone: not in the query, the path or the address', async () => {
  const { text } = await make();
  for (const path of [`/packages.json?token=${text}`, `/packages.json?access_token=${text}`])
    expect((await registry.proxy.send('GET', path, {})).status).toBe(401);
  expect((await registry.proxy.send('GET', `/${text}/packages.json`, {})).status).toBe(404);
  expect(
    (
      await registry.proxy.send('GET', '/packages.json', {
        cookie: `token=${text}`,
        'x-api-key': text,
        'proxy-authorization': `Bearer ${text}`,
      })
    ).status,
  ).toBe(401);
});

it('row 29: a download continues while its token is revoked, the next request is refused, and a second revocation changes nothing', async () => {
  const { id, text } = await make();
  const { token: admin } = await registry.signIn('admin');
  const download = connect(registry.proxy.port, '127.0.0.1');
  let received = 0;
  download.on('data', (part: Buffer) => (received += part.length));
  download.write(
    `GET /dist/acme/hello/1.0.0.zip HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${text}\r\n\r\n`,
  );
  await once(download, 'data');
  download.pause();
  for (const _time of [1, 2])
    expect((await registry.call('DELETE', `/api/tokens/${id}`, { as: admin })).json()).toMatchObject({
      id,
      status: 'revoked',
    });
  expect((await registry.proxy.send('GET', '/packages.json', { authorization: `Bearer ${text}` })).status).toBe(401);
  download.resume();
  await once(download, 'close');
  expect(received).toBeGreaterThan(large.length);
});

it('an upload with an empty version reads that a variable may be missing', async () => {
  const writer = await make('write');
  const reply = await registry.call('POST', '/api/artifacts?version=', { as: writer.text, body: {} });
  expect([reply.status, JSON.stringify(reply.json())]).toEqual([
    400,
    expect.stringContaining('"message":"is empty. Is the variable of the CI system set?'),
  ]);
});
