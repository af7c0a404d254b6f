// Tests the operations on the policy about versions over a socket, on a tree that the real builder built: reading,
// changing, checking, trying and explaining it.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { PackageName } from '../../../build/contract/name.ts';
import { createHits } from '../../../proxy/policy/apply/hits.ts';
import { createAuditedStore } from '../../../proxy/state/audit.ts';
import { demandCompiled } from '../../setup/compiled.ts';
import { below, libraryTree, temporaryTree, type TemporaryTree } from '../../util/package-tree.ts';
import { runCli } from '../../util/run-cli.ts';
import { runManagement, type RunningManagement } from '../../util/running-management.ts';
import type { Reply } from '../../util/running-proxy.ts';

let registry: RunningManagement;
let sources: TemporaryTree;
let admin = '';
let reader = '';

beforeAll(demandCompiled);
beforeAll(async () => {
  registry = await runManagement({ now: () => Date.parse('2026-11-27T10:00:00Z') });
  admin = (await registry.signIn('admin')).token;
  reader = await registry.createToken('read');
  sources = temporaryTree({
    ...below('src/one', libraryTree('acme/hello', { version: '1.0.0', license: 'MIT' })),
    ...below('src/two', libraryTree('acme/hello', { version: '1.1.0', license: 'GPL-3.0-only' })),
    ...below('src/branch', libraryTree('acme/hello', { version: 'dev-feature/x', license: 'GPL-3.0-only' })),
    ...below('src/old', libraryTree('acme/old', { version: '2.0.0', license: 'MIT', abandoned: 'acme/hello' })),
  });
  const { exitCode, stderr } = await runCli(['build', 'src', '--data', registry.data], { cwd: sources.root });
  if (exitCode > 1) throw new Error(stderr);
});
afterEach(async () => {
  await replace({ rules: [] });
});
afterAll(async () => {
  await registry[Symbol.asyncDispose]();
  sources.remove();
});

const mit = { rule: 'license', name: 'licences', action: 'block', allow: ['MIT'] };
const abandoned = { rule: 'abandoned', name: 'abandoned', action: 'warn' };
const exception = {
  rule: 'licences',
  packages: ['acme/hello'],
  versions: '1.1.0',
  owner: 'ada@example.org',
  reason: 'The licence changes in 1.2.',
  until: '2026-12-31',
};

const get = (path: string, as = admin): Promise<Reply> => registry.call('GET', path, { as });
const post = (path: string, body: unknown, as = admin): Promise<Reply> => registry.call('POST', path, { as, body });
const replace = (body: object, as = admin): Promise<Reply> => registry.call('PUT', '/api/policy', { as, body });
const issuesOf = (reply: Reply): unknown => (reply.json()['details'] as { readonly issues: unknown }).issues;

describe('the policy over HTTP', () => {
  it('is empty at first, and shows what was stored', async () => {
    expect((await get('/api/policy')).json()).toEqual({
      rules: [],
      exceptions: [],
      rules_of_settings: [],
      revision: expect.any(String),
      file: null,
      fault: null,
    });
    const stored = await replace({ rules: [mit, abandoned], exceptions: [exception] });
    expect([stored.status, stored.json()]).toEqual([
      200,
      expect.objectContaining({ rules: [mit, abandoned], exceptions: [exception] }),
    ]);
    expect((await get('/api/policy')).json()).toEqual(stored.json());
  });

  it('a change that is based on another policy than the stored one is refused, and changes nothing', async () => {
    const { revision } = (await get('/api/policy')).json();
    expect((await replace({ rules: [mit], revision })).status).toBe(200);
    const late = await replace({ rules: [abandoned], revision });
    expect([late.status, late.json()['code']]).toEqual([400, 'CONFLICT']);
    expect((await get('/api/policy')).json()['rules']).toEqual([mit]);
  });

  it('faults are named with their place, and change nothing', async () => {
    const faulty = {
      rules: [
        { ...mit, allow: [] },
        { ...abandoned, nme: 1 },
      ],
    };
    const refused = await replace(faulty);
    expect([refused.status, issuesOf(refused)]).toEqual([
      400,
      [
        { path: 'rules[0].allow', message: expect.any(String) },
        { path: 'rules[1].nme', message: expect.stringContaining('Correct its spelling') },
      ],
    ]);
    const twice = await replace({ rules: [mit, mit] });
    expect([twice.status, issuesOf(twice)]).toEqual([
      400,
      [{ path: 'rules[1].name', message: expect.stringContaining('rules[0]') }],
    ]);
    const tried = await post('/api/policy/test', faulty);
    expect([tried.status, issuesOf(tried)]).toEqual([400, issuesOf(refused)]);
    expect((await get('/api/policy')).json()['rules']).toEqual([]);
  });

  it('a check answers with the faults of any JSON object, or with the difference', async () => {
    for (const faulty of [{}, { rules: [{ rule: 'nonsense' }] }, { rules: 7 }]) {
      const { issues, difference } = (await post('/api/policy/check', faulty)).json();
      expect([issues, difference]).toEqual([[expect.objectContaining({ path: expect.stringMatching(/^rules/) })], []]);
    }
    await replace({ rules: [mit, abandoned] });
    const checked = await post('/api/policy/check', { rules: [{ ...mit, allow: ['MIT', 'BSD-*'] }] });
    expect(checked.json()).toMatchObject({
      issues: [],
      difference: [
        { change: 'changed', rule: { name: 'licences', allow: ['MIT', 'BSD-*'] }, before: mit },
        { change: 'removed', rule: abandoned },
      ],
    });
    expect((await get('/api/policy')).json()['rules']).toEqual([mit, abandoned]);
  });

  it('explains each version by its rules, with the exception that holds', async () => {
    await replace({ rules: [mit, abandoned] });
    const explain = async (name: string, version: string) =>
      (await get(`/api/packages/${name}/versions/${encodeURIComponent(version)}/policy`)).json();
    expect(await explain('acme/hello', '1.0.0')).toMatchObject({
      outcome: 'offered',
      findings: [],
      passed: ['licences', 'abandoned'],
    });
    expect(await explain('acme/hello', '1.1.0')).toMatchObject({
      outcome: 'blocked',
      findings: [{ rule: 'licences', because: expect.stringContaining('GPL-3.0-only'), exception: null }],
    });
    expect(await explain('acme/hello', 'dev-feature/x')).toMatchObject({ outcome: 'blocked' });
    expect(await explain('acme/old', '2.0.0')).toMatchObject({ outcome: 'offered', findings: [{ action: 'warn' }] });
    await replace({ rules: [mit, abandoned], exceptions: [exception] });
    expect(await explain('acme/hello', '1.1.0')).toMatchObject({ outcome: 'offered', findings: [{ exception }] });
    const unknown = await get('/api/packages/acme/hello/versions/9.9.9/policy');
    expect([unknown.status, unknown.json()['code']]).toEqual([404, 'NOT_FOUND']);
  });

  it('the details of a package name the rule that blocks each version, but not rules about tokens', async () => {
    const blocked = async (as: string): Promise<unknown> =>
      ((await get('/api/packages/acme/hello', as)).json()['versions'] as { version: string; blocked_by: unknown }[])
        .map(({ version, blocked_by }) => `${version} ${String(blocked_by)}`)
        .toSorted();
    const all = (rule: string): string[] => [`1.0.0 null`, `1.1.0 ${rule}`, `dev-feature/x ${rule}`];
    expect(await blocked(reader)).toEqual(all('null'));
    await replace({ rules: [mit] });
    expect([await blocked(reader), await blocked(admin)]).toEqual([all('licences'), all('licences')]);
    await replace({ rules: [{ ...mit, action: 'warn' }] });
    expect(await blocked(reader)).toEqual(all('null'));
    const id = String((await post('/api/tokens', { description: 'CI', kind: 'read' })).json()['id']);
    await replace({ rules: [{ ...mit, tokens: [id] }] });
    expect(await blocked(reader)).toEqual(all('null'));
  });

  it('a trial counts what the rules would concern, and changes nothing', async () => {
    await registry.services.downloads.count('acme/hello', '1.1.0');
    const tested = (await post('/api/policy/test', { rules: [mit, abandoned] })).json();
    expect(tested).toMatchObject({
      examined: 4,
      counts: [
        { rule: 'licences', action: 'block', versions: 2, used: 1 },
        { rule: 'abandoned', action: 'warn', versions: 1, used: 0 },
      ],
    });
    expect((tested['versions'] as { version: string; used: number; already: boolean }[])[0]).toMatchObject({
      name: 'acme/hello',
      version: '1.1.0',
      rule: 'licences',
      used: 1,
      already: false,
    });
    expect((await get('/api/policy')).json()['rules']).toEqual([]);
  });

  it('first hits are listed in pages, newest first', async () => {
    const now = (): number => Date.parse('2026-11-27T10:00:00Z');
    const hits = createHits({
      store: createAuditedStore({ store: registry.state, now }),
      onError: (error) => expect(error).toBeUndefined(),
      onDropped: (count) => expect(count).toBe(0),
    });
    for (const minute of [0, 1, 1, 2].entries())
      hits.note({
        rule: 'licences',
        action: 'block',
        name: 'acme/hello' as PackageName,
        version: `1.${minute[0]}.0`,
        normalized: `1.${minute[0]}.0.0`,
        released_ms: null,
        because: 'its licence is GPL-3.0-only',
        token: null,
        at: `2026-11-27T09:0${minute[1]}:00.000Z`,
      });
    await hits.settled();
    const seen: string[] = [];
    let cursor = '';
    for (;;) {
      const page = (await get(`/api/policy/hits?limit=1${cursor}`)).json();
      seen.push(...(page['data'] as { at: string; version: string }[]).map(({ at, version }) => `${at} ${version}`));
      if (page['next_cursor'] === null) break;
      cursor = `&cursor=${String(page['next_cursor'])}`;
    }
    expect(new Set(seen).size).toBe(4);
    expect(seen.map((one) => one.slice(14, 16))).toEqual(['02', '01', '01', '00']);
  });

  it('a maintainer asks for their own tokens, and gets 404 for the token of somebody else', async () => {
    const { token: maintainer } = await registry.signIn('maintainer');
    const draft = { description: 'CI', kind: 'read' };
    const idOf = (reply: Reply): string => String(reply.json()['id']);
    const [own, foreign] = [idOf(await post('/api/tokens', draft, maintainer)), idOf(await post('/api/tokens', draft))];
    const asked = async (id: string, as: string): Promise<number> =>
      (await get(`/api/packages/acme/hello/versions/1.0.0/policy?token=${id}`, as)).status;
    expect([await asked(own, maintainer), await asked(foreign, maintainer), await asked(foreign, admin)]).toEqual([
      200, 404, 200,
    ]);
  });

  it('an unknown feed and an unknown token are told', async () => {
    const feed = await post('/api/policy/feeds/none/accept', undefined);
    expect([feed.status, feed.json()['code']]).toEqual([404, 'NOT_FOUND']);
    expect((await get('/api/policy/feeds')).json()).toEqual({ data: [] });
    const token = await get('/api/packages/acme/hello/versions/1.0.0/policy?token=tok_none');
    expect([token.status, token.json()['code']]).toEqual([404, 'NOT_FOUND']);
  });
});
