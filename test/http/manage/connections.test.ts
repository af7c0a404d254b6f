// Tests connections to forges over HTTP: a plan, the connection, its repositories, changes and the removal.

import { describe, expect, it } from 'vitest';
import { addTools } from '../../util/forges/all-forges.ts';
import { startGitHub } from '../../util/forges/fake-github.ts';
import { runManagement } from '../../util/running-management.ts';

type Json = Record<string, unknown>;
const settings = { egress: { allow: ['127.0.0.0/8'] } };

describe('connections', () => {
  it('are planned, made, refreshed, listed and removed', async () => {
    await using forge = await startGitHub();
    addTools(forge, 3);
    await using registry = await runManagement({ settings });
    const { token } = await registry.signIn('maintainer');
    const draft = { forge: 'github', url: forge.url, owner: 'acme', credentials: { token: forge.token } };
    const planned = await registry.call('POST', '/api/connections/plan', { as: token, body: draft });
    expect([planned.status, planned.json()]).toMatchObject([
      200,
      {
        finished: true,
        message: null,
        steps: [1, 2, 3].map((n) => ({ step: 'registered', package: `acme/tool-${n}` })),
      },
    ]);
    expect((await registry.call('GET', '/api/connections', { as: token })).json()).toMatchObject({ data: [] });

    const made = await registry.call('POST', '/api/connections', { as: token, body: draft });
    expect([made.status, made.json()]).toMatchObject([
      201,
      {
        forge: 'github',
        url: forge.url,
        owner: 'acme',
        credentials: 'token',
        status: 'pending',
        next_refresh_at: null,
      },
    ]);
    const id = String(made.json()['id']);
    await registry.repositories.refresher.refresh(id as never, {
      actor: 'system:connection',
      signal: new AbortController().signal,
    });
    expect((await registry.call('GET', `/api/connections/${id}`, { as: token })).json()).toMatchObject({
      status: 'active',
      counts: { registered: 3, archived: 0, removed: 0, skipped: 0 },
    });
    const first = (await registry.call('GET', `/api/connections/${id}/repositories?limit=2`, { as: token })).json();
    const rest = await registry.call(
      'GET',
      `/api/connections/${id}/repositories?limit=2&cursor=${String(first['next_cursor'])}`,
      { as: token },
    );
    expect([...(first['data'] as Json[]), ...(rest.json()['data'] as Json[])].map(({ path }) => path)).toEqual(
      [1, 2, 3].map((n) => `acme/tool-${n}`),
    );
    expect(rest.json()['next_cursor']).toBeNull();

    const asked = await registry.call('DELETE', `/api/connections/${id}`, { as: token });
    expect([asked.status, asked.json()['details']]).toEqual([400, { confirm: id, repositories: 3, webhook: false }]);
    expect((await registry.call('DELETE', `/api/connections/${id}?confirm=${id}`, { as: token })).status).toBe(200);
    expect((await registry.call('GET', '/api/repositories', { as: token })).json()['data']).toHaveLength(3);
  });

  it('name each fault of a draft, and what the forge refuses', async () => {
    await using forge = await startGitHub();
    await using registry = await runManagement({ settings });
    const { token } = await registry.signIn('maintainer');
    const issuesOf = async (change: Json): Promise<unknown> => {
      const body = { forge: 'github', url: forge.url, owner: 'acme', credentials: { token: forge.token }, ...change };
      const reply = await registry.call('POST', '/api/connections', { as: token, body });
      expect([reply.status, reply.json()['code']]).toEqual([400, 'INVALID_INPUT']);
      return ((reply.json()['details'] as Json)['issues'] as Json[]).map(({ path }) => path);
    };
    expect(await issuesOf({ url: 'http://git.example.org', owner: 'a/b', only: ['a b'] })).toEqual([
      'url',
      'owner',
      'only',
    ]);
    expect(await issuesOf({ credentials: { token: 'wrong' } })).toEqual(['credentials']);
    expect(await issuesOf({ owner: 'nobody' })).toEqual(['owner']);
    expect(await issuesOf({ credentials: { token: 'a\nb' } })).toEqual(['credentials']);
  });
});
