// Tests two reports of one project at the same moment: the packages of one of them are left.

import { expect, it } from 'vitest';
import { reportProject } from '../../../proxy/usage/report-project.ts';
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
