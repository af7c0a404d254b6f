// Tests the inbox of webhooks on every kind of state, with three processes on one state (row 91): each delivery counts
// once, a stored one asks for a sync, and nothing grows without an end.

import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { HookInbox, NormalizedCloneUrl, ReceivedDelivery } from '../../proxy/hooks/inbox.ts';
import { createHooks } from '../../proxy/hooks/hooks.ts';
import { sharedHook } from '../../proxy/hooks/hook-record.ts';
import { openInbox } from '../../proxy/hooks/open-inbox.ts';
import { createKeyRing } from '../../proxy/keys/key-ring.ts';
import { createSealer } from '../../proxy/keys/sealer.ts';
import { createAuditedStore } from '../../proxy/state/audit.ts';
import { openLmdbStore } from '../../proxy/state/lmdb-store.ts';
import { createMemoryStore } from '../../proxy/core/state/memory-store.ts';
import { openRedisStore } from '../../proxy/state/redis-store.ts';
import type { StateStore } from '../../proxy/core/state/state-store.ts';
import { parsePendingSync } from '../../proxy/sync/pending-sync.ts';
import { repositoryKey, type RepositoryId } from '../../proxy/sync/repository.ts';
import { startRedis, type RedisServer } from '../util/redis-server.ts';
import { temporaryFolder } from '../util/temporary-folder.ts';
import { lacks } from '../util/tool.ts';

const hours = 3_600_000;
const id = (number: number): RepositoryId => `repo_${String(number).padStart(16, '0')}` as RepositoryId;

function describeInbox(
  name: string,
  open: () => Promise<{ readonly stores: readonly StateStore[]; readonly remove: () => Promise<void> }>,
): void {
  describe(name, () => {
    let opened: Awaited<ReturnType<typeof open>>;
    let nowMs = Date.parse('2026-11-23T23:59:59Z');
    let inboxes: readonly HookInbox[] = [];
    let asked = 0;
    const folder = temporaryFolder('hook-inbox');
    const sealer = createSealer(
      createKeyRing({ folder: folder.at('keys'), now: () => nowMs, randomBytes }),
      randomBytes,
    );
    const state = (): StateStore => opened.stores[0]!;
    const hooks = () => {
      const store = createAuditedStore({ store: state(), now: () => nowMs });
      return createHooks({ store, sealer, now: () => nowMs, randomBytes, actor: 'cli:test' });
    };

    beforeAll(async () => {
      opened = await open();
      const takePending = (): void => void (asked += 1);
      inboxes = opened.stores.map((store) =>
        openInbox({ state: store, sealer, now: () => nowMs, randomBytes, takePending }),
      );
    });
    afterAll(async () => {
      await opened.remove();
      await folder.remove();
    });

    const register = async (number: number, url = `https://git.example.org/acme/tool-${number}.git`): Promise<void> => {
      const at = new Date(nowMs).toISOString();
      const value = { id: id(number), type: 'git', url, filters: {}, credentials: null, credentials_kind: null };
      const record = { ...value, interval: null, created_at: at, created_by: 'cli:test', updated_at: at };
      await state().commit({ conditions: [], puts: [{ key: repositoryKey(id(number)), value: record }], deletes: [] });
    };
    const push = (number: number, delivery: string): ReceivedDelivery => ({
      hook: { of: 'repository', id: id(number) },
      provider: 'github',
      id: delivery,
      event: 'push',
      concerns: [id(number)],
      outcome: 'sync',
    });
    const pending = async () =>
      (await state().range('hook-pending/')).map(({ value }) => parsePendingSync(value).repository_id);

    it('of three processes that get one delivery at the same moment, one takes it', async () => {
      await register(1);
      const taken = await Promise.all([0, 1, 2, 0, 1, 2].map((at) => inboxes[at]!.receive(push(1, 'one'))));
      expect(taken.toSorted()).toEqual(['accepted', ...Array.from({ length: 5 }, () => 'repeated')]);
      expect(await pending()).toEqual([id(1)]);
      expect(asked).toBe(1);
    });

    it('a delivery is repeated for 24 hours, also over midnight, and new afterwards', async () => {
      await register(2);
      const [first, second] = [inboxes[0]!, inboxes[1]!];
      expect(await first.receive(push(2, 'midnight'))).toBe('accepted');
      nowMs += 24 * hours - 1;
      expect(await second.receive(push(2, 'midnight'))).toBe('repeated');
      nowMs += 1;
      expect(await second.receive(push(2, 'midnight'))).toBe('accepted');
    });

    it('the clock of another host may be behind: a delivery of its tomorrow is repeated', async () => {
      await register(3);
      nowMs = Date.parse('2026-11-26T00:00:01Z');
      expect(await inboxes[0]!.receive(push(3, 'ahead'))).toBe('accepted');
      nowMs = Date.parse('2026-11-25T23:59:58Z');
      expect(await inboxes[1]!.receive(push(3, 'ahead'))).toBe('repeated');
    });

    it('the same id is another delivery at another address, and from another provider', async () => {
      await Promise.all([register(4), register(5)]);
      const answers = [push(4, 'same'), push(5, 'same'), { ...push(4, 'same'), provider: 'gitlab' } as const];
      for (const delivery of answers) expect(await inboxes[0]!.receive(delivery)).toBe('accepted');
    });

    it('simultaneous deliveries for one repository all count, and leave one sync that waits', async () => {
      await register(6);
      const count = 30;
      const taken = await Promise.all(
        Array.from({ length: count }, (_, at) => inboxes[at % 3]!.receive(push(6, `burst ${at}`))),
      );
      expect(taken).toEqual(Array.from({ length: count }, () => 'accepted'));
      expect((await pending()).filter((one) => one === id(6))).toHaveLength(1);
    });

    it('a list keeps twenty deliveries, and old ids are forgotten bit by bit', async () => {
      await register(7);
      for (let at = 0; at < 25; at += 1) {
        nowMs += 1000;
        await inboxes[at % 3]!.receive(push(7, `kept ${at}`));
      }
      expect(await state().range(`hook-delivery/${id(7)}/`)).toHaveLength(20);
      const before = (await state().range('hook-seen/')).length;
      nowMs += 49 * hours;
      for (let at = 0; at < 25; at += 1) await inboxes[0]!.receive(push(7, `later ${at}`));
      expect(before).toBeGreaterThan(50);
      expect((await state().range('hook-seen/')).length).toBe(25);
    });

    it('a repository that was removed gets no sync', async () => {
      expect(await inboxes[0]!.receive({ ...push(8, 'removed'), hook: { of: 'registry' } })).toBe('accepted');
      expect(await pending()).not.toContain(id(8));
      const [row] = await state().range('hook-delivery/registry/', { reverse: true, limit: 1 });
      expect(row?.value).toMatchObject({ outcome: 'unknown repository', repositories: [] });
    });

    it('two secrets are valid during a rotation, the newer one first, and the former one ends after a day', async () => {
      await register(9);
      const hook = { of: 'repository', id: id(9) } as const;
      const valid = async (): Promise<string[]> => (await inboxes[2]!.secretsOf(hook)).map((secret) => secret.reveal());
      expect(await valid()).toEqual([]);
      const secrets: string[] = [];
      for (let round = 0; round < 3; round += 1) {
        nowMs += 1000;
        secrets.unshift((await hooks().issue(hook)).secret.reveal());
        expect(await valid()).toEqual(secrets.slice(0, 2));
      }
      expect(secrets[0]).toMatch(/^whsec_[0-9A-Za-z+/]{43}=$/);
      nowMs += 24 * hours;
      expect(await valid()).toEqual([secrets[0]]);
      const { secret } = await hooks().issue(hook, { dropOld: true });
      expect(await valid()).toEqual([secret.reveal()]);
      await hooks().remove(hook);
      expect(await valid()).toEqual([]);
    });

    it('each owner has secrets of its own for the address of all repositories', async () => {
      const own = (await hooks().issue(sharedHook)).secret.reveal();
      const other = (await hooks().issue({ of: 'registry', name: 'conn_0000000000000001' })).secret.reveal();
      const valid = async (): Promise<string[]> =>
        (await inboxes[1]!.secretsOf({ of: 'registry' })).map((secret) => secret.reveal()).toSorted();
      expect(await valid()).toEqual([own, other].toSorted());
      await hooks().remove(sharedHook);
      expect(await valid()).toEqual([other]);
    });

    it('repositories are found by their owner, whose name another one may begin with', async () => {
      await register(11, 'https://forge.example.org/acme/one.git');
      await register(12, 'git@forge.example.org:Acme/two.git');
      await register(13, 'https://forge.example.org/acme-labs/three.git');
      const below = async () => inboxes[1]!.repositoriesBelow('forge.example.org/acme' as NormalizedCloneUrl);
      await expect.poll(async () => (await below()).toSorted()).toEqual([id(11), id(12)]);
    });

    it('repositories are found by their clone address, also one that was registered later', async () => {
      const at = async (address: string) => inboxes[1]!.repositoriesAt([address as NormalizedCloneUrl]);
      expect(await at('git.example.org/acme/late')).toEqual([]);
      await register(10, 'ssh://git@git.example.org/acme/late.git');
      await expect.poll(() => at('git.example.org/acme/late')).toEqual([id(10)]);
    });
  });
}

describeInbox('memory', async () => {
  const store = createMemoryStore();
  return { stores: [store, store, store], remove: () => store.close() };
});

async function three(
  open: () => Promise<StateStore>,
): Promise<{ readonly stores: readonly StateStore[]; readonly remove: () => Promise<void> }> {
  const stores = [await open(), await open(), await open()];
  return { stores, remove: async () => void (await Promise.all(stores.map((store) => store.close()))) };
}

describe('in a folder', () => {
  const folder = temporaryFolder('hook-inbox-state');
  afterAll(() => folder.remove());
  describeInbox('LMDB', () => three(() => openLmdbStore(folder.at('state'))));
});

describe.skipIf(lacks('redis-server'))('with redis-server', () => {
  let redis: RedisServer;
  beforeAll(async () => void (redis = await startRedis()));
  afterAll(() => redis.stop());

  describeInbox('Redis', () =>
    three(() =>
      openRedisStore({
        url: redis.url,
        graceMs: 60_000,
        notice: () => undefined,
        monotonicMs: () => performance.now(),
      }),
    ),
  );
});
