// Tests tokens over HTTP, operation by operation: its effect, its permitted callers, its errors, and repeated and
// simultaneous requests.

import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTokens } from '../../../proxy/auth/tokens.ts';
import { createAuditedStore, verifyAudit } from '../../../proxy/state/audit.ts';
import { runManagement, type RunningManagement } from '../../util/running-management.ts';
import type { Reply } from '../../util/running-proxy.ts';

let registry: RunningManagement;
let nowMs = Date.parse('2026-11-21T09:00:00Z');
let admin = '';
let maintainer = '';
beforeAll(async () => {
  registry = await runManagement({ now: () => nowMs });
});
beforeEach(async () => {
  nowMs += 1000;
  admin = (await registry.signIn('admin')).token;
  maintainer = (await registry.signIn('maintainer')).token;
});
afterAll(() => registry[Symbol.asyncDispose]());

interface Token extends Record<string, unknown> {
  readonly id: string;
  readonly token: string;
}

const create = async (body: object = {}, as = admin): Promise<Token> => {
  const reply = await registry.call('POST', '/api/tokens', { as, body: { description: 'CI', kind: 'read', ...body } });
  expect(reply.status, reply.body.toString()).toBe(201);
  return reply.json() as Token;
};
const get = async (id: string, as = admin): Promise<Token> =>
  (await registry.call('GET', `/api/tokens/${id}`, { as })).json() as Token;
const rotate = (id: string, body?: object, as = admin): Promise<Reply> =>
  registry.call('POST', `/api/tokens/${id}/rotate`, { as, body });
const codeOf = (reply: Reply): unknown => [reply.status, reply.json()['code']];
/** The status of a request with this token: 404 for a valid one, because the path does not exist. */
const opens = async (token: string): Promise<number> =>
  (await registry.call('GET', '/api/nothing', { as: token })).headers['x-ratelimit-limit'] === undefined ? 401 : 200;
const hour = 3_600_000;

describe('permissions for tokens', () => {
  it('no provisioning endpoint exists', async () => {
    expect((await registry.call('POST', '/api/tokens/generate', { body: {} })).status).toBe(404);
    const wrongMethod = await registry.call('PUT', '/api/tokens', { body: {} });
    expect([...(codeOf(wrongMethod) as unknown[]), wrongMethod.headers['allow']]).toEqual([
      400,
      'METHOD_NOT_ALLOWED',
      'GET, HEAD, POST',
    ]);
  });

  it('a maintainer sees and changes only the tokens they made', async () => {
    const [theirs, other] = [await create({}, maintainer), await create()];
    const listed = (await registry.call('GET', '/api/tokens', { as: maintainer })).json()['data'] as Token[];
    expect(listed.map(({ id }) => id)).toEqual([theirs.id]);
    expect((await rotate(theirs.id, undefined, maintainer)).status).toBe(200);
    for (const [method, path] of [
      ['GET', ''],
      ['PATCH', ''],
      ['DELETE', ''],
      ['POST', '/rotate'],
      ['GET', '/explain?package=acme/hello'],
    ] as const) {
      const body = method === 'PATCH' ? { description: 'x' } : {};
      const send = async (id: string) => {
        const options = { as: maintainer, ...(method === 'GET' || method === 'DELETE' ? {} : { body }) };
        const reply = await registry.call(method, `/api/tokens/${id}${path}`, options);
        return [reply.status, reply.json()['code'], reply.json()['error']];
      };
      const unknown = [404, 'NOT_FOUND', 'Token not found.'];
      expect([await send(other.id), await send('tok_0123456789abcdef')]).toEqual([unknown, unknown]);
    }
    expect((await get(other.id))['status']).toBe('active');
  });
});

describe('POST /api/tokens', () => {
  it('the new token works at once, and its secret is shown in this answer only', async () => {
    const made = await create({ rate_limit: 7, expires_at: new Date(nowMs + hour).toISOString() });
    expect(made.token).toMatch(/^lib_r_[0-9A-Za-z]{38}$/);
    expect(await opens(made.token)).toBe(200);
    const { token, ...shown } = made;
    expect(await get(made.id)).toEqual({
      ...shown,
      last_used_at: new Date(nowMs).toISOString(),
      last_used_from: '127.0.0.1',
      requests: { used: 1, limit: 7, resets_at: new Date(nowMs + hour).toISOString() },
    });
    const audit = JSON.stringify((await registry.call('GET', `/api/audit?subject=${made.id}`, { as: admin })).json());
    expect(audit).toContain('token.create');
    expect(audit + (await registry.call('GET', '/api/tokens', { as: admin })).body.toString()).not.toContain(
      token.slice(6),
    );
    nowMs += hour;
    expect(await opens(token)).toBe(401);
    admin = (await registry.signIn('admin')).token;
    expect((await get(made.id))['status']).toBe('expired');
  });

  it.each([
    [{ kind: 'admin' }, 'kind'],
    [{ description: '' }, 'description'],
    [{ description: 'a\nb' }, 'description'],
    [{ rate_limit: -1 }, 'rate_limit'],
    [{ rate_limit: 1.5 }, 'rate_limit'],
    [{ expires_at: '2001-01-01T00:00:00Z' }, 'expires_at'],
    [{ expires_at: 'soon' }, 'expires_at'],
    [{ id: 'tok_0123456789abcdef' }, ''],
    [{ created_by: 'cli:root' }, ''],
  ])('the body %j is refused, and the error names the field', async (body, path) => {
    const reply = await registry.call('POST', '/api/tokens', {
      as: admin,
      body: { description: 'CI', kind: 'read', ...body },
    });
    expect(codeOf(reply)).toEqual([400, 'INVALID_INPUT']);
    expect((reply.json()['details'] as { issues: { path: string }[] }).issues[0]?.path).toBe(path);
  });

  it('two requests, also at once, create two tokens', async () => {
    const [one, two] = await Promise.all([create(), create()]);
    expect(new Set([one.id, two.id, (await create()).id]).size).toBe(3);
  });
});

describe('PATCH /api/tokens/{id}', () => {
  it('the given fields change with the next request, and null means the default of the kind', async () => {
    const { id, token } = await create({ rate_limit: 5 });
    const changed = await registry.call('PATCH', `/api/tokens/${id}`, {
      as: admin,
      body: { rate_limit: 3, description: 'CI of the shop' },
    });
    expect(changed.json()).toMatchObject({
      rate_limit: 3,
      effective_rate_limit: 3,
      description: 'CI of the shop',
      expires_at: new Date(nowMs + 90 * 24 * hour).toISOString(),
    });
    expect((await registry.call('GET', '/api/nothing', { as: token })).headers['x-ratelimit-limit']).toBe('3');
    const standard = await registry.call('PATCH', `/api/tokens/${id}`, { as: admin, body: { rate_limit: null } });
    expect(standard.json()).toMatchObject({ rate_limit: null, effective_rate_limit: 1000 });
  });

  it('an empty body, unknown keys and a revoked token are refused', async () => {
    const { id } = await create();
    for (const body of [{}, { role: 'admin' }, { expires_at: '2001-01-01T00:00:00Z' }])
      expect(codeOf(await registry.call('PATCH', `/api/tokens/${id}`, { as: admin, body }))).toEqual([
        400,
        'INVALID_INPUT',
      ]);
    await registry.call('DELETE', `/api/tokens/${id}`, { as: admin });
    expect(
      codeOf(await registry.call('PATCH', `/api/tokens/${id}`, { as: admin, body: { description: 'x' } })),
    ).toEqual([400, 'TOKEN_REVOKED']);
  });

  it('two simultaneous changes of different fields both apply', async () => {
    const { id } = await create();
    await Promise.all(
      [{ description: 'both' }, { rate_limit: 9 }].map((body) =>
        registry.call('PATCH', `/api/tokens/${id}`, { as: admin, body }),
      ),
    );
    expect(await get(id)).toMatchObject({ description: 'both', rate_limit: 9 });
  });
});

describe('row 31: permitted changes', () => {
  it('row 31: never include the kind', async () => {
    const { id } = await create();
    expect(codeOf(await registry.call('PATCH', `/api/tokens/${id}`, { as: admin, body: { kind: 'write' } }))).toEqual([
      400,
      'KIND_IMMUTABLE',
    ]);
    expect((await get(id))['kind']).toBe('read');
  });

  it('row 31: a maintainer sets no limit above the default of the kind, unless an admin set one before', async () => {
    for (const rate_limit of [0, 1001])
      expect(
        codeOf(
          await registry.call('POST', '/api/tokens', {
            as: maintainer,
            body: { description: 'x', kind: 'read', rate_limit },
          }),
        ),
      ).toEqual([403, 'INSUFFICIENT_SCOPE']);
    const { id } = await create({ rate_limit: 1000 }, maintainer);
    const patch = async (rate_limit: number | null, as: string): Promise<number> =>
      (await registry.call('PATCH', `/api/tokens/${id}`, { as, body: { rate_limit } })).status;
    expect([
      await patch(0, maintainer),
      await patch(1001, maintainer),
      await patch(900, maintainer),
      await patch(null, maintainer),
    ]).toEqual([403, 403, 200, 200]);
    expect([await patch(5000, admin), await patch(4000, maintainer), await patch(4500, maintainer)]).toEqual([
      200, 200, 403,
    ]);
    expect((await get(id))['effective_rate_limit']).toBe(4000);
  });
});

describe('POST /api/tokens/{id}/rotate', () => {
  it('the token gets a new secret; the former one works for its grace period; id, counts and limits stay', async () => {
    const made = await create({ rate_limit: 9 });
    expect(await opens(made.token)).toBe(200);
    const reply = await rotate(made.id, { grace_seconds: 3600 });
    const rotated = reply.json() as Token;
    expect([reply.status, rotated.id, rotated['previous_expires_at']]).toEqual([
      200,
      made.id,
      new Date(nowMs + hour).toISOString(),
    ]);
    expect(rotated.token).not.toBe(made.token);
    expect([await opens(made.token), await opens(rotated.token)]).toEqual([200, 200]);
    expect((await get(made.id))['requests']).toMatchObject({ used: 3, limit: 9 });
    nowMs += hour - 1;
    expect(await opens(made.token)).toBe(200);
    nowMs += 1;
    expect([await opens(made.token), await opens(rotated.token)]).toEqual([401, 200]);
    expect((await get(made.id))['previous_expires_at']).toBeNull();
  });

  it('the default grace period is a day, and 0 ends the former secret at once', async () => {
    const { id, token } = await create();
    expect((await rotate(id)).json()['previous_expires_at']).toBe(new Date(nowMs + 24 * hour).toISOString());
    const last = (await rotate(id, { grace_seconds: 0 })).json() as Token;
    expect([await opens(token), await opens(last.token), last['previous_expires_at']]).toEqual([401, 200, null]);
  });

  it('a second rotation ends the secret before the former one, and no older secret works', async () => {
    const first = await create();
    const second = (await rotate(first.id)).json() as Token;
    const third = (await rotate(first.id)).json() as Token;
    expect([await opens(first.token), await opens(second.token), await opens(third.token)]).toEqual([401, 200, 200]);
    const pointers = (await registry.state.range('token-hash/')).filter(({ value }) => value === first.id);
    expect(pointers).toHaveLength(2);
    await registry.call('DELETE', `/api/tokens/${first.id}`, { as: admin });
    expect([await opens(second.token), await opens(third.token)]).toEqual([401, 401]);
  });

  it('one of two simultaneous rotations succeeds, and every returned secret works', async () => {
    const { id, token } = await create();
    const tokens = registry.services.tokensOf('cli:test'); // requests may not overlap, these calls do
    const [one, two] = await Promise.allSettled([tokens.rotate(id), tokens.rotate(id)]);
    const [winner, loser] = one.status === 'fulfilled' ? [one, two] : [two, one];
    expect(loser).toMatchObject({ status: 'rejected', reason: { code: 'TOKEN_ROTATED' } });
    if (winner.status === 'fulfilled')
      expect([await opens(token), await opens(winner.value.secret.reveal())]).toEqual([200, 200]);
    expect(winner.status).toBe('fulfilled');
  });

  it('a simultaneous change of another field stays', async () => {
    const { id } = await create();
    const tokens = registry.services.tokensOf('cli:test');
    await Promise.all([tokens.rotate(id), tokens.update(id, { description: 'meanwhile' })]);
    expect(await get(id)).toMatchObject({
      description: 'meanwhile',
      previous_expires_at: expect.any(String) as string,
    });
  });

  it.each([{ grace_seconds: -1 }, { grace_seconds: 31 * 86_400 }, { grace_seconds: '1' }, { kind: 'write' }])(
    'the body %j is refused',
    async (body) => {
      const { id, token } = await create();
      expect(codeOf(await rotate(id, body))).toEqual([400, 'INVALID_INPUT']);
      expect(await opens(token)).toBe(200);
    },
  );

  it('a revoked token is refused', async () => {
    const { id } = await create();
    await registry.call('DELETE', `/api/tokens/${id}`, { as: admin });
    expect(codeOf(await rotate(id))).toEqual([400, 'TOKEN_REVOKED']);
  });

  it('a rotation is one event of the audit log, without the secret', async () => {
    const { id } = await create();
    const { token } = (await rotate(id, { grace_seconds: 60 })).json() as Token;
    const [event] = (await registry.call('GET', '/api/audit?action=token.rotate&limit=1', { as: admin })).json()[
      'data'
    ] as Record<string, unknown>[];
    expect(event).toMatchObject({
      subject: id,
      actor: expect.stringMatching(/^user:usr_/) as string,
      details: { grace_seconds: 60 },
    });
    expect(JSON.stringify(event)).not.toContain(token);
    expect(await verifyAudit(registry.state)).toMatchObject({ sound: true });
  });
});

describe('DELETE /api/tokens/{id}', () => {
  it('a revocation applies at once, can be repeated, and is shown in the list', async () => {
    const { id, token } = await create();
    const replies = await Promise.all([1, 2].map(() => registry.call('DELETE', `/api/tokens/${id}`, { as: admin })));
    replies.push(await registry.call('DELETE', `/api/tokens/${id}`, { as: admin }));
    for (const reply of replies)
      expect([reply.status, reply.json()['status'], reply.json()['revoked_at']]).toEqual([
        200,
        'revoked',
        new Date(nowMs).toISOString(),
      ]);
    expect(await opens(token)).toBe(401);
    expect(
      (await registry.call('GET', `/api/audit?action=token.revoke&subject=${id}`, { as: admin })).json()['data'],
    ).toHaveLength(1);
  });
});

describe('the last use of a token', () => {
  it('is written with other uses, without an event, and leaves cached state valid', async () => {
    const { id, token } = await create();
    const before = registry.state.generation();
    const head = await verifyAudit(registry.state);
    for (let count = 0; count < 20; count += 1) await opens(token);
    expect(registry.state.generation()).toBe(before);
    await registry.uses.close();
    expect([registry.state.generation() - before, await verifyAudit(registry.state), registry.errors]).toEqual([
      0,
      head,
      [],
    ]);
    const { 'token-use': stored } = Object.fromEntries(
      (await registry.state.range(`token-use/${id}`)).map(({ value }) => ['token-use', value]),
    );
    expect(stored).toEqual({ at: new Date(nowMs).toISOString(), from: '127.0.0.1' });
  });

  it('is recorded for an unlimited token, although its requests are not counted', async () => {
    const { id, token } = await create({ rate_limit: 0 });
    await registry.call('GET', '/api/nothing', { as: token });
    expect(await get(id)).toMatchObject({ requests: null, last_used_from: '127.0.0.1' });
  });
});

it('a record from before rotation existed is an ordinary token', async () => {
  const tokens = createTokens({
    store: createAuditedStore({ store: registry.state, now: () => nowMs }),
    now: () => nowMs,
    randomBytes,
    actor: 'cli:test',
  });
  const { record, secret } = await tokens.create({ description: 'old', kind: 'read' });
  const { previous_hash: _hash, previous_expires_at: _end, ...old } = record;
  await registry.state.commit({ conditions: [], puts: [{ key: `token/${record.id}`, value: old }], deletes: [] });
  expect([await opens(secret.reveal()), (await rotate(record.id)).status, await opens(secret.reveal())]).toEqual([
    200, 200, 200,
  ]);
});
