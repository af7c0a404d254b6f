// Tests the list of projects and what each one runs, who learns of it, and two reports of one project at the same
// moment: the packages of one of them are left.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { advisoryListsPath, formatAdvisoryLists } from '../../../build/contract/advisory-lists.ts';
import type { PackageName } from '../../../build/contract/name.ts';
import { reportProject } from '../../../proxy/usage/projects.ts';
import { HandMadeTree, zipBytes } from '../../util/hand-made-tree.ts';
import { runManagement } from '../../util/running-management.ts';

const release = (version: string) => ({ version, normalized: `${version}.0`, zip: zipBytes(version) });

/** The call, answered after those that began before. */
const inTurn =
  <Given extends unknown[], Result>(call: (...given: Given) => Promise<Result>) =>
  async (...given: Given): Promise<Result> => {
    await new Promise(setImmediate);
    return call(...given);
  };

it.each([
  ['two versions of a package', { name: 'acme/core', version: '1.0.0' }],
  ['two packages', { name: 'acme/tool', version: '1.0.0' }],
])('of reports of %s, one is left', async (_, other) => {
  await using registry = await runManagement();
  const tree = new HandMadeTree(registry.data);
  tree.put('acme/core', [release('1.0.0'), release('2.0.0')]);
  tree.put('acme/tool', [release('1.0.0')]);
  tree.publish();
  const { state, services } = registry;
  const slow = { ...state, get: inTurn(state.get), range: inTurn(state.range), commit: inTurn(state.commit) };
  const by = { caller: { kind: 'operator', actor: 'cli:test' }, nowMs: Date.now() } as const;
  const report = (used: typeof other) =>
    reportProject({ ...services, state: slow }, { name: 'shop', locked: [used] }, by);
  for (let time = 0; time < 5; time += 1) {
    await Promise.all([{ name: 'acme/core', version: '2.0.0' }, other].map(report));
    const rows = await state.range('used/');
    expect(rows.flatMap(({ value }) => Object.keys((value as { versions: object }).versions))).toHaveLength(1);
  }
});

it('projects are listed with what they run, and a maintainer learns of their own, in packages that they see', async () => {
  await using registry = await runManagement();
  const tree = new HandMadeTree(registry.data);
  tree.put('acme/core', [release('1.0.0'), release('2.0.0')]);
  tree.put('other/tool', [release('1.0.0')]);
  tree.publish();
  const [packageName, affectedVersions] = ['acme/core' as PackageName, '<2.0.0'];
  const advisory = {
    advisoryId: 'A-1',
    packageName,
    affectedVersions,
    title: 'Greets',
    reportedAt: '2026-03-01',
    sources: [],
  };
  const lists = {
    advised: true,
    filters: [],
    packages: new Map([[packageName, { advisories: [advisory], filter: {} }]]),
  };
  writeFileSync(join(registry.data, 'index', advisoryListsPath), formatAdvisoryLists(lists));
  const [{ token: admin }, viewer, maintainer] = [
    await registry.signIn('admin'),
    await registry.signIn('viewer'),
    await registry.signIn('maintainer'),
  ];
  const get = (path: string, as = admin) => registry.call('GET', `/api/projects${path}`, { as });
  const report = async (as: string, name: string, ...packages: readonly object[]): Promise<string> => {
    const draft = { as, body: { description: name, kind: 'read' } };
    const token = String((await registry.call('POST', '/api/tokens', draft)).json()['token']);
    await registry.call('POST', `/api/projects?project=${name}`, { as: token, body: { packages } });
    return token;
  };
  const tool = { name: 'other/tool', version: '1.0.0' };
  const token = await report(maintainer.token, 'shop', { name: 'acme/core', version: '1.0.0' }, tool);
  await report(admin, 'Blog', { name: 'acme/core', version: '2.0.0' });
  type Item = Readonly<Record<string, unknown>>;
  const itemsOf = async (path: string, as?: string) => (await get(path, as)).json()['data'] as readonly Item[];

  const [blog, shop] = await itemsOf('');
  expect(blog).toMatchObject({ name: 'Blog', packages: 1, exposed: 0, created_by: expect.stringMatching(/^user:/) });
  expect(shop).toMatchObject({ name: 'shop', packages: 2, exposed: 1, reported_on: expect.stringMatching(/^\d{4}-/) });
  expect((await itemsOf('?q=HO')).map(({ name }) => name)).toEqual(['shop']);
  const first = (await get('?limit=1')).json();
  expect(first['data']).toEqual([blog]);
  expect((await get(`?limit=1&cursor=${String(first['next_cursor'])}`)).json()).toEqual({
    data: [shop],
    next_cursor: null,
  });
  const path = `/${String(shop?.['id'])}`;
  expect((await get(path)).json()).toEqual({
    project: shop,
    data: [
      { package: 'acme/core', version: '1.0.0', state: 'advisory', fixed_in: '2.0.0' },
      { package: 'other/tool', version: '1.0.0', state: 'supported', fixed_in: null },
    ],
    next_cursor: null,
  });
  const one = (await get(`${path}?limit=1`)).json();
  expect((await itemsOf(`${path}?cursor=${String(one['next_cursor'])}`)).map((run) => run['package'])).toEqual([
    'other/tool',
  ]);

  expect(await itemsOf('', maintainer.token)).toEqual([shop]);
  for (const id of [String(blog?.['id']), 'prj_none', '..%2Fx'])
    expect([id, (await get(`/${id}`, maintainer.token)).status]).toEqual([id, 404]);
  for (const as of [viewer.token, token]) for (const at of ['', path]) expect((await get(at, as)).status).toBe(403);
  const members = [maintainer.email];
  await registry.call('POST', '/api/teams', { as: admin, body: { name: 'A', packages: ['acme/*'], members } });
  const seen = (await get(path, maintainer.token)).json();
  expect(seen).toMatchObject({ project: { packages: 1, exposed: 1 }, data: [{ package: 'acme/core' }] });
  expect(JSON.stringify(seen)).not.toContain('other');
});

it('two limited tokens of one person have a project each, named by the description of the token', async () => {
  await using registry = await runManagement();
  const tree = new HandMadeTree(registry.data);
  tree.put('acme/core', [release('1.0.0')]);
  tree.publish();
  const { token: as } = await registry.signIn('admin');
  for (const description of ['CI of the shop', 'CI of the fork']) {
    const body = { description, kind: 'read', packages: ['acme/*'] };
    const made = (await registry.call('POST', '/api/tokens', { as, body })).json();
    const report = { as: String(made['token']), body: { packages: [{ name: 'acme/core', version: '1.0.0' }] } };
    await registry.call('POST', '/api/projects?project=shop', report);
  }
  const list = (await registry.call('GET', '/api/projects', { as })).json()['data'] as Record<string, unknown>[];
  expect(list.map(({ reporter }) => reporter).sort()).toEqual(['CI of the fork', 'CI of the shop']);
});

it('two people have a project of one name each; two reports of one person are one project', async () => {
  await using registry = await runManagement();
  const tree = new HandMadeTree(registry.data);
  tree.put('acme/core', [release('1.0.0'), release('2.0.0')]);
  tree.publish();
  const [{ token: admin }, maintainer] = [await registry.signIn('admin'), await registry.signIn('maintainer')];
  const report = async (as: string, version: string): Promise<void> => {
    const made = await registry.call('POST', '/api/tokens', { as, body: { description: 'CI', kind: 'read' } });
    const body = { packages: [{ name: 'acme/core', version }] };
    await registry.call('POST', '/api/projects?project=shop', { as: String(made.json()['token']), body });
  };
  for (const as of [admin, maintainer.token]) for (const version of ['1.0.0', '2.0.0']) await report(as, version);
  const projects = (await registry.call('GET', '/api/projects', { as: admin })).json()['data'] as Project[];
  expect(projects.map(({ name }) => name)).toEqual(['shop', 'shop']);
  expect(new Set(projects.flatMap(({ id, created_by: author }) => [id, author])).size).toBe(4);
  const usage = await registry.call('GET', '/api/packages/acme/core/usage', { as: admin });
  expect((usage.json()['data'] as { version: string }[]).map(({ version }) => version)).toEqual(['2.0.0', '2.0.0']);
  expect(usage.json()).toMatchObject({ projects: 2 });
});

interface Project {
  readonly id: string;
  readonly name: string;
  readonly created_by: string;
}
