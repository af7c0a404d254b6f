// Tests who uses a package over HTTP: real downloads and install reports by token, who may see them, the states of
// versions, and the list of versions with an advisory.

import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { advisoryListsPath, formatAdvisoryLists } from '../../../build/contract/advisory-lists.ts';
import type { Found } from '../../../proxy/search/find-anything.ts';
import type { PackageName } from '../../../build/contract/name.ts';
import { openContent, parseWaitingMail, waitingMailPrefix } from '../../../proxy/mail/mail.ts';
import { createTokens } from '../../../proxy/auth/tokens.ts';
import { createAuditedStore } from '../../../proxy/state/audit.ts';
import { HandMadeTree, zipBytes } from '../../util/hand-made-tree.ts';
import { runManagement, type RunningManagement, type SignedIn } from '../../util/running-management.ts';
import type { Reply } from '../../util/running-proxy.ts';

interface Use {
  readonly token: Readonly<Record<string, unknown>> | null;
  readonly version: string;
  readonly state: string;
  readonly downloads: number;
  readonly installs: number;
}

let registry: RunningManagement;
let [admin, viewer, adminEmail]: string[] = [];
let maintainer: SignedIn;
/** a token that the maintainer made before they were in a team */
let mine: { readonly token: string };
// before midnight: a session lasts for hours
let nowMs = Date.UTC(2027, 2, 1, 23);
const dayMs = 86_400_000;
const day = (): string => new Date(nowMs).toISOString().slice(0, 10);

const version = (text: string, state?: 'withdrawn') => ({
  version: text,
  normalized: text.startsWith('dev-') ? text : `${text}.0`,
  zip: zipBytes(text),
  time: '2026-01-01T00:00:00Z',
  ...(state === undefined ? {} : { state }),
});

const advisory = {
  advisoryId: 'A-1',
  packageName: 'acme/core',
  affectedVersions: '<1.2.0',
  title: 'Greets everybody',
  reportedAt: '2026-03-01T12:00:00+00:00',
  severity: 'high',
  cve: 'CVE-2026-4711',
  sources: [{ name: 'GitHub', remoteId: 'GHSA-aaaa-bbbb-cccc' }],
};
const lists = new Map([
  ['acme/core' as PackageName, { advisories: [advisory], filter: {} }],
  [
    'other/tool' as PackageName,
    {
      advisories: [{ ...advisory, advisoryId: 'MAL-2026-1', packageName: 'other/tool', affectedVersions: '*' }],
      filter: { malware: [{ constraint: '*', reason: 'MAL-2026-1: Greets everybody' }] },
    },
  ],
]);

beforeAll(async () => {
  registry = await runManagement({ now: () => nowMs, mails: true });
  const tree = new HandMadeTree(registry.data);
  tree.put('acme/core', [version('2.0.0'), version('1.2.0'), version('1.0.0', 'withdrawn'), version('dev-main')]);
  tree.put('other/tool', [version('1.0.0')]);
  tree.publish();
  writeFileSync(
    join(registry.data, 'index', advisoryListsPath),
    formatAdvisoryLists({ advised: true, filters: ['malware'], packages: lists }),
  );
  ({ token: admin, email: adminEmail } = await registry.signIn('admin'));
  viewer = (await registry.signIn('viewer')).token;
  maintainer = await registry.signIn('maintainer');
});
afterAll(() => registry[Symbol.asyncDispose]());

const call = (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, as?: string, body?: unknown): Promise<Reply> =>
  registry.call(method, path, { as: as ?? admin ?? '', ...(body === undefined ? {} : { body }) });
const setBy = async (by: string | null): Promise<Reply> =>
  call('PATCH', '/api/settings', (await registry.signIn('admin')).token, { statistics: { by } });
const usage = (query = '', as?: string, name = 'acme/core'): Promise<Reply> =>
  call('GET', `/api/packages/${name}/usage${query}`, as);
const uses = async (query = '', as?: string): Promise<readonly Use[]> =>
  (await usage(query, as)).json()['data'] as readonly Use[];
const makeToken = async (description: string, limits: object = {}, as = admin) =>
  (await call('POST', '/api/tokens', as, { description, kind: 'read', ...limits })).json() as {
    readonly id: string;
    readonly token: string;
  };
const download = async (as: string, text: string, name = 'acme/core', client?: string): Promise<void> => {
  const headers = { authorization: `Bearer ${as}`, ...(client && { 'user-agent': client }) };
  expect((await registry.proxy.get(`/dist/${name}/${text}.zip`, headers)).status).toBe(200);
};

const waitingMails = async () =>
  (await registry.state.range(waitingMailPrefix)).map(({ value }) => {
    const mail = parseWaitingMail(value);
    return { ...mail, ...openContent(registry.sealer, mail) };
  });

describe('GET /api/packages/{vendor}/{package}/usage', () => {
  it('nothing is counted by token by default', async () => {
    await download(await registry.createToken('read'), '1.2.0');
    expect((await usage()).json()).toEqual({ data: [], tokens: 0, projects: 0, counted_since: null, truncated: [] });
  });

  it('downloads and installs are counted by token and version, those of a limited token too', async () => {
    expect((await setBy('token')).status).toBe(200);
    const [shop, limited] = [await makeToken('CI of the shop'), await makeToken('Customer', { packages: ['acme/*'] })];
    for (const text of ['1.2.0', '1.2.0', '1.0.0', 'dev-main']) await download(shop.token, text);
    await download(limited.token, '2.0.0');
    const report = { downloads: [{ name: 'acme/core', version: '2.0.0.0' }] };
    expect((await call('POST', '/downloads', limited.token, report)).json()).toMatchObject({ counted: 1 });
    const found = await uses();
    expect(found.map(({ token, version: used, ...use }) => [token?.['description'], used, use])).toMatchObject([
      ['CI of the shop', '1.0.0', { state: 'withdrawn', downloads: 1 }],
      ['CI of the shop', '1.2.0', { state: 'supported', downloads: 2, first_used_on: day(), last_used_on: day() }],
      ['CI of the shop', 'dev-main', { state: 'dev', downloads: 1, installs: 0, last_installed_on: null }],
      ['Customer', '2.0.0', { state: 'supported', downloads: 1, installs: 1, last_installed_on: day() }],
    ]);
    expect(found[0]?.token).toMatchObject({ id: shop.id, kind: 'read', status: 'active' });
    expect((await usage()).json()).toMatchObject({ tokens: 2, counted_since: day(), truncated: [] });
  });

  it('the client of the last download is named, if it is Composer', async () => {
    const { id, token } = await makeToken('a client');
    const clientOf = async () => (await uses()).find((use) => use.token?.['id'] === id)?.token?.['client'];
    const composer = (more: string) => `Composer/2.8.1 (Linux; 6.1; PHP 8.3.1; cURL 8.9; Platform-PHP 8.1.2${more})`;
    for (const [client, shown] of [
      [composer(''), 'Composer 2.8.1, PHP 8.3'],
      [composer('; CI; cmd:require,update'), 'Composer 2.8.1, PHP 8.3, CI, require,update'],
      ['curl/8.9 (; CI)', null],
      [composer('; CI'), 'Composer 2.8.1, PHP 8.3, CI'],
      [`${composer('; CI')}${' '.repeat(300)}x`, null],
    ] as const) {
      await download(token, '2.0.0', 'acme/core', client);
      expect([client, await clientOf()]).toEqual([client, shown]);
    }
    await call('DELETE', `/api/tokens/${id}`);
  });

  it('a HEAD and an answer 304 count nothing, as for the statistics', async () => {
    const before = await uses();
    const { token } = await makeToken('a cache');
    const headers = { authorization: `Bearer ${token}` };
    const { headers: sent } = await registry.proxy.send('HEAD', '/dist/acme/core/1.2.0.zip', headers);
    await registry.proxy.send('GET', '/dist/acme/core/1.2.0.zip', {
      ...headers,
      'if-none-match': String(sent['etag']),
    });
    expect(await uses()).toEqual(before);
  });

  it('a constraint and a day filter the answer, and a day of the last 90 counts from then on', async () => {
    expect((await uses('?constraint=1.2.*')).map(({ version: used }) => used)).toEqual(['1.2.0']);
    expect((await uses('?constraint=dev-main')).map(({ version: used }) => used)).toEqual(['dev-main']);
    const late = await makeToken('late');
    await download(late.token, '1.2.0');
    expect(await uses()).not.toEqual([]); // stores the counts of this day
    nowMs += 2 * 3_600_000;
    await download(late.token, '1.2.0');
    expect(await uses(`?since=${day()}`)).toMatchObject([{ version: '1.2.0', downloads: 1 }]);
    expect((await uses('?constraint=1.2.*'))[0]).toMatchObject({ downloads: 2, last_used_on: day() });
    const refused = await usage('?constraint=%3D%3D%3D');
    expect([refused.status, JSON.stringify(refused.json()['details'])]).toEqual([
      400,
      expect.stringContaining('"path":"constraint"'),
    ]);
    expect((await usage('?since=yesterday')).status).toBe(400);
  });

  it('a revoked token keeps its row with its description', async () => {
    const { id, token } = await makeToken('goes');
    await download(token, '2.0.0');
    await call('DELETE', `/api/tokens/${id}`);
    expect((await uses()).find((use) => use.token?.['id'] === id)?.token).toMatchObject({
      description: 'goes',
      status: 'revoked',
    });
  });

  it('a maintainer learns the names of their own tokens alone; a viewer and a token learn nothing', async () => {
    mine = await makeToken('mine', {}, maintainer.token);
    const own = mine;
    await download(own.token, '2.0.0');
    const found = await uses('?constraint=2.*', maintainer.token);
    expect(found.map(({ token }) => token?.['description'] ?? null)).toEqual(expect.arrayContaining(['mine', null]));
    expect(found.every(({ token }) => token === null || token['owner'] === maintainer.email)).toBe(true);
    for (const as of [viewer, own.token]) expect((await usage('', as)).status).toBe(403);
  });

  it('the owners of tokens get a mail that says who wrote it; nobody learns or names an address', async () => {
    const tell = (as: string | undefined, body: object) =>
      call('POST', '/api/packages/acme/core/usage/messages', as, body);
    const words = { constraint: '2.*', subject: '2.0 ends', text: 'Please update.\n\nSee <b>2.1</b>\nsoon.' };
    const found = (await tell(admin, { ...words, preview: true })).json();
    expect(found).toMatchObject({ sent: false, hidden: 0, people: 2 });
    expect(found['data']).toEqual(
      expect.arrayContaining([
        { description: 'mine', owner: maintainer.email, reason: null },
        { description: 'goes', owner: null, reason: 'it ended' },
      ]),
    );
    expect(found['mail']).toMatch(
      /writes to the people who use acme\/core 2\.\* of packages\.test:\n\nPlease update\./,
    );
    expect(await waitingMails()).toEqual([]);

    const sent = (await tell(maintainer.token, words)).json();
    expect(sent).toMatchObject({ sent: true, people: 2, data: [{ owner: maintainer.email }], hidden: 1 });
    const mails = await waitingMails();
    expect(mails.map(({ to }) => to).toSorted()).toEqual([adminEmail, maintainer.email].toSorted());
    const own = mails.find(({ to }) => to === maintainer.email);
    expect(own).toMatchObject({ kind: 'message', subject: '2.0 ends', text: sent['mail'] });
    expect(own?.text).toContain(`you own what uses the package: mine.\n${maintainer.email} sent it`);
    expect(own?.html).toContain('See &lt;b&gt;2.1&lt;/b&gt;<br>soon.');
    expect((await call('GET', '/api/audit?limit=1')).json()['data']).toMatchObject([
      { action: 'package.tell_users', subject: 'acme/core', details: { subject: '2.0 ends', people: 2 } },
    ]);

    for (const [field, value] of [
      ['subject', 'x\r\nBcc: eve@example.org'],
      ['subject', 'x'.repeat(121)],
      ['text', 'x'.repeat(5001)],
      ['text', '\u001b[2J'],
      ['to', 'eve@example.org'],
      ['constraint', '==='],
    ] as const) {
      const refused = await tell(admin, { ...words, [field]: value });
      expect([refused.status, JSON.stringify(refused.json())]).toEqual([400, expect.stringContaining(field)]);
    }
    expect((await tell(admin, { ...words, constraint: '>9' })).json()).toMatchObject({ code: 'CONFLICT' });
    for (const as of [viewer, mine.token]) expect((await tell(as, words)).status).toBe(403);
    for (let time = 1; time < 10; time += 1) expect((await tell(maintainer.token, words)).status).toBe(200);
    expect((await tell(maintainer.token, words)).json()).toMatchObject({
      code: 'TOO_MANY_ATTEMPTS',
      error: expect.stringMatching(/Try again in \d+ minutes|1 hour/),
    });
    expect(await waitingMails()).toHaveLength(20);
  });

  it('a package that is hidden from a maintainer of a team does not exist', async () => {
    const reader = await registry.createToken('read');
    await download(reader, '1.0.0', 'other/tool');
    await call('POST', '/api/teams', admin, { name: 'Shop', packages: ['acme/*'], members: [maintainer.email] });
    const [hidden, missing] = await Promise.all([
      usage('', maintainer.token, 'other/tool'),
      usage('', maintainer.token, 'other/none'),
    ]);
    expect([hidden.status, missing.status]).toEqual([404, 404]);
    expect(String(hidden.json()['error'])).toBe(String(missing.json()['error']).replace('none', 'tool'));
    expect((await usage('', maintainer.token)).status).toBe(200);
    expect(((await usage('', admin, 'other/tool')).json()['data'] as unknown[]).length).toBe(1);

    const exposed = async (as?: string) => (await call('GET', '/api/exposures', as)).json();
    const own = { package: 'acme/core', version: '1.0.0', state: 'withdrawn', fixed_in: '1.2.0', malware: false };
    const advisories = [{ id: 'A-1', title: 'Greets everybody', severity: 'high' }];
    expect(await exposed()).toMatchObject({
      data: [
        {
          package: 'other/tool',
          malware: true,
          advisories: [{ id: 'MAL-2026-1' }],
          state: 'malware',
          fixed_in: null,
          tokens: 1,
          last_used_on: day(),
        },
        { ...own, advisories, tokens: 1, last_used_by: { description: 'CI of the shop' } },
      ],
      left_out: 0,
      unread: [],
    });
    const filtered = async (query: string) =>
      ((await call('GET', `/api/exposures?${query}`)).json()['data'] as { package: string }[]).map(
        (one) => one.package,
      );
    expect(await filtered('severity=high&origin=private')).toEqual(['other/tool', 'acme/core']);
    expect(await filtered('severity=critical')).toEqual(['other/tool']);
    expect(await filtered('origin=mirrored')).toEqual([]);
    const seen = await exposed(maintainer.token);
    expect(seen['data']).toMatchObject([{ ...own, tokens: 1, last_used_by: null }]);
    expect(JSON.stringify(seen)).not.toMatch(/other|CI of/);
    for (const as of [viewer, reader]) expect((await call('GET', '/api/exposures', as)).status).toBe(403);
    const found = async (id: string, as = admin) =>
      ((await call('GET', `/api/search?q=${id}`, as)).json()['data'] as Found[]).map(({ name }) => name);
    expect((await found('cve-2026-4711')).toSorted()).toEqual(['acme/core', 'other/tool']);
    expect(await found('MAL-2026-1')).toEqual(['other/tool']);
    expect(await found('GHSA-aaaa-bbbb-cccc', maintainer.token)).toEqual(['acme/core']);
    for (const id of ['MAL-2026-1', 'CVE-1']) expect(await found(id, maintainer.token)).toEqual([]);
  });

  it('a read token reports the lock file of a project: what it runs of this registry, in place of the last report', async () => {
    const { token } = mine;
    const lock = (...packages: readonly (readonly [string, string])[]) => ({
      'content-hash': 'x',
      packages: packages
        .slice(0, 1)
        .map(([name, text]) => ({ name, version: text, dist: { url: 'https://a.example' } })),
      'packages-dev': packages.slice(1).map(([name, text]) => ({ name, version: text })),
      __proto__: null,
    });
    const report = async (as: string | undefined, body: unknown, name = 'acme/blog') =>
      call('POST', `/api/projects?project=${encodeURIComponent(name)}`, as, body);
    const projects = async (as?: string, name?: string) =>
      ((await usage('', as, name)).json()['data'] as readonly Use[])
        .filter((use) => use.token?.['kind'] === 'project')
        .map(({ token: user, version: used, state }) => [user?.['description'], used, state]);
    const foreign = [
      ['symfony/yaml', 'v7.0.0'],
      ['acme/core', '9.9.9'],
      ['nonsense', '1'],
    ] as const;
    await setBy('version');
    expect((await report(token, lock(['ACME/core', '1.2.0'], ['other/tool', '1.0.0'], ...foreign))).json()).toEqual({
      packages: 2,
    });
    expect(await projects()).toEqual([['acme/blog', '1.2.0', 'supported']]);
    expect(await projects(undefined, 'other/tool')).toEqual([['acme/blog', '1.0.0', 'malware']]);
    expect((await call('GET', '/api/exposures')).json()['data']).toMatchObject([
      { package: 'other/tool', tokens: 1, projects: 1, last_used_on: day() },
      { package: 'acme/core', projects: 0 },
    ]);
    expect(await registry.state.range('used/symfony')).toEqual([]);

    expect((await report(token, lock(['acme/core', '1.0.0']))).json()).toEqual({ packages: 1 });
    expect(await projects()).toEqual([['acme/blog', '1.0.0', 'withdrawn']]);
    expect(await projects(undefined, 'other/tool')).toEqual([]);
    expect((await usage('?constraint=1.0.0')).json()).toMatchObject({ tokens: 1, projects: 1 });

    // a limited token learns nothing of hidden names, and nobody changes the project of another
    const limited = await makeToken('Customer B', { packages: ['acme/*'] });
    for (const name of ['other/tool', 'other/none'])
      expect((await report(limited.token, lock([name, '1.0.0']))).json()).toEqual({ packages: 0 });
    expect((await report(limited.token, lock(['acme/core', '2.0.0'], ['other/tool', '1.0.0']))).json()).toEqual({
      packages: 1,
    });
    expect(await projects(undefined, 'other/tool')).toEqual([]);
    expect(await projects()).toHaveLength(2);
    expect(await projects(maintainer.token)).toEqual([['acme/blog', '1.0.0', 'withdrawn']]);
    for (const as of [limited.token, viewer]) await report(as, lock());
    expect(await projects()).toEqual([['acme/blog', '1.0.0', 'withdrawn']]);
    expect((await usage('', viewer)).status).toBe(403);

    const faults = [
      [{ packages: [{ name: 'acme/core' }] }, 'packages.0.version'],
      [{ packages: {} }, '"packages"'],
      [{ packages: [], 'packages-dev': [{ name: 'a/b', version: 'x'.repeat(201) }] }, 'packages-dev.0.version'],
      [{ packages: Array.from({ length: 2001 }, () => ({ name: 'a/b', version: '1' })) }, '"packages"'],
    ] as const;
    for (const [body, place] of faults) {
      const refused = await report(token, body);
      expect([refused.status, JSON.stringify(refused.json())]).toEqual([400, expect.stringContaining(place)]);
    }
    expect((await report(token, { packages: [], more: 'x'.repeat(1024 * 1024) })).json()['code']).toBe(
      'BODY_TOO_LARGE',
    );
    expect((await report(token, lock(), '../x')).status).toBe(400);
    expect((await report('none', lock())).status).toBe(401);
    const [stored] = await registry.state.range('project/');
    const many = (count: number, owner: string) =>
      registry.state.commit({
        conditions: [],
        puts: Array.from({ length: count }, (_, at) => ({
          key: `project/prj_${owner}${at}`,
          value: { ...(stored?.value as object), id: `prj_${owner}${at}`, name: `p${at}`, owner },
        })),
        deletes: [],
      });
    await many(100, limited.id);
    expect((await report(limited.token, lock(['acme/core', '2.0.0']))).json()['code']).toBe('CONFLICT');
    expect((await report(token, lock(['acme/core', '2.0.0']), 'another')).json()).toEqual({ packages: 1 });
    await many(900, 'x');
    expect((await report(token, lock(['acme/core', '2.0.0']), 'third')).json()['error']).toMatch(
      /at most 1000 projects/,
    );
    expect((await report(token, lock(['acme/core', '2.0.0']))).json()).toEqual({ packages: 1 });
    expect((await report(admin, lock())).json()).toEqual({ packages: 0 });
    expect(await projects()).toEqual([['another', '2.0.0', 'supported']]);
  });

  it('without the setting nothing more is counted, and the rows end after the retention', async () => {
    await setBy(null);
    const before = await uses();
    await download(await registry.createToken('read'), '1.2.0');
    expect(await uses()).toEqual(before);
    expect((await usage()).json()).toMatchObject({ counted_since: null });
    nowMs += 401 * dayMs;
    const state = createAuditedStore({ store: registry.state, now: () => nowMs });
    const tokens = createTokens({ store: state, now: () => nowMs, randomBytes, actor: 'cli:test' });
    expect(await tokens.list()).not.toEqual([]);
    await registry.services.tokenCounts?.settle();
    expect([...(await registry.state.range('used')), ...(await registry.state.range('project/'))]).toEqual([]);
  });
});
