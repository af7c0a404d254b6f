// Tests that the sync of a webhook is tried again after a fault that may end by itself, a few times, and from the state
// alone, so that a killed server forgets none. Faults that a person must mend are not tried again.

import { expect, it } from 'vitest';
import type { RepositoryId } from '../../../proxy/sync/repository.ts';
import { runManagement } from '../../util/running-management.ts';

type Json = Record<string, unknown>;

const seconds = 1000;
const unreachable =
  "libretto: unable to access 'https://git.example.org/acme/tool.git/': Could not resolve host: git.example.org. " +
  'Check the address and the network.';
const refused =
  "libretto: Authentication failed for 'https://git.example.org/acme/tool.git/'. Credentials are missing or were not " +
  'accepted: the request timed out before.';

async function startRig() {
  let nowMs = Date.UTC(2026, 10, 24, 12);
  const registry = await runManagement({ now: () => nowMs });
  const { token: as } = await registry.signIn('maintainer');
  const { inbox, builder, syncer } = registry.repositories;
  const body = { type: 'git', url: 'https://git.example.org/acme/tool.git' };
  const id = (await registry.call('POST', '/api/repositories', { as, body })).json()['id'] as RepositoryId;
  const failWith = (messages: string): void => builder.answer(() => ({ exitCode: 1, report: undefined, messages }));
  return {
    builder,
    failWith,
    push: async (delivery: string): Promise<void> => {
      const hook = { of: 'repository', id } as const;
      await inbox.receive({ hook, provider: 'github', id: delivery, event: 'push', concerns: [id], outcome: 'sync' });
      await syncer.idle();
    },
    /** What the schedule of any server does every ten seconds. */
    later: async (ms: number): Promise<number> => {
      nowMs += ms;
      syncer.takePending();
      await syncer.idle();
      return builder.calls.length;
    },
    rows: async (): Promise<readonly unknown[]> =>
      (await registry.state.range('hook-pending/')).map(({ value }) => value),
    result: async (): Promise<unknown> => {
      const { deliveries } = (await registry.call('GET', `/api/repositories/${id}/hook`, { as })).json();
      const [delivery = { syncs: [] }] = deliveries as readonly { readonly syncs: readonly Json[] }[];
      return delivery.syncs[0]?.['state'];
    },
    [Symbol.asyncDispose]: async () => {
      await syncer.close();
      await registry[Symbol.asyncDispose]();
    },
  };
}

it('after a fault that may end by itself it is tried again three times, ever later, and then no more', async () => {
  await using rig = await startRig();
  rig.failWith(unreachable);
  await rig.push('one');
  expect([rig.builder.calls.length, await rig.result()]).toEqual([1, 'waiting']);
  expect(await rig.rows()).toMatchObject([{ retry: { failures: 1, not_before: '2026-11-24T12:00:30.000Z' } }]);
  const tries: number[] = [];
  for (const wait of [29, 1, 119, 1, 599, 1, 3600]) tries.push(await rig.later(wait * seconds));
  expect(tries).toEqual([1, 2, 2, 3, 3, 4, 4]);
  expect([await rig.rows(), await rig.result()]).toEqual([[], 'failed']);
});

it('a success ends the tries, and a new push does not wait for them', async () => {
  await using rig = await startRig();
  rig.failWith(unreachable);
  await rig.push('one');
  await rig.push('two');
  expect(rig.builder.calls).toHaveLength(2);
  rig.builder.answer(() => ({ exitCode: 0, report: { added: [], changed: [], withdrawn: [] }, messages: '' }));
  expect(await rig.later(30 * seconds)).toBe(3);
  expect([await rig.rows(), await rig.result()]).toEqual([[], 'succeeded']);
  expect(await rig.later(3600 * seconds)).toBe(3);
});

it('after a fault that a person must mend it is not tried again', async () => {
  await using rig = await startRig();
  rig.failWith(refused);
  await rig.push('one');
  expect([await rig.rows(), await rig.result(), await rig.later(3600 * seconds)]).toEqual([[], 'failed', 1]);
});
