// Tests the order of syncs: people first, then hooks, then the interval; two of one host; and a changed number.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { SyncSlots, type SyncTurn } from '../../../../proxy/sync/sync-queue.ts';

interface Rig {
  readonly slots: SyncSlots;
  /** the syncs that run, in the order in which they began */
  readonly running: readonly string[];
  readonly ask: (name: string, turn: SyncTurn) => void;
  readonly end: (name: string) => Promise<void>;
}

function rigOf(parallel: number): Rig {
  const slots = new SyncSlots();
  slots.resize(parallel);
  const running: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    slots,
    running,
    ask: (name, turn) =>
      void slots.use(turn, async () => {
        running.push(name);
        await new Promise<void>((end) => ends.set(name, end));
        running.splice(running.indexOf(name), 1);
      }),
    end: async (name) => {
      ends.get(name)?.();
      await nextTurn();
    },
  };
}

it('runs those that people ask for first, then those of hooks, then those that are due', async () => {
  const { ask, end, running } = rigOf(1);
  ask('first', { trigger: 'interval', host: 'a' });
  await nextTurn();
  ask('due', { trigger: 'interval', host: 'b' });
  ask('hook', { trigger: 'hook', host: 'c' });
  ask('hook 2', { trigger: 'hook', host: 'd' });
  ask('person', { trigger: 'request', host: 'e' });
  const order: string[] = [];
  for (let count = 0; count < 5; count += 1) {
    const [now = ''] = running;
    order.push(now);
    await end(now);
  }
  expect(order).toEqual(['first', 'person', 'hook', 'hook 2', 'due']);
});

it('runs two of one host, and passes over the others of it', async () => {
  const { ask, end, running } = rigOf(4);
  for (const name of ['a1', 'a2', 'a3']) ask(name, { trigger: 'request', host: 'a' });
  ask('b1', { trigger: 'interval', host: 'b' });
  await nextTurn();
  expect(running).toEqual(['a1', 'a2', 'b1']);
  await end('a1');
  expect(running).toEqual(['a2', 'b1', 'a3']);
});

it('begins more at once after the number was raised, and lets the running ones end after it was lowered', async () => {
  const { slots, ask, end, running } = rigOf(1);
  for (const name of ['a', 'b', 'c', 'd']) ask(name, { trigger: 'request', host: name });
  slots.resize(3);
  await nextTurn();
  expect(running).toEqual(['a', 'b', 'c']);
  slots.resize(1);
  await end('a');
  expect(running).toEqual(['b', 'c']);
  await end('b');
  await end('c');
  expect(running).toEqual(['d']);
});

it('has room for few hooks of one host, and for others behind them', async () => {
  const { slots, ask } = rigOf(3);
  for (let count = 0; count < 4; count += 1) {
    expect(slots.hasRoomForHook('a')).toBe(true);
    ask(`a${count}`, { trigger: 'hook', host: 'a' });
  }
  expect([slots.hasRoomForHook('a'), slots.hasRoomForHook('b')]).toEqual([false, true]);
});
