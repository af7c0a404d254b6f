// Tests registered Composer repositories over HTTP: their stored and shown fields.
// test/cli/composer-repositories.test.ts has the requests to them.

import { describe, expect, it } from 'vitest';
import { unsealCredentials } from '../../../proxy/sync/credentials.ts';
import { runManagement, type RunningManagement } from '../../util/running-management.ts';

type Json = Record<string, unknown>;
const url = 'https://repo.example.org';

async function register(registry: RunningManagement, as: string, body: Json = {}): Promise<Json> {
  const reply = await registry.call('POST', '/api/repositories', { as, body: { type: 'composer', url, ...body } });
  expect(reply.status, reply.body.toString()).toBe(201);
  return reply.json();
}

describe('repositories of type composer', () => {
  it('are registered, listed, changed and removed, with nothing to withdraw', async () => {
    await using registry = await runManagement();
    const { token: as } = await registry.signIn('maintainer');
    const made = await register(registry, as, {
      only: ['tools/*'],
      except: ['tools/x'],
      packages: { 'tools/one': '^1.0' },
      interval: 900,
    });
    expect(made).toMatchObject({
      type: 'composer',
      url,
      only: ['tools/*'],
      except: ['tools/x'],
      packages: { 'tools/one': '^1.0' },
      versions: null,
      branches: null,
      interval: 900,
      position: 1,
      status: 'pending',
    });
    const id = String(made['id']);
    expect((await registry.call('GET', `/api/repositories/${id}`, { as })).json()).toEqual(made);
    const changed = await registry.call('PATCH', `/api/repositories/${id}`, {
      as,
      body: { packages: null, except: null },
    });
    expect([changed.status, changed.json()]).toEqual([
      200,
      { ...made, packages: null, except: null, updated_at: expect.any(String) as string },
    ]);
    const refused = await registry.call('PATCH', `/api/repositories/${id}`, { as, body: { branches: ['main'] } });
    expect([refused.status, refused.json()['code']]).toEqual([400, 'INVALID_INPUT']);
    for (const spelled of [url, `${url}/`, `${url}/packages.json`]) {
      const again = await registry.call('POST', '/api/repositories', { as, body: { type: 'composer', url: spelled } });
      expect([again.status, again.json()['code'], again.json()['details']], spelled).toEqual([400, 'CONFLICT', { id }]);
    }
    const asked = await registry.call('DELETE', `/api/repositories/${id}`, { as });
    expect(asked.json()['details']).toEqual({ confirm: id, packages: [] });
    expect((await registry.call('DELETE', `/api/repositories/${id}?confirm=${id}`, { as })).json()).toEqual({
      id,
      packages: [],
    });
    await registry.repositories.syncer.idle();
    expect(registry.repositories.builder.calls, 'nothing is built for it').toEqual([]);
    await register(registry, as);
  });

  it('show the order of their requests, the oldest first', async () => {
    let nowMs = 1_800_000_000_000;
    await using registry = await runManagement({ now: () => (nowMs += 1000) });
    const { token: as } = await registry.signIn('admin');
    const first = await register(registry, as, { url: 'https://one.example.org' });
    const git = await register(registry, as, { type: 'git', url: 'https://git.example.org/a.git' });
    const second = await register(registry, as, { url: 'https://two.example.org' });
    expect([first['position'], git['position'], second['position']]).toEqual([1, null, 2]);
    const listed = (await registry.call('GET', '/api/repositories?limit=2', { as })).json();
    expect((listed['data'] as Json[]).map(({ position }) => position)).toEqual([1, null]);
    const rest = (
      await registry.call(
        'GET',
        `/api/repositories?limit=2&cursor=${encodeURIComponent(String(listed['next_cursor']))}`,
        { as },
      )
    ).json();
    expect((rest['data'] as Json[]).map(({ position }) => position)).toEqual([2]);
    await registry.call('DELETE', `/api/repositories/${String(first['id'])}?confirm=${String(first['id'])}`, { as });
    expect((await registry.call('GET', `/api/repositories/${String(second['id'])}`, { as })).json()['position']).toBe(
      1,
    );
  });

  it.each([
    ['bearer', { token: 'hunter2' }],
    ['basic', { username: 'me', password: 'hunter2' }],
    ['header', { header: 'PRIVATE-TOKEN', token: 'hunter2' }],
  ])('store %s credentials sealed, and never show them', async (kind, credentials) => {
    await using registry = await runManagement();
    const { token: as } = await registry.signIn('admin');
    const made = await register(registry, as, { credentials });
    expect(made['credentials']).toBe(kind);
    const id = String(made['id']);
    const [row] = (await registry.state.range(`repository/${id}`)).map(({ value }) => value as Json);
    expect(JSON.stringify([made, await registry.state.range('')])).not.toContain('hunter2');
    expect(unsealCredentials(registry.sealer, String(row?.['credentials']), id)).toEqual(credentials);
    const without = await registry.call('PATCH', `/api/repositories/${id}`, { as, body: { credentials: null } });
    expect(without.json()['credentials']).toBeNull();
  });

  it('may not be in libretto.json as well', async () => {
    await using registry = await runManagement({
      settings: { sources: [{ type: 'composer', url: `${url}/packages.json` }] },
    });
    const { token: as } = await registry.signIn('admin');
    const reply = await registry.call('POST', '/api/repositories', { as, body: { type: 'composer', url } });
    expect([reply.status, reply.json()['error']]).toEqual([400, expect.stringContaining('sources[0]') as string]);
  });

  it('are verified and synced by a separate process, like other repositories', async () => {
    await using registry = await runManagement();
    const { token: as } = await registry.signIn('admin');
    const id = String((await register(registry, as))['id']);
    const { builder, syncer } = registry.repositories;
    const found = {
      ok: true,
      message: null,
      tags: null,
      branches: null,
      default_branch: null,
      protocol: 'metadata-url',
      package_count: 2,
      packages: ['tools/one', 'tools/two'],
      problems: [],
    };
    builder.answer(() => ({ exitCode: 0, report: found, messages: '' }));
    expect((await registry.call('POST', `/api/repositories/${id}/verify`, { as })).json()).toEqual(found);
    builder.answer(() => ({
      exitCode: 1,
      report: {
        serial: 3,
        published: false,
        added: [{ name: 'tools/one', version: '1.0.0' }],
        changed: [],
        withdrawn: [],
        quarantined: [],
        failed: [{ source: url, reason: 'tools/two: it is gone' }],
        notices: [],
      },
      messages: '',
    }));
    await registry.call('POST', `/api/repositories/${id}/sync`, { as });
    await syncer.idle();
    expect(builder.calls).toEqual([
      ['repository', 'verify', id, '--record', expect.any(String)],
      ['repository', 'sync', id, '--child', '--on-behalf-of', expect.stringMatching(/^user:usr_/)],
    ]);
    expect((await registry.call('GET', `/api/repositories/${id}`, { as })).json()).toMatchObject({
      status: 'error',
      error_message: 'tools/two: it is gone',
    });
    expect(await registry.repositories.schedule.look(), 'nothing of it is left to withdraw').toBeUndefined();
    expect(builder.calls).toHaveLength(2);
  });
});
