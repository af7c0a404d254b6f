// Tests registered repositories over HTTP: the accepted addresses, the permitted callers, and the shown fields.
// repository-sync.test.ts has the syncs.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { resealSecrets } from '../../../cli/commands/keys/rotate.ts';
import { createAuditedStore } from '../../../proxy/state/audit.ts';
import { runManagement, type RunningManagement } from '../../util/running-management.ts';

const url = 'https://git.example.org/acme/tool.git';
const unknown = 'repo_0000000000000000';
const folders = realpathSync(mkdtempSync(join(tmpdir(), 'libretto-roots-')));
afterAll(() => rmSync(folders, { recursive: true, force: true }));

type Json = Record<string, unknown>;

async function register(registry: RunningManagement, as: string, body: Json = {}): Promise<Json> {
  const reply = await registry.call('POST', '/api/repositories', { as, body: { type: 'git', url, ...body } });
  expect(reply.status, reply.body.toString()).toBe(201);
  return reply.json();
}

describe('repositories', () => {
  it('are registered, listed, and removed once the removal is confirmed', async () => {
    await using registry = await runManagement();
    const { token, userId } = await registry.signIn('maintainer');
    const made = await register(registry, token, {
      only: ['acme/*'],
      versions: '^1.0',
      minimum_stability: 'stable',
      interval: 900,
    });
    expect(made).toMatchObject({
      type: 'git',
      url,
      credentials: null,
      only: ['acme/*'],
      versions: '^1.0',
      minimum_stability: 'stable',
      tags: null,
      interval: 900,
      status: 'pending',
      error_message: null,
      last_synced_at: null,
      created_by: `user:${userId}`,
    });
    const id = String(made['id']);
    expect(id).toMatch(/^repo_[0-9A-Za-z]{16}$/);
    const listed = (await registry.call('GET', '/api/repositories', { as: token })).json();
    expect(listed).toEqual({ data: [made], next_cursor: null });

    const asked = await registry.call('DELETE', `/api/repositories/${id}`, { as: token });
    expect([asked.status, asked.json()['code'], asked.json()['details']]).toEqual([
      400,
      'CONFIRMATION_REQUIRED',
      { confirm: id, packages: [] },
    ]);
    const removed = await registry.call('DELETE', `/api/repositories/${id}?confirm=${id}`, { as: token });
    expect([removed.status, removed.json()]).toEqual([200, { id, packages: [] }]);
    expect((await registry.call('DELETE', `/api/repositories/${id}?confirm=${id}`, { as: token })).status).toBe(404);
    expect((await registry.call('GET', '/api/repositories', { as: token })).json()['data']).toEqual([]);
    await register(registry, token); // the address is free again
  });

  it('have no address for a read token', async () => {
    await using registry = await runManagement();
    const { token: admin } = await registry.signIn('admin');
    const id = String((await register(registry, admin))['id']);
    const viewer = (await registry.signIn('viewer')).token;
    const [read, write] = [await registry.createToken('read'), await registry.createToken('write')];
    for (const path of ['/api/repositories', `/api/repositories/${id}`]) {
      expect(
        (await registry.call('GET', path, { as: read })).body.toString(),
        'a read token is not told where packages come from',
      ).not.toContain(url);
      for (const as of [viewer, write])
        expect((await registry.call('GET', path, { as })).body.toString()).toContain(url);
    }
  });

  it('are 404 where the id is unknown', async () => {
    await using registry = await runManagement();
    const { token: as } = await registry.signIn('admin');
    for (const [method, path, body] of [
      ['GET', '', undefined],
      ['PATCH', '', { interval: null }],
      ['DELETE', `?confirm=${unknown}`, undefined],
      ['POST', '/sync', undefined],
      ['POST', '/verify', undefined],
      ['GET', '/jobs', undefined],
      ['GET', '/jobs/job_0000000000000000', undefined],
    ] as const) {
      const reply = await registry.call(method, `/api/repositories/${unknown}${path}`, { as, body });
      expect([reply.status, reply.json()['code']], `${method} ${path}`).toEqual([404, 'NOT_FOUND']);
    }
    const id = String((await register(registry, as))['id']);
    expect((await registry.call('GET', `/api/repositories/${id}/jobs/job_0000000000000000`, { as })).status).toBe(404);
  });

  it.each<[string, Json, string, string]>([
    ['an unknown field', { id: unknown }, 'INVALID_INPUT', ''],
    ['a query in the address', { url: 'https://git.example.org/x?token=1' }, 'INVALID_INPUT', 'url'],
    ['credentials in the address', { url: 'https://me:hunter2@git.example.org/x' }, 'INVALID_INPUT', 'url'],
    ['no encryption', { url: 'http://git.example.org/x' }, 'INVALID_INPUT', 'url'],
    ['row 71: a transport that runs programs', { url: 'ext::sh -c id' }, 'INVALID_INPUT', 'url'],
    ['row 71: a file', { url: 'file:///etc' }, 'INVALID_INPUT', 'url'],
    ['row 71: an option in place of a host', { url: 'ssh://-oProxyCommand=id/x' }, 'INVALID_INPUT', 'url'],
    ['row 71: an option in place of a host without a user', { url: '-oProxyCommand=id:x' }, 'INVALID_INPUT', 'url'],
    ['row 71: an option in brackets', { url: 'git@[-oProxyCommand=id]:x' }, 'INVALID_INPUT', 'url'],
    ['row 71: an option in place of an address', { url: '--upload-pack=id' }, 'INVALID_INPUT', 'url'],
    ['a path', { url: '/etc' }, 'INVALID_INPUT', 'url'],
    ['a name pattern that is none', { only: ['acme/*', '..'] }, 'INVALID_INPUT', 'only.1'],
    ['a constraint that is none', { versions: { 'acme/a': 'newest' } }, 'INVALID_INPUT', 'versions.acme/a'],
    ['a folder outside the repository', { subdirectories: ['../x'] }, 'INVALID_INPUT', 'subdirectories.0'],
    ['an interval of a second', { interval: 1 }, 'INVALID_INPUT', 'interval'],
    ['a field of another type', { type: 'directory', url: '/srv', tags: ['v1'] }, 'INVALID_INPUT', 'tags'],
    ['a key for https', { credentials: { private_key: 'x' } }, 'INVALID_INPUT', 'credentials.private_key'],
    [
      'a password for ssh',
      { url: 'git@git.example.org:x', credentials: { password: 'x' } },
      'INVALID_INPUT',
      'credentials',
    ],
    ['a header in a token', { credentials: { token: 'x\r\nHost: y' } }, 'INVALID_INPUT', 'credentials.token'],
    [
      'no key at all',
      { url: 'git@git.example.org:x', credentials: { private_key: 'hunter2' } },
      'INVALID_INPUT',
      'credentials.private_key',
    ],
    ['a Composer repository by ssh', { type: 'composer', url: 'git@git.example.org:x' }, 'INVALID_INPUT', 'url'],
    [
      'a Composer repository with credentials in its address',
      { type: 'composer', url: 'https://me:hunter2@repo.example.org' },
      'INVALID_INPUT',
      'url',
    ],
    [
      'a Composer repository with a constraint that is none',
      { type: 'composer', url: 'https://repo.example.org', packages: { 'acme/tool': '^^1' } },
      'INVALID_INPUT',
      'packages.acme/tool',
    ],
    [
      'a header that is not one for credentials',
      { type: 'composer', url: 'https://repo.example.org', credentials: { header: 'Host', token: 'x' } },
      'INVALID_INPUT',
      'credentials.header',
    ],
    [
      'a header for git',
      { credentials: { header: 'PRIVATE-TOKEN', token: 'x' } },
      'INVALID_INPUT',
      'credentials.header',
    ],
    [
      'row 68: a Composer repository inside',
      { type: 'composer', url: 'https://inside.example.org' },
      'EGRESS_DENIED',
      '',
    ],
    ['a folder while none may be', { type: 'directory', url: '/srv' }, 'OUTSIDE_SOURCE_ROOTS', ''],
    ['row 68: a loopback address', { url: 'https://127.0.0.1/x' }, 'EGRESS_DENIED', ''],
    ['row 68: the same in one number', { url: 'https://2130706433/x' }, 'EGRESS_DENIED', ''],
    ['row 68: the same in another base', { url: 'https://0x7f.1/x' }, 'EGRESS_DENIED', ''],
    ['row 68: the same in IPv6', { url: 'https://[::ffff:127.0.0.1]/x' }, 'EGRESS_DENIED', ''],
    ['row 68: a metadata service', { url: 'ssh://git@169.254.169.254/x' }, 'EGRESS_DENIED', ''],
    ['row 68: a name with an inside address', { url: 'git@inside.example.org:x' }, 'EGRESS_DENIED', ''],
    ['row 68: the same without a user', { url: 'inside.example.org:x' }, 'EGRESS_DENIED', ''],
    ['row 68: an inside address in brackets', { url: 'git@[fd00::1]:x' }, 'EGRESS_DENIED', ''],
    ['row 68: a name with an inside address and a port', { url: '[inside.example.org:2222]:x' }, 'EGRESS_DENIED', ''],
    ['row 68: a name with an inside address among others', { url: 'https://mixed.example.org/x' }, 'EGRESS_DENIED', ''],
  ])('are refused for %s', async (_, body, code, path) => {
    await using registry = await runManagement();
    const { token: as } = await registry.signIn('admin');
    const reply = await registry.call('POST', '/api/repositories', { as, body: { type: 'git', url, ...body } });
    const details = reply.json()['details'] as { issues?: { path: string }[] };
    expect([reply.status, reply.json()['code']], reply.body.toString()).toEqual([400, code]);
    if (path !== '') expect(details.issues?.map((issue) => issue.path)).toContain(path);
    if (code === 'EGRESS_DENIED') expect(reply.json()['error']).toContain('egress.allow');
    expect(reply.body.toString()).not.toContain('hunter2');
    expect((await registry.call('GET', '/api/repositories', { as })).json()['data']).toEqual([]);
  });

  it('may be inside the network where egress.allow permits it', async () => {
    await using registry = await runManagement({ settings: { egress: { allow: ['10.0.0.0/8', '8.8.8.8'] } } });
    const { token: as } = await registry.signIn('admin');
    expect(
      (
        await registry.call('POST', '/api/repositories', {
          as,
          body: { type: 'git', url: 'https://inside.example.org/x' },
        })
      ).status,
    ).toBe(201);
  });

  it('may be folders below sourceRoots, after links are resolved', async () => {
    const [root, outside] = [join(folders, 'root'), join(folders, 'outside')];
    for (const made of [join(root, 'packages'), outside]) mkdirSync(made, { recursive: true });
    symlinkSync(outside, join(root, 'escape'));
    await using registry = await runManagement({ settings: { sourceRoots: [root] } });
    const { token: as } = await registry.signIn('admin');
    const send = async (path: string, type = 'directory'): Promise<unknown> => {
      const reply = await registry.call('POST', '/api/repositories', { as, body: { type, url: path } });
      return reply.json()['code'] ?? reply.json()['url'];
    };
    expect(await send(join(root, 'packages'))).toBe(join(root, 'packages'));
    expect(await send(join(root, 'packages'), 'artifact')).toBe(join(root, 'packages'));
    expect(await send(join(root, 'escape'))).toBe('OUTSIDE_SOURCE_ROOTS');
    expect(await send(`${root}/../outside`)).toBe('OUTSIDE_SOURCE_ROOTS');
    expect(await send(`${root}x`)).toBe('OUTSIDE_SOURCE_ROOTS');
    expect(await send('/nowhere/at/all')).toBe('OUTSIDE_SOURCE_ROOTS');
    expect(await send(join(root, 'missing'))).toBe('INVALID_INPUT');
    expect(await send('packages')).toBe('INVALID_INPUT');
  });

  it('are unique by address, also when two are registered at once', async () => {
    await using registry = await runManagement({ settings: { sources: ['https://git.example.org/acme/listed.git'] } });
    const { token: as } = await registry.signIn('admin');
    const replies = await Promise.all(
      [1, 2, 3].map(() => registry.call('POST', '/api/repositories', { as, body: { type: 'git', url } })),
    );
    expect(replies.map(({ status }) => status).toSorted()).toEqual([201, 400, 400]);
    expect(replies.find(({ status }) => status === 400)?.json()).toMatchObject({
      code: 'CONFLICT',
      details: { id: replies.find(({ status }) => status === 201)?.json()['id'] },
    });
    const listed = await registry.call('POST', '/api/repositories', {
      as,
      body: { type: 'git', url: 'https://git.example.org/acme/listed.git' },
    });
    expect([listed.json()['code'], listed.json()['error']]).toEqual([
      'CONFLICT',
      expect.stringContaining('libretto.json') as string,
    ]);
  });

  it('row 30: store credentials sealed for this repository alone, and never show them', async () => {
    await using registry = await runManagement();
    const { token: as } = await registry.signIn('admin');
    const secret = 'hunter2-hunter2';
    const made = await register(registry, as, { credentials: { username: 'ci', password: secret } });
    const id = String(made['id']);
    expect(made['credentials']).toBe('basic');
    const everything = JSON.stringify([
      await registry.state.range(''),
      (await registry.call('GET', `/api/repositories/${id}`, { as })).json(),
    ]);
    expect(everything).not.toContain(secret);
    const stored = async (): Promise<string> =>
      String((((await registry.state.get(`repository/${id}`))?.value ?? {}) as Json)['credentials']);
    const sealed = await stored();
    expect(JSON.parse(registry.sealer.unseal(sealed, id).reveal())).toEqual({ username: 'ci', password: secret });
    expect(() => registry.sealer.unseal(sealed, unknown)).toThrow(/cannot be decrypted/);

    registry.keys.rotate('sealing');
    const store = createAuditedStore({ store: registry.state, now: Date.now });
    expect(await resealSecrets({ store, sealer: registry.sealer, actor: 'cli:test' })).toBe(1);
    expect(await stored()).not.toBe(sealed);
    expect(JSON.parse(registry.sealer.unseal(await stored(), id).reveal())).toEqual({
      username: 'ci',
      password: secret,
    });
    expect(await resealSecrets({ store, sealer: registry.sealer, actor: 'cli:test' })).toBe(0);

    const without = await registry.call('PATCH', `/api/repositories/${id}`, { as, body: { credentials: null } });
    expect(without.json()['credentials']).toBeNull();
  });

  it('keep their address permanently, because their credentials belong to it', async () => {
    await using registry = await runManagement();
    const { token: as } = await registry.signIn('admin');
    const id = String((await register(registry, as, { credentials: { token: 'x' } }))['id']);
    for (const body of [{ url: 'https://evil.example.org/x' }, { type: 'directory' }, {}])
      expect((await registry.call('PATCH', `/api/repositories/${id}`, { as, body })).json()['code']).toBe(
        'INVALID_INPUT',
      );
  });

  it('are verified by the builder, and its refusal is passed on', async () => {
    await using registry = await runManagement();
    const { token: as } = await registry.signIn('admin');
    const id = String((await register(registry, as))['id']);
    const { builder } = registry.repositories;
    const found = {
      ok: true,
      message: null,
      tags: 2,
      branches: 1,
      default_branch: 'main',
      protocol: null,
      package_count: null,
      packages: ['acme/tool'],
      problems: [],
    };
    builder.answer(() => ({ exitCode: 0, report: found, messages: '' }));
    const verified = await registry.call('POST', `/api/repositories/${id}/verify`, { as });
    expect([verified.status, verified.json()]).toEqual([200, found]);
    expect(builder.calls).toEqual([['repository', 'verify', id, '--record', expect.any(String)]]);
    builder.answer(() => ({
      exitCode: 1,
      report: { error: 'it moved inside; see egress.allow', code: 'EGRESS_DENIED', details: {} },
      messages: '',
    }));
    const denied = await registry.call('POST', `/api/repositories/${id}/verify`, { as });
    expect([denied.status, denied.json()['code']]).toEqual([400, 'EGRESS_DENIED']);
    builder.answer(() => ({ exitCode: -1, report: undefined, messages: 'broken' }));
    expect((await registry.call('POST', `/api/repositories/${id}/verify`, { as })).json()['code']).toBe('BUILD_FAILED');
  });
});
