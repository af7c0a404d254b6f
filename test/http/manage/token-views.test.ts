// Tests a token's limits over HTTP: parsed as strictly as on the command line, shown, changed, removed and explained.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runManagement, type RunningManagement } from '../../util/running-management.ts';
import type { Reply } from '../../util/running-proxy.ts';
import { HandMadeTree, zipBytes } from '../../util/hand-made-tree.ts';

let registry: RunningManagement;
let [admin, maintainer] = ['', ''];
beforeAll(async () => {
  registry = await runManagement();
  const tree = new HandMadeTree(registry.data);
  const version = (text: string, state?: 'withdrawn') => ({
    version: text,
    normalized: `${text}.0`,
    zip: zipBytes(text),
    time: `2026-0${text[0] ?? ''}-01T00:00:00Z`,
    ...(state === undefined ? {} : { state }),
  });
  tree.put('acme/core', [version('3.0.0'), version('2.0.0'), version('1.0.0', 'withdrawn')]);
  tree.publish();
});
beforeEach(async () => {
  [admin, maintainer] = [(await registry.signIn('admin')).token, (await registry.signIn('maintainer')).token];
});
afterAll(() => registry[Symbol.asyncDispose]());

const limits = {
  packages: ['Tools/CLI', 'acme/*'],
  constraints: { 'acme/core': '<3.0' },
  stability: 'stable',
  not_after: '2027-01-31',
  networks: ['203.0.113.7/24'],
};
const kept = {
  packages: ['acme/*', 'tools/cli'],
  constraints: { 'acme/core': '<3.0' },
  stability: 'stable',
  not_after: '2027-01-31T23:59:59.999Z',
  networks: ['203.0.113.0/24'],
};
const none = { packages: null, constraints: null, stability: null, not_after: null, networks: null };
const create = (body: object, as = admin): Promise<Reply> =>
  registry.call('POST', '/api/tokens', { as, body: { description: 'a customer', kind: 'read', ...body } });
const patch = (id: unknown, body: object, as = admin): Promise<Reply> =>
  registry.call('PATCH', `/api/tokens/${String(id)}`, { as, body });
const explain = (id: unknown, query: string, as = admin): Promise<Reply> =>
  registry.call('GET', `/api/tokens/${String(id)}/explain?${query}`, { as });
const issuesOf = (reply: Reply): unknown => [
  reply.status,
  reply.json()['code'],
  (reply.json()['details'] as { issues: { path: string }[] }).issues.map(({ path }) => path),
];

describe('the limits of a token', () => {
  it('are refused with the expected form', async () => {
    const messages = async (body: object): Promise<unknown> =>
      ((await create(body)).json()['details'] as { issues: { message: string }[] }).issues.map(
        ({ message }) => message,
      );
    expect(await messages({ packages: [], networks: [] })).toEqual(
      Array.from({ length: 2 }, () => 'It must be a list with at least one entry; null for no limit.'),
    );
    expect(await messages({ not_after: 'soon' })).toEqual([expect.stringContaining('Write 2027-01-31')]);
  });

  it('are absent where none are given', async () => {
    expect((await create({})).json()).toMatchObject(none);
  });

  it('are shown as they are stored, and are in the audit log', async () => {
    const { id, ...created } = (await create(limits)).json();
    expect(created).toMatchObject(kept);
    expect((await registry.call('GET', `/api/tokens/${String(id)}`, { as: admin })).json()).toMatchObject(kept);
    const events = (await registry.call('GET', '/api/audit?action=token.create&limit=1', { as: admin })).json()[
      'data'
    ] as { details: object }[];
    expect(events[0]?.details).toMatchObject(kept);
  });

  it('change one by one, and null removes them', async () => {
    const { id } = (await create(limits, maintainer)).json();
    expect((await patch(id, { constraints: { 'acme/*': '^2' }, networks: null }, maintainer)).json()).toMatchObject({
      ...kept,
      constraints: { 'acme/*': '^2' },
      networks: null,
    });
    expect((await patch(id, none, maintainer)).json()).toMatchObject(none);
  });

  it('stay through a rotation', async () => {
    const { id } = (await create(limits)).json();
    expect(
      (await registry.call('POST', `/api/tokens/${String(id)}/rotate`, { as: admin, body: {} })).json(),
    ).toMatchObject(kept);
  });

  it.each([
    [{ packages: ['acme', 'acme/*', 'x y/z'] }, ['packages.0', 'packages.2']],
    [{ constraints: { 'acme/x': 'frog', acme: '^1' } }, ['constraints.acme/x', 'constraints.acme']],
    [{ not_after: '2027-02-30' }, ['not_after']],
    [{ networks: ['10.0.0.0/8', '10.0.0.0/99', 'home'] }, ['networks.1', 'networks.2']],
    [{ stability: 'patch' }, ['stability']],
    [{ packages: [] }, ['packages']],
    [{ constraints: {} }, ['constraints']],
    [{ packages: 'acme/*' }, ['packages']],
  ])('%j are refused with every wrong place named, and nothing is created or changed', async (wrong, paths) => {
    const { id } = (await create(limits)).json();
    expect(issuesOf(await create(wrong))).toEqual([400, 'INVALID_INPUT', paths]);
    expect(issuesOf(await patch(id, wrong))).toEqual([400, 'INVALID_INPUT', paths]);
    expect((await registry.call('GET', `/api/tokens/${String(id)}`, { as: admin })).json()).toMatchObject(kept);
  });
});

describe('a constraint on a package that packages excludes', () => {
  it.each([
    [{ packages: ['acme/hello'], constraints: { 'acme/helo': '<2' } }, 'acme/helo'],
    [{ packages: ['acme/*', 'tools/cli'], constraints: { 'acme/core': '<2', 'tool/*': '^1' } }, 'tool/*'],
    [{ packages: ['acme/core-*'], constraints: { 'acme/shop-*': '^1' } }, 'acme/shop-*'],
  ])('%j is refused, because it would limit nothing', async (wrong, key) => {
    const { id } = (await create({})).json();
    for (const reply of [await create(wrong), await patch(id, wrong)]) {
      expect(issuesOf(reply)).toEqual([400, 'INVALID_INPUT', [`constraints.${key}`]]);
      expect(reply.body.toString()).toContain('Correct the name, add it to packages, or omit the constraint.');
    }
    expect((await registry.call('GET', `/api/tokens/${String(id)}`, { as: admin })).json()).toMatchObject(none);
  });

  it('is refused as well where only one of the two fields is changed', async () => {
    const { id } = (await create({ packages: ['acme/hello'], constraints: { 'acme/hello': '<2' } })).json();
    expect(issuesOf(await patch(id, { constraints: { 'acme/helo': '<2' } }))).toEqual([
      400,
      'INVALID_INPUT',
      ['constraints.acme/helo'],
    ]);
    expect(issuesOf(await patch(id, { packages: ['tools/*'] }))).toEqual([
      400,
      'INVALID_INPUT',
      ['constraints.acme/hello'],
    ]);
    expect((await patch(id, { packages: ['tools/*'], constraints: null })).status).toBe(200);
  });

  it.each([
    { packages: ['acme/*'], constraints: { 'Acme/Core': '<2', '*/core': '<3', '*': '<4', 'acme/c*': '<5' } },
    { packages: ['*'], constraints: { 'acme/core': '<2' } },
    { packages: ['*/core-*', 'a*/x'], constraints: { 'acme/core-x': '<2', '*e/*': '<3', 'ab*/*': '<2' } },
    { packages: null, constraints: { 'acme/helo': '<2' } },
  ])('may overlap: %j is accepted', async (fine) => {
    expect((await create(fine)).status).toBe(201);
  });

  it("stays valid in an older token until the token's packages are changed", async () => {
    const { id } = (await create({ packages: ['acme/hello'] })).json();
    const key = `token/${String(id)}`;
    const entry = await registry.state.get(key);
    await registry.state.commit({
      conditions: [],
      puts: [{ key, value: { ...(entry?.value as object), constraints: { 'acme/helo': '<2' } } }],
      deletes: [],
    });
    expect((await patch(id, { description: 'another' })).json()).toMatchObject({
      description: 'another',
      constraints: { 'acme/helo': '<2' },
    });
    expect(issuesOf(await patch(id, { packages: ['acme/*.x'] }))).toEqual([
      400,
      'INVALID_INPUT',
      ['constraints.acme/helo'],
    ]);
  });
});

describe('GET /api/tokens/{id}/explain', () => {
  it('the answer names the visible versions and the limit that hides each other one', async () => {
    const { id } = (
      await create({ packages: ['acme/*'], constraints: { 'acme/core': '<3.0' }, not_after: '2026-02-15' })
    ).json();
    expect((await explain(id, 'package=acme/core')).json()).toMatchObject({
      seen: true,
      reasons: [],
      versions: [
        { version: '3.0.0', seen: false, hidden_by: ['constraints', 'not_after'] },
        { version: '2.0.0', seen: true, hidden_by: [] },
        { version: '1.0.0', state: 'withdrawn', seen: true },
      ],
    });
    expect((await explain(id, 'package=acme/core&version=3.0')).json()).toMatchObject({
      seen: false,
      reasons: [{ code: 'constraints' }, { code: 'not_after' }],
      versions: [{ version: '3.0.0', released_at: '2026-03-01T00:00:00.000Z' }],
    });
    expect((await explain(id, 'package=acme/core&version=1.0.0')).json()).toMatchObject({
      seen: true,
      versions: [{ state: 'withdrawn' }],
    });
  });

  it('explain also answers for unknown packages, expired tokens and client addresses', async () => {
    const { id } = (
      await create({ packages: ['acme/*'], constraints: { '*': '<3.0' }, networks: ['203.0.113.0/24'] })
    ).json();
    expect((await explain(id, 'package=acme/core&version=9.0.0')).json()).toMatchObject({
      seen: false,
      reasons: [{ code: 'constraints' }, { code: 'not_published' }],
      versions: [{ version: '9.0.0', state: null, hidden_by: ['constraints'] }],
    });
    expect((await explain(id, 'package=acme/core&version=1.9.0')).json()).toMatchObject({
      seen: false,
      reasons: [{ code: 'not_published' }],
    });
    expect((await explain(id, 'package=other/thing')).json()).toMatchObject({
      seen: false,
      reasons: [{ code: 'packages' }, { code: 'not_published' }],
      versions: [],
    });
    expect((await explain(id, 'package=acme/core&from=198.51.100.1')).json()).toMatchObject({
      seen: false,
      reasons: [{ code: 'networks' }],
    });
    expect((await explain(id, 'package=acme/core&from=203.0.113.9')).json()).toMatchObject({ seen: true });
    await registry.call('DELETE', `/api/tokens/${String(id)}`, { as: admin });
    expect((await explain(id, 'package=acme/core')).json()).toMatchObject({
      seen: false,
      reasons: [{ code: 'revoked' }],
    });
  });

  it('an invalid package, an invalid address and a token of another maintainer are refused', async () => {
    const { id } = (await create({})).json();
    expect(issuesOf(await explain(id, 'package=nonsense'))).toEqual([400, 'INVALID_INPUT', ['package']]);
    const fromHome = await explain(id, 'package=acme/core&from=home');
    expect([issuesOf(fromHome), fromHome.body.toString().includes('an address such as')]).toEqual([
      [400, 'INVALID_INPUT', ['from']],
      true,
    ]);
    expect((await explain(id, 'package=acme/core', maintainer)).status).toBe(404);
  });
});
