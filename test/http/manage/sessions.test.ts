// Tests sessions over HTTP: how they are listed, and how they end.

import { describe, expect, it } from 'vitest';
import { runManagement, type RunningManagement } from '../../util/running-management.ts';
import type { Reply } from '../../util/running-proxy.ts';

const outcome = (reply: Reply): [number, unknown] => [reply.status, reply.json()['code']];
const hourMs = 3_600_000;
const sessionsOf = async (registry: RunningManagement, as: string): Promise<{ id: string; current: boolean }[]> =>
  (await registry.call('GET', '/api/auth/sessions', { as })).json()['data'] as { id: string; current: boolean }[];

describe('sessions', () => {
  it('row 39: begin with every login, and each can be ended by its user', async () => {
    let nowMs = Date.now();
    await using registry = await runManagement({ now: () => nowMs });
    const { token: first, email, password } = await registry.signIn('viewer');
    nowMs += 1000;
    const second = String(
      (await registry.call('POST', '/api/auth/login', { body: { email, password } })).json()['token'],
    );
    const listed = await sessionsOf(registry, second);
    expect(listed).toMatchObject([{ current: true, address: '127.0.0.1' }, { current: false }]);
    const older = listed[1]?.id ?? '';
    expect((await registry.call('DELETE', `/api/auth/sessions/${older}`, { as: second })).json()).toMatchObject({
      id: older,
      current: false,
    });
    expect(outcome(await registry.call('GET', '/api/auth/me', { as: first }))).toEqual([401, 'INVALID_TOKEN']);
    expect(outcome(await registry.call('DELETE', `/api/auth/sessions/${older}`, { as: second }))).toEqual([
      404,
      'NOT_FOUND',
    ]);
    expect(await sessionsOf(registry, second)).toHaveLength(1);
  });

  it('sessions of other users are answered as unknown', async () => {
    await using registry = await runManagement();
    const [one, other] = [await registry.signIn('viewer'), await registry.signIn('admin')];
    const [{ id } = { id: '' }] = await sessionsOf(registry, one.token);
    expect(outcome(await registry.call('DELETE', `/api/auth/sessions/${id}`, { as: other.token }))).toEqual([
      404,
      'NOT_FOUND',
    ]);
    expect((await registry.call('GET', '/api/auth/me', { as: one.token })).status).toBe(200);
  });

  it('row 39: end on the server at logout, and a second logout is 401', async () => {
    await using registry = await runManagement();
    const { token: as } = await registry.signIn('viewer');
    expect((await registry.call('POST', '/api/auth/logout', { as })).status).toBe(200);
    expect(outcome(await registry.call('GET', '/api/auth/me', { as }))).toEqual([401, 'INVALID_TOKEN']);
    expect(outcome(await registry.call('POST', '/api/auth/logout', { as }))).toEqual([401, 'INVALID_TOKEN']);
  });

  it('end at the first of two simultaneous logouts, and the second fails', async () => {
    await using registry = await runManagement();
    const { token: as } = await registry.signIn('viewer');
    const statuses = (await Promise.all([1, 2].map(() => registry.call('POST', '/api/auth/logout', { as })))).map(
      ({ status }) => status,
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status === 404 || status === 401)).toHaveLength(1);
  });

  it('end after twelve hours, within half a minute of clock difference (row 43)', async () => {
    let nowMs = Math.floor(Date.now() / 1000) * 1000;
    await using registry = await runManagement({ now: () => nowMs });
    const { token: as } = await registry.signIn('viewer');
    const me = async (): Promise<number> => (await registry.call('GET', '/api/auth/me', { as })).status;
    nowMs += 12 * hourMs + 29_000;
    expect(await me()).toBe(200);
    nowMs += 1000;
    expect(await me()).toBe(401);
    nowMs -= 13 * hourMs;
    expect(await me()).toBe(200);
  });

  it('are removed from the state after their end', async () => {
    let nowMs = Date.now();
    await using registry = await runManagement({ now: () => nowMs });
    const { email, password } = await registry.signIn('viewer');
    for (let day = 0; day < 3; day += 1) {
      nowMs += 24 * hourMs;
      await registry.call('POST', '/api/auth/login', { body: { email, password } });
    }
    expect(await registry.state.range('session/')).toHaveLength(1);
  });

  it('a user has at most a hundred sessions, and a new one ends the oldest', async () => {
    let nowMs = Date.now();
    await using registry = await runManagement({ now: () => nowMs });
    const { email, password, token: first } = await registry.signIn('viewer');
    let last = '';
    for (let count = 0; count < 100; count += 1) {
      nowMs += 1000;
      last = (await registry.people.login({ email, password }, '127.0.0.1')).token.reveal();
    }
    expect((await registry.call('GET', '/api/auth/me', { as: first })).status).toBe(401);
    expect((await registry.call('GET', '/api/auth/me', { as: last })).status).toBe(200);
    expect(await registry.state.range('session/')).toHaveLength(100);
  });

  it('row 46: are accepted in the Authorization header alone: a cookie opens nothing, and no other site may read an answer', async () => {
    await using registry = await runManagement();
    const { token } = await registry.signIn('admin');
    for (const cookie of [`token=${token}`, `session=${token}`, `authorization=Bearer ${token}`])
      expect(
        (await registry.proxy.send('GET', '/api/auth/me', { cookie, origin: 'https://elsewhere.example' })).status,
      ).toBe(401);
    for (const path of [`/api/auth/me?access_token=${token}`, `/api/auth/me?token=${token}`])
      expect((await registry.call('GET', path)).status).toBe(401);
    const reply = await registry.proxy.send('GET', '/api/auth/me', {
      authorization: `Bearer ${token}`,
      origin: 'https://elsewhere.example',
    });
    expect(
      Object.keys(reply.headers).filter((name) => name.startsWith('access-control-') || name === 'set-cookie'),
    ).toEqual([]);
    expect(
      (
        await registry.proxy.send('OPTIONS', '/api/auth/login', {
          origin: 'https://elsewhere.example',
          'access-control-request-method': 'POST',
        })
      ).headers,
    ).not.toHaveProperty('access-control-allow-origin');
  });

  it('row 40: are stored as hashes, without token or secret id', async () => {
    await using registry = await runManagement();
    const { token } = await registry.signIn('viewer');
    const { sid } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { sid: string };
    const state = JSON.stringify(await registry.state.range(''));
    expect(sid).toHaveLength(32);
    for (const secret of [token, sid]) expect(state).not.toContain(secret);
  });
});
