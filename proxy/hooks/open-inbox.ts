// The inbox on the state: a delivery, the syncs that it asks for, and the memory that it was received are one commit.
// What is answered with 202 is therefore durable, and each delivery counts once among all hosts.

import { KeyedSemaphore } from '../../build/shared/concurrency/keyed-semaphore.ts';
import type { RandomBytes } from '../../build/shared/text/base62.ts';
import type { Secret } from '../../build/shared/text/secret.ts';
import { UnreadableSecret, type Sealer } from '../keys/sealer.ts';
import type { StateChange, StateEntry, StateStore } from '../core/state/state-store.ts';
import { askSync, pendingKey } from '../sync/pending-sync.ts';
import { parseRepositoryRecord, repositoryKey, type RepositoryId, type RepositoryRecord } from '../sync/repository.ts';
import { deliveryKey, mintDeliveryId, surplusDeliveries, type HookDeliveryRecord } from './delivery.ts';
import { hookKey, hookPath, isValidAt, parseHookRecord, registryHookPrefix } from './hook-record.ts';
import type { HookAddress, HookInbox, HookSecret, ReceivedDelivery, NormalizedCloneUrl } from './inbox.ts';
import { seenChange } from './seen-deliveries.ts';
import { listRepositories } from '../sync/list-repositories.ts';
import { normalizeCloneUrl } from './clone-url.ts';

export interface InboxOptions {
  readonly state: StateStore;
  readonly sealer: Sealer;
  /** epoch milliseconds */
  readonly now: () => number;
  readonly randomBytes: RandomBytes;
  /** begins the syncs that are asked for */
  readonly takePending: () => void;
}

export function openInbox(options: InboxOptions): HookInbox {
  const { state, takePending } = options;
  // hooks for one repository would only make each other's commits fail
  const inTurn = new KeyedSemaphore(1);
  return {
    secretsOf: (hook) => secretsOf(options, hook),
    ...createRepositoriesAt(state),
    receive: async (delivery) => {
      const received = await inTurn.use(delivery.concerns[0] ?? hookPath(delivery.hook), () =>
        receive(options, delivery),
      );
      if (received === 'accepted' && delivery.concerns.length > 0) takePending();
      return received;
    },
  };
}

/** Leaves out secrets that do not open, as long as others do. Throws UnreadableSecret if none does. */
async function secretsOf({ state, sealer, now }: InboxOptions, hook: HookAddress): Promise<readonly HookSecret[]> {
  const entries = await hookRows(state, hook);
  const nowMs = now();
  const stored = entries.flatMap(({ key, value }) =>
    parseHookRecord(value)
      .secrets.filter((secret) => isValidAt(secret, nowMs))
      .map((secret) => ({ ...secret, key })),
  );
  const opened = stored
    .toSorted((one, other) => (one.created_at > other.created_at ? -1 : 1))
    .map(({ id, sealed, key }) => ({ id, secret: openedSecret(sealer, sealed, key) }));
  const readable = opened.flatMap(({ id, secret }) =>
    secret instanceof UnreadableSecret ? [] : [{ id, reveal: () => secret.reveal() }],
  );
  const lost = opened.map(({ secret }) => secret).find((secret) => secret instanceof UnreadableSecret);
  if (readable.length === 0 && lost !== undefined) throw lost;
  return readable;
}

function openedSecret(sealer: Sealer, sealed: string, key: string): Secret | UnreadableSecret {
  try {
    return sealer.unseal(sealed, key);
  } catch (error) {
    if (error instanceof UnreadableSecret) return error;
    throw error;
  }
}

async function hookRows(state: StateStore, hook: HookAddress): Promise<readonly StateEntry[]> {
  if (hook.of === 'registry') return state.range(registryHookPrefix);
  const entry = await state.get(hookKey(hook));
  return entry === undefined ? [] : [entry];
}

async function receive(options: InboxOptions, delivery: ReceivedDelivery): Promise<'accepted' | 'repeated'> {
  const { state, now, randomBytes } = options;
  const id = mintDeliveryId(randomBytes);
  for (;;) {
    const nowMs = now();
    const seen = await seenChange(state, delivery, nowMs);
    if (seen === 'repeated') return 'repeated';
    const registered = await registeredOf(state, delivery.concerns);
    const record = recordOf(id, delivery, registered, nowMs);
    const changes = [seen, await asking(state, registered, record), await keeping(state, delivery.hook, record)];
    if (await state.commit(merged(changes))) return 'accepted';
  }
}

interface Registered {
  readonly record: RepositoryRecord;
  readonly revision: number;
}

async function registeredOf(state: StateStore, ids: readonly RepositoryId[]): Promise<readonly Registered[]> {
  const entries = await Promise.all([...new Set(ids)].map((id) => state.get(repositoryKey(id))));
  return entries.flatMap((entry) =>
    entry === undefined ? [] : [{ record: parseRepositoryRecord(entry.value), revision: entry.revision }],
  );
}

function recordOf(
  id: string,
  { hook, provider, id: providerId, event, outcome, concerns }: ReceivedDelivery,
  registered: readonly Registered[],
  nowMs: number,
): HookDeliveryRecord {
  const isGone = concerns.length > 0 && registered.length === 0;
  return {
    id,
    hook: hook.of,
    provider,
    provider_id: providerId,
    event,
    outcome: isGone ? 'unknown repository' : outcome,
    received_at: new Date(nowMs).toISOString(),
    repositories: registered.map(({ record }) => record.id),
  };
}

/** The rows of the syncs that it asks for. A repository that is removed at this moment gets none. */
async function asking(
  state: StateStore,
  registered: readonly Registered[],
  { id: delivery, received_at: at }: HookDeliveryRecord,
): Promise<StateChange> {
  const rows = await Promise.all(
    registered.map(async ({ record, revision }) => {
      const key = pendingKey(record.id);
      const entry = await state.get(key);
      return {
        conditions: [
          { key: repositoryKey(record.id), revision },
          { key, revision: entry?.revision ?? null },
        ],
        put: { key, value: { ...askSync(record, entry, { at, delivery }) } },
      };
    }),
  );
  return { conditions: rows.flatMap(({ conditions }) => conditions), puts: rows.map(({ put }) => put), deletes: [] };
}

/** The rows of the delivery: in the list of its address, and in that of each repository. */
async function keeping(state: StateStore, hook: HookAddress, record: HookDeliveryRecord): Promise<StateChange> {
  const lists = [...new Set([hook.of === 'repository' ? hook.id : hook.of, ...record.repositories])];
  const surplus = await Promise.all(lists.map((list) => surplusDeliveries(state, list)));
  const puts = lists.map((list) => ({ key: deliveryKey(list, record), value: { ...record } }));
  return { conditions: [], puts, deletes: surplus.flat() };
}

/** Not quiet: a hook that asks for a sync must survive the loss of a primary Redis. */
function merged(changes: readonly StateChange[]): StateChange {
  return {
    conditions: changes.flatMap(({ conditions }) => conditions),
    puts: changes.flatMap(({ puts }) => puts),
    deletes: changes.flatMap(({ deletes }) => deletes),
  };
}

// Finds registered git repositories by the clone address in a hook. The addresses are read again after a change of the
// state, and not for each hook.

type ByAddress = ReadonlyMap<NormalizedCloneUrl, readonly RepositoryId[]>;

function createRepositoriesAt(
  state: Pick<StateStore, 'range' | 'generation'>,
): Pick<HookInbox, 'repositoriesAt' | 'repositoriesBelow'> {
  let known: { readonly generation: number; readonly found: Promise<ByAddress> } | undefined;
  const read = (): Promise<ByAddress> => {
    const generation = state.generation();
    if (known?.generation === generation) return known.found;
    const found = listRepositories(state).then(byAddress);
    known = { generation, found };
    found.catch(() => (known = undefined));
    return found;
  };
  return {
    repositoriesAt: async (addresses) => {
      const found = await read();
      return [...new Set(addresses.flatMap((address) => found.get(address) ?? []))];
    },
    repositoriesBelow: async (owner) =>
      [...(await read())].filter(([address]) => address.startsWith(`${owner}/`)).flatMap(([, ids]) => ids),
  };
}

function byAddress(records: readonly RepositoryRecord[]): ByAddress {
  const found = new Map<NormalizedCloneUrl, RepositoryId[]>();
  for (const { id, type, url } of records) {
    const address = type === 'git' ? normalizeCloneUrl(url) : undefined;
    if (address !== undefined) found.set(address, [...(found.get(address) ?? []), id]);
  }
  return found;
}
