// Tests what a server does for a person through the program: rollbacks with a preview, restorations, the findings of
// doctor, and what a withdrawal would break.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PackageName } from '../../build/contract/name.ts';
import { createRestorations, type Restorations } from '../../proxy/packages/restorations.ts';
import { createChildWithdrawer } from '../../proxy/packages/version-withdrawer.ts';
import { createWithdrawals, type Withdrawals } from '../../proxy/packages/withdrawals.ts';
import { auditEventPrefix, createAuditedStore } from '../../proxy/state/audit.ts';
import { inspectedRegistry, type InspectedRegistry } from '../util/inspected-registry.ts';
import { below } from '../util/package-tree.ts';
import { whoLibrary } from '../util/who-library.ts';
import { describeInSeries, itInSeries } from '../util/series.ts';

const hello = 'acme/hello' as PackageName;
const ada = 'user:usr_ada';
let registry: InspectedRegistry;
let withdrawals: Withdrawals;
let restorations: Restorations;

beforeAll(async () => {
  registry = await inspectedRegistry(below('packages/one', whoLibrary('acme/hello', '1.0.0')));
  await build();
  put('two', whoLibrary('acme/hello', '1.1.0'));
  put('dev', whoLibrary('acme/hello', 'dev-main', { extra: { 'branch-alias': { 'dev-main': '1.2.x-dev' } } }));
  put('shop', whoLibrary('acme/shop', '1.0.0', { require: { 'acme/hello': '^1.0' } }));
  put('shop2', whoLibrary('acme/shop', '1.0.1', { require: { 'Acme/Hello': '^1.0' } }));
  put('blog', whoLibrary('acme/blog', '3.0.0', { require: { 'acme/hello': '~1.1.0' } }));
  put('next', whoLibrary('acme/next', '1.0.0', { require: { 'acme/hello': '^1.1' } }));
  put('old', whoLibrary('acme/old', '1.0.0', { require: { 'acme/hello': '1.0.*' } }));
  put('like', whoLibrary('acme/like', '1.0.0', { provide: { 'acme/hello': '1.1' } }));
  await build();
  const { state, runner } = registry;
  const store = createAuditedStore({ store: state, now: Date.now });
  withdrawals = createWithdrawals({ store, actor: ada, withdrawer: createChildWithdrawer(runner, ada) });
  restorations = createRestorations({ runner, withdrawals, actor: ada });
});
afterAll(() => registry.tree.remove());

const put = (folder: string, tree: ReturnType<typeof whoLibrary>): void =>
  registry.tree.write(below(`packages/${folder}`, tree));
const build = async (): Promise<void> =>
  void expect(await registry.run('build', 'packages', '--data', 'data')).toMatchObject({ exitCode: 0 });
const published = async (version: string): Promise<boolean> =>
  (await registry.inspection.why.explain(hello, version)).published;
const lastBy = async (): Promise<unknown> =>
  (await registry.inspection.publications.list({ limit: 1 })).publications[0]?.by;
const events = async (): Promise<readonly unknown[]> =>
  (await registry.state.range(auditEventPrefix)).map(({ value }) => value);

describe('what a withdrawal would break', () => {
  it('names the dependents, and the version that remains for each', async () => {
    expect(await registry.inspection.impact.read(hello, '1.1.0')).toEqual({
      name: 'acme/hello',
      version: '1.1.0',
      left: 2,
      affected: [
        { name: 'acme/blog', versions: ['3.0.0'], constraint: '~1.1.0', otherwise: null },
        // dev-main is 1.2.x-dev, which is less stable
        { name: 'acme/next', versions: ['1.0.0'], constraint: '^1.1', otherwise: null },
        { name: 'acme/shop', versions: ['1.0.1', '1.0.0'], constraint: '^1.0', otherwise: '1.0.0' },
      ],
      providers: ['acme/like'],
      unreadable: [],
      not_examined: 0,
    });
  });

  itInSeries('counts the branch alias of a dev version, and a more stable version in its place', async () => {
    const { affected } = await registry.inspection.impact.read(hello, 'dev-main');
    expect(affected).toEqual([
      { name: 'acme/next', versions: ['1.0.0'], constraint: '^1.1', otherwise: '1.1.0' },
      { name: 'acme/shop', versions: ['1.0.1', '1.0.0'], constraint: '^1.0', otherwise: '1.1.0' },
    ]);
  });

  it('is unknown for a version that is not published', async () => {
    await expect(registry.inspection.impact.read(hello, '7.0.0')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('a rollback', () => {
  it('is shown first, then done, recorded and audited for the person', async () => {
    const rollbacks = registry.inspection.rollbacksOf(ada);
    const plan = await rollbacks.preview(1);
    expect(plan).toMatchObject({ published: false, serial: 2, rollback_to: 1 });
    expect(plan.withdrawn.filter(({ name }) => name === hello).map(({ version }) => version)).toEqual(
      expect.arrayContaining(['1.1.0', 'dev-main']),
    );
    expect([await published('1.1.0'), await events()]).toEqual([true, []]);
    expect(await rollbacks.rollBack(1)).toEqual({ ...plan, serial: 3, published: true });
    expect(await published('1.1.0')).toBe(false);
    const [last] = (await registry.inspection.publications.list({ limit: 1 })).publications;
    expect(last).toMatchObject({ serial: 3, rollback_to: 1, by: { actor: ada, command: 'rollback' } });
    expect(await events()).toMatchObject([
      { actor: ada, action: 'publication.rollback', subject: '3', details: { rollback_to: 1, withdrawn: 8 } },
    ]);
    await rollbacks.rollBack(2);
    expect(await published('1.1.0')).toBe(true);
  });

  itInSeries('says why it is impossible', async () => {
    const { preview, rollBack } = registry.inspection.rollbacksOf(ada);
    const refusal = { code: 'CONFLICT', message: expect.stringContaining('There is no publication 99 yet') };
    await expect(preview(99)).rejects.toMatchObject(refusal);
    await expect(rollBack(99)).rejects.toMatchObject(refusal);
  });
});

describe('the restoration of a withdrawn version', () => {
  it('publishes the version again, for the person', async () => {
    await withdrawals.withdraw(hello, '1.1.0');
    expect(await published('1.1.0')).toBe(false);
    expect(await lastBy()).toEqual({ actor: ada, command: 'package withdraw' });
    expect(await restorations.restore(hello, '1.1.0')).toEqual({ serial: expect.any(Number), problems: [] });
    expect(await published('1.1.0')).toBe(true);
    expect((await events()).at(-1)).toMatchObject({ actor: ada, action: 'package.restore', subject: hello });
    expect(await lastBy()).toEqual({ actor: ada, command: 'package restore' });
  });

  it.each(['1.1.0', '9.9.9', '--data'])('refuses %s, which was not withdrawn', async (version) => {
    await expect(restorations.restore(hello, version)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

describeInSeries('the health of a registry', () => {
  it('is what doctor finds, with the time of the last check', async () => {
    const { health } = registry.inspection;
    expect(health.last()).toBeUndefined();
    const [one, other] = await Promise.all([health.check(), health.check()]);
    expect(one).toEqual({ ...other, checked_at: one.checked_at });
    expect(one.findings.find(({ check }) => check === 'tree')).toMatchObject({ verdict: 'ok', advice: null });
    expect(health.last()?.findings).toEqual(one.findings);
    const { checks } = await registry.json('doctor');
    expect(one.findings.map(({ check }) => check)).toEqual((checks as { check: string }[]).map(({ check }) => check));
  });

  it('covers the settings that the server has from its flags', async () => {
    const { inspection, tree } = await inspectedRegistry({}, { redis: 'redis://127.0.0.1:1/' });
    const { ok, findings } = await inspection.health.check();
    expect([ok, findings.find(({ check }) => check === 'redis')]).toMatchObject([false, { verdict: 'failed' }]);
    tree.remove();
  });
});
