// Tests settings over HTTP: the origin of each value, the immediate effect of a change, and the settings that cannot be
// changed.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSettings } from '../../../proxy/settings/settings.ts';
import { createAuditedStore } from '../../../proxy/state/audit.ts';
import { runManagement, type RunningManagement } from '../../util/running-management.ts';
import type { Reply } from '../../util/running-proxy.ts';

let registry: RunningManagement;
let admin = '';
const baseline = {
  'limits.write': { value: 700, origin: 'environment' },
  metadata_url: { value: '/file/%package%.json', origin: 'file' },
  dist_url: { value: 'path', origin: 'flag' },
} as const;
beforeAll(async () => {
  registry = await runManagement({ baseline });
  admin = (await registry.signIn('admin')).token;
});
afterAll(() => registry[Symbol.asyncDispose]());

interface View {
  readonly value: unknown;
  readonly origin: string;
  readonly changeable: boolean;
}
interface Shown {
  readonly [group: string]: View & Readonly<Record<string, View>>;
}

const get = async (as = admin): Promise<Shown> => (await registry.call('GET', '/api/settings', { as })).json() as never;
const patch = (body: unknown, as = admin): Promise<Reply> => registry.call('PATCH', '/api/settings', { as, body });
const codeOf = (reply: Reply): unknown => [reply.status, reply.json()['code']];
const issuesOf = (reply: Reply): readonly string[] =>
  (reply.json()['details'] as { issues: { path: string }[] }).issues.map(({ path }) => path);

describe('GET /api/settings', () => {
  it('each setting has its origin and whether it can be changed', async () => {
    const shown = await get();
    expect(shown['limits']).toEqual({
      read: { value: 1000, origin: 'default', changeable: true },
      write: { value: 700, origin: 'environment', changeable: false },
    });
    expect([shown['metadata_url'], shown['dist_url']]).toEqual([
      { value: '/file/%package%.json', origin: 'file', changeable: true },
      { value: 'path', origin: 'flag', changeable: false },
    ]);
    expect(Object.keys(shown)).toEqual([
      'branding',
      'mirroring',
      'metadata_url',
      'advertise',
      'warnings',
      'infos',
      'dist_url',
      'limits',
      'sessions',
      'passwords',
      'people',
      'retention',
      'statistics',
      'sync',
      'publishing',
    ]);
  });
});

describe('PATCH /api/settings', () => {
  it('a set value overrides libretto.json in every process from the next request on, and null removes it', async () => {
    const token = await registry.createToken('read');
    const limit = async (): Promise<string | undefined> =>
      (await registry.call('GET', '/api/nothing', { as: token })).headers['x-ratelimit-limit'];
    const elsewhere = createSettings({ store: createAuditedStore({ store: registry.state, now: Date.now }), baseline });
    expect([await limit(), (await elsewhere.current())['limits.read']]).toEqual(['1000', 1000]);
    const reply = await patch({ limits: { read: 5000 } });
    expect([reply.status, (reply.json() as unknown as Shown)['limits']?.['read']]).toEqual([
      200,
      { value: 5000, origin: 'api', changeable: true },
    ]);
    expect([await limit(), (await elsewhere.current())['limits.read']]).toEqual(['5000', 5000]);
    await patch({ limits: { read: null } });
    expect([await limit(), (await get())['limits']?.['read']?.origin]).toEqual(['1000', 'default']);
  });

  it('a change of metadata_url is in the next packages.json, and no client gets a 304 for it', async () => {
    mkdirSync(join(registry.data, 'public'), { recursive: true });
    writeFileSync(
      join(registry.data, 'public/packages.json'),
      JSON.stringify({ packages: {}, 'metadata-url': '/built/%package%.json', 'available-packages': ['acme/hello'] }),
    );
    const token = await registry.createToken('read');
    const root = (since = ''): Promise<Reply> =>
      registry.proxy.send('GET', '/packages.json', {
        authorization: `Bearer ${token}`,
        ...(since === '' ? {} : { 'if-modified-since': since }),
      });
    const first = await root();
    expect(first.json()['metadata-url']).toBe('/file/%package%.json');
    await patch({ metadata_url: '/p2/%package%.json' });
    const second = await root(first.headers['last-modified']);
    expect([second.status, second.json()['metadata-url']]).toEqual([200, '/p2/%package%.json']);
    expect((await root(second.headers['last-modified'])).status).toBe(304);
    await patch({ metadata_url: null });
    expect((await root(second.headers['last-modified'])).json()['metadata-url']).toBe('/file/%package%.json');
  });

  it('changed settings of sessions and passwords apply to the next login and the next password', async () => {
    await patch({ sessions: { lifetime: 600 }, passwords: { min_length: 20 } });
    const { email, password, token } = await registry.signIn('viewer');
    const login = (await registry.call('POST', '/api/auth/login', { body: { email, password } })).json();
    expect(Math.round((Date.parse(String(login['expires_at'])) - Date.now()) / 60_000)).toBe(10);
    expect(
      codeOf(
        await registry.call('POST', '/api/auth/password', {
          as: token,
          body: { current_password: password, new_password: 'nineteen characters' },
        }),
      ),
    ).toEqual([400, 'INVALID_INPUT']);
    await patch({ sessions: { lifetime: null }, passwords: { min_length: null } });
  });

  it('a setting that the environment or a flag fixes is refused, and nothing else changes then', async () => {
    const reply = await patch({ limits: { read: 7, write: 7 }, dist_url: 'https://packages.example.org' });
    expect([...(codeOf(reply) as unknown[]), reply.json()['details']]).toEqual([
      400,
      'SETTING_FIXED',
      { settings: ['dist_url', 'limits.write'] },
    ]);
    expect((await get())['limits']?.['read']?.value).toBe(1000);
  });

  it('a change of the mirroring rules is in the answer', async () => {
    const reply = await patch({ mirroring: { enabled: true, allow: ['symfony/*', 'psr/log'], deny: [] } });
    expect((reply.json() as unknown as Shown)['mirroring']?.['allow']?.value).toEqual(['symfony/*', 'psr/log']);
  });

  it('a pattern that no name matches is refused with a suggestion; the other patterns of a stored list apply', async () => {
    const messageOf = async (mirroring: object): Promise<unknown> =>
      ((await patch({ mirroring })).json()['details'] as { issues: { message: string }[] }).issues[0]?.message;
    expect(await messageOf({ reserved: ['acme'] })).toMatch(
      /such as \["acme\/\*"\], .*: no package has a name like "acme"; the packages of a vendor are "acme\/\*"$/,
    );
    expect(await messageOf({ shared_vendors: ['acme/*'] })).toMatch(
      /such as \["acme"\], .*: "acme\/\*" is no vendor; the vendor of it is "acme"$/,
    );
    const [reserved, shared_vendors] = [
      ['*', 'acme*', '*-acme', 'a*b/c', 'acme/*', 'acme/lib--*', '*/lib'],
      ['acme', 'acme-labs'],
    ];
    expect((await patch({ mirroring: { reserved, shared_vendors } })).status).toBe(200);
    await registry.state.commit({
      conditions: [],
      puts: [{ key: 'setting/mirroring.reserved', value: ['acme', 'acme/*'] }],
      deletes: [],
    });
    expect((await get())['mirroring']?.['reserved']).toEqual({
      value: ['acme', 'acme/*'],
      origin: 'api',
      changeable: true,
    });
    await patch({ mirroring: { reserved: null, shared_vendors: null } });
  });

  it.each([
    [{ metadata_url: '/p2/x.json' }, 'metadata_url'],
    [{ metadata_url: '//evil/%package%' }, 'metadata_url'],
    [{ mirroring: { url: 'https://169.254.169.254/' } }, 'mirroring.url'],
    [{ mirroring: { url: 'https://inside.example.org' } }, 'mirroring.url'],
    [{ mirroring: { url: 'http://repo.packagist.org' } }, 'mirroring.url'],
    [{ mirroring: { allow: ['Not A Name'] } }, 'mirroring.allow'],
    [{ mirroring: { allow: ['symfony'] } }, 'mirroring.allow'],
    [{ mirroring: { deny: ['acme/*', 'a/b/*'] } }, 'mirroring.deny'],
    [{ mirroring: { reserved: ['acme--*/*'] } }, 'mirroring.reserved'],
    [{ mirroring: { shared_vendors: ['acme/*'] } }, 'mirroring.shared_vendors'],
    [{ mirroring: { shared_vendors: ['*'] } }, 'mirroring.shared_vendors'],
    [{ limits: { read: -1 } }, 'limits.read'],
    [{ limits: { read: '5' } }, 'limits.read'],
    [{ sessions: { lifetime: 1 } }, 'sessions.lifetime'],
    [{ passwords: { min_length: 4 } }, 'passwords.min_length'],
    [{ retention: { jobs: 0 } }, 'retention.jobs'],
    [{ retention: { days: 1 } }, 'retention'],
    [{ sync: { parallel: 0 } }, 'sync.parallel'],
    [{ listen: '0.0.0.0:80' }, ''],
  ])('the value %j is refused, and the error names it', async (body, path) => {
    const reply = await patch(body);
    expect([codeOf(reply), issuesOf(reply)]).toEqual([[400, 'INVALID_INPUT'], [path]]);
  });

  it('an equal change writes nothing and is no event, and two simultaneous changes both apply', async () => {
    const seq = async (): Promise<number> =>
      ((await registry.call('GET', '/api/audit?limit=1', { as: admin })).json()['data'] as { seq: number }[])[0]?.seq ??
      0;
    await patch({ retention: { jobs: 5 } });
    const before = await seq();
    await patch({ retention: { jobs: 5 } });
    await patch({});
    expect(await seq()).toBe(before);
    await Promise.all([patch({ retention: { jobs: 6 } }), patch({ retention: { artifacts_days: 7 } })]);
    expect((await get())['retention']).toMatchObject({ jobs: { value: 6 }, artifacts_days: { value: 7 } });
    expect(await seq()).toBe(before + 2);
    const [event] = (await registry.call('GET', '/api/audit?action=settings.update&limit=1', { as: admin })).json()[
      'data'
    ] as Record<string, unknown>[];
    expect(event).toMatchObject({ subject: 'settings', actor: expect.stringMatching(/^user:/) as string });
  });

  it('a value that another version wrote counts as not set', async () => {
    await registry.state.commit({
      conditions: [],
      puts: [
        { key: 'setting/limits.read', value: 'many' },
        { key: 'setting/of.tomorrow', value: 1 },
      ],
      deletes: [],
    });
    expect((await get())['limits']?.['read']).toEqual({ value: 1000, origin: 'default', changeable: true });
    await registry.state.commit({ conditions: [], puts: [], deletes: ['setting/limits.read'] });
  });
});
