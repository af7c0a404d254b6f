// The contract of every state store, for any storage. state-store.test.ts runs it on each implementation.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonValue } from '../../build/contract/json.ts';
import type { StateChange, StateStore } from '../../proxy/core/state/state-store.ts';

export const put = (key: string, value: JsonValue): StateChange => ({
  conditions: [],
  puts: [{ key, value }],
  deletes: [],
});
const nothing: StateChange = { conditions: [], puts: [], deletes: [] };

export function describeStateStore(
  name: string,
  open: () => Promise<{ store: StateStore; remove: () => Promise<void> }>,
): void {
  describe(`state store: ${name}`, () => {
    let store: StateStore;
    let remove: () => Promise<void>;

    beforeEach(async () => {
      ({ store, remove } = await open());
    });

    afterEach(async () => {
      await store.close();
      await remove();
    });

    const revisionOf = async (key: string): Promise<number | null> => (await store.get(key))?.revision ?? null;
    const keys = async (...args: Parameters<StateStore['range']>): Promise<string[]> =>
      (await store.range(...args)).map((entry) => entry.key);

    describe('values', () => {
      it.each<[string, JsonValue]>([
        ['object', { a: [1, 'x', null, { b: true }] }],
        ['text', 'grüße\n"\u0000'],
        ['zero', 0],
        ['fraction', -1.5],
        ['false', false],
        ['null', null],
        ['empty', {}],
        ['large', 'x'.repeat(100_000)],
      ])('are read as they were written: %s', async (_name, value) => {
        expect(await store.commit(put('a/key', value))).toBe(true);
        expect((await store.get('a/key'))?.value).toEqual(value);
      });

      it('are absent before they are written and after they are deleted', async () => {
        expect(await store.get('a/key')).toBeUndefined();
        await store.commit(put('a/key', 1));
        await store.commit({ ...nothing, deletes: ['a/key', 'a/never-there'] });
        expect(await store.get('a/key')).toBeUndefined();
      });

      it('are copies: changing a written or read value does not change the store', async () => {
        const value = { list: [1] };
        await store.commit(put('a/key', value));
        value.list.push(2);
        const read = (await store.get('a/key'))?.value as unknown as { list: number[] };
        read.list.push(3);
        expect((await store.get('a/key'))?.value).toEqual({ list: [1] });
      });
    });

    describe('revisions', () => {
      it('change with every write and never return, not even after a delete', async () => {
        const seen = new Set<number | null>();
        for (let round = 0; round < 3; round += 1) {
          await store.commit(put('a/key', 1));
          seen.add(await revisionOf('a/key'));
          await store.commit({ ...nothing, deletes: ['a/key'] });
        }
        expect(seen.size).toBe(3);
      });

      it('of other keys stay as they are', async () => {
        await store.commit(put('a/one', 1));
        const before = await revisionOf('a/one');
        await store.commit(put('a/two', 1));
        expect(await revisionOf('a/one')).toBe(before);
      });
    });

    describe('a commit', () => {
      it('is applied when all its conditions hold', async () => {
        await store.commit(put('a/one', 1));
        const conditions = [
          { key: 'a/one', revision: await revisionOf('a/one') },
          { key: 'a/none', revision: null },
        ];
        expect(await store.commit({ conditions, puts: [{ key: 'a/two', value: 2 }], deletes: ['a/one'] })).toBe(true);
        expect(await keys('a/')).toEqual(['a/two']);
      });

      it('changes nothing when one condition fails', async () => {
        await store.commit(put('a/one', 1));
        const stale = await revisionOf('a/one');
        await store.commit(put('a/one', 2));
        const generation = store.generation();
        const writes = { puts: [{ key: 'a/two', value: 2 }], deletes: ['a/one'] };
        for (const condition of [
          { key: 'a/one', revision: stale },
          { key: 'a/one', revision: null },
          { key: 'a/none', revision: 1 },
        ]) {
          expect(await store.commit({ ...writes, conditions: [{ key: 'a/missing', revision: null }, condition] })).toBe(
            false,
          );
        }
        expect(await store.range('a/')).toMatchObject([{ key: 'a/one', value: 2 }]);
        expect(store.generation()).toBe(generation);
      });

      it('of conditions alone returns whether they hold', async () => {
        expect(await store.commit({ ...nothing, conditions: [{ key: 'a/none', revision: null }] })).toBe(true);
        expect(await store.commit({ ...nothing, conditions: [{ key: 'a/none', revision: 1 }] })).toBe(false);
      });

      it('that counts up loses no count when many run at once', async () => {
        const increment = async (): Promise<void> => {
          for (;;) {
            const entry = await store.get('a/count');
            const value = Number(entry?.value ?? 0) + 1;
            if (
              await store.commit({
                conditions: [{ key: 'a/count', revision: entry?.revision ?? null }],
                puts: [{ key: 'a/count', value }],
                deletes: [],
              })
            )
              return;
          }
        };
        await Promise.all(Array.from({ length: 20 }, increment));
        expect((await store.get('a/count'))?.value).toBe(20);
      });

      it.each(['', ' a', '!generation', 'a/ü', 'a/\n', `a/${'x'.repeat(600)}`])(
        'refuses the key %j and changes nothing',
        async (key) => {
          const change = {
            ...nothing,
            puts: [
              { key: 'a/fine', value: 1 },
              { key, value: 1 },
            ],
          };
          await expect(store.commit(change)).rejects.toThrow(TypeError);
          expect(await store.get('a/fine')).toBeUndefined();
        },
      );

      it('refuses to write a key twice', async () => {
        await expect(store.commit({ ...put('a/key', 1), deletes: ['a/key'] })).rejects.toThrow('a/key twice');
      });
    });

    describe('the generation', () => {
      it('rises with every commit, and only then', async () => {
        const seen = [store.generation()];
        await store.commit(put('a/key', 1));
        seen.push(store.generation());
        await store.commit({ ...nothing, deletes: ['a/key'] });
        seen.push(store.generation());
        expect(new Set(seen).size).toBe(3);
        await store.get('a/key');
        await store.range('');
        expect(store.generation()).toBe(seen[2]);
      });
    });

    describe('a quiet commit', () => {
      const quietly = (key: string, value: JsonValue): StateChange => ({ ...put(key, value), quiet: true });

      it('is applied like any other, and keeps the generation', async () => {
        const generation = store.generation();
        expect(await store.commit(quietly('a/key', 1))).toBe(true);
        const first = await revisionOf('a/key');
        expect(await store.commit(quietly('a/key', 2))).toBe(true);
        expect((await store.get('a/key'))?.value).toBe(2);
        expect(await revisionOf('a/key')).not.toBe(first);
        expect(await store.commit({ ...quietly('a/key', 3), conditions: [{ key: 'a/key', revision: first }] })).toBe(
          false,
        );
        expect(await store.commit({ ...nothing, deletes: ['a/key'], quiet: true })).toBe(true);
        expect(store.generation()).toBe(generation);
      });

      it('does not keep other commits from changing the generation', async () => {
        const seen = new Set([store.generation()]);
        for (let round = 0; round < 3; round += 1) {
          await store.commit(quietly('a/count', round));
          await store.commit(put('a/key', round));
          seen.add(store.generation());
          await store.commit(quietly('a/count', round));
          seen.add(store.generation());
        }
        expect(seen.size).toBe(4);
      });
    });

    describe('a range', () => {
      const all = ['a', 'a/1', 'a/10', 'a/2', 'a/~', 'a0', 'b/1'];

      beforeEach(async () => {
        for (const key of [...all].reverse()) await store.commit(put(key, { of: key }));
      });

      it('contains the keys with a prefix, in byte order, with values and revisions', async () => {
        expect(await keys('a/')).toEqual(['a/1', 'a/10', 'a/2', 'a/~']);
        expect(await keys('a/1')).toEqual(['a/1', 'a/10']);
        expect(await keys('c')).toEqual([]);
        expect(await store.range('b/')).toEqual([
          { key: 'b/1', value: { of: 'b/1' }, revision: await revisionOf('b/1') },
        ]);
      });

      it('with an empty prefix contains all keys', async () => {
        expect(await keys('')).toEqual(all);
      });

      it('continues after a key, whether the key exists or not', async () => {
        expect(await keys('a/', { after: 'a/1' })).toEqual(['a/10', 'a/2', 'a/~']);
        expect(await keys('a/', { after: 'a/11' })).toEqual(['a/2', 'a/~']);
        expect(await keys('a/', { after: 'a' })).toEqual(['a/1', 'a/10', 'a/2', 'a/~']);
        expect(await keys('a/', { after: 'b' })).toEqual([]);
      });

      it('can run backwards', async () => {
        expect(await keys('a/', { reverse: true })).toEqual(['a/~', 'a/2', 'a/10', 'a/1']);
        expect(await keys('a/', { reverse: true, after: 'a/2' })).toEqual(['a/10', 'a/1']);
        expect(await keys('a/', { reverse: true, after: 'b' })).toEqual(['a/~', 'a/2', 'a/10', 'a/1']);
        expect(await keys('a/', { reverse: true, after: 'a' })).toEqual([]);
      });

      it('ends at a limit', async () => {
        expect(await keys('a/', { limit: 2 })).toEqual(['a/1', 'a/10']);
        expect(await keys('a/', { limit: 2, reverse: true })).toEqual(['a/~', 'a/2']);
      });
    });

    it('fails with the reason when it is used after it was closed, and can be closed twice', async () => {
      await store.close();
      await store.close();
      await expect(store.get('a/key')).rejects.toMatchObject({ code: 'STATE_CLOSED' });
      await expect(store.commit(put('a/key', 1))).rejects.toMatchObject({ code: 'STATE_CLOSED' });
    });
  });
}
