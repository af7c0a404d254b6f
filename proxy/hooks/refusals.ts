// Counts the refused requests of webhooks. Anybody can send such a request, so they are counted in memory, for a
// bounded number of addresses, and a process writes them at most once a minute, in one commit. Only webhooks that exist
// are written, so that the rows are as few as the webhooks.

import type { StateChange, StateStore } from '../core/state/state-store.ts';
import { refusalKey, repositoryHookKey } from '../sync/repository-rows.ts';
import { registryHookPrefix } from './hook-record.ts';
import type { HookAddress } from './inbox.ts';
import { listOf, parseRefusalRecord, type RefusalReason, type RefusalRecord } from './refusal.ts';

export type Refusals = ReturnType<typeof createRefusals>;

export interface RefusalsOptions {
  readonly state: Pick<StateStore, 'get' | 'range' | 'commit'>;
  /** epoch milliseconds */
  readonly now: () => number;
  /** receives the errors of writing; the counts are then lost */
  readonly onError: (error: unknown) => void;
}

const everyMs = 60_000;
/** Somebody who tries ids fills these until the next write, and hides the counts of others for this minute at most. */
const mostAddresses = 1000;

interface Counted extends RefusalRecord {
  readonly hook: HookAddress;
}

export function createRefusals(options: RefusalsOptions) {
  const { now, onError } = options;
  let counted = new Map<string, Counted>();
  let timer: NodeJS.Timeout | undefined;
  let nextMs = Number.NEGATIVE_INFINITY;
  let writing: Promise<void> = Promise.resolve();
  const write = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    nextMs = now() + everyMs;
    const all = [...counted.values()];
    counted = new Map();
    writing = writing.then(() => writeCounts(options, all)).catch(onError);
    return writing;
  };
  return {
    /** Counts one; returns at once. */
    note: (hook: HookAddress, reason: RefusalReason): void => {
      const key = listOf(hook);
      const before = counted.get(key);
      if (before === undefined && counted.size >= mostAddresses) return;
      counted.set(key, { hook, count: (before?.count ?? 0) + 1, last_at: new Date(now()).toISOString(), reason });
      const waitMs = Math.min(everyMs, Math.max(0, nextMs - now()));
      timer ??= setTimeout(() => void write(), waitMs).unref();
    },
    /** Writes what is counted. */
    close: () => (counted.size === 0 ? writing : write()),
  };
}

async function writeCounts({ state }: RefusalsOptions, all: readonly Counted[]): Promise<void> {
  const changes: StateChange[] = [];
  for (const one of all) changes.push(...(await changeOf(state, one)));
  if (changes.length === 0) return;
  // another process may write the same count at this moment: then this minute is not counted
  await state.commit({
    conditions: changes.flatMap(({ conditions }) => conditions),
    puts: changes.flatMap(({ puts }) => puts),
    deletes: [],
    quiet: true,
  });
}

/** [] for a webhook that does not exist. */
async function changeOf(
  state: RefusalsOptions['state'],
  { hook, count, last_at, reason }: Counted,
): Promise<readonly StateChange[]> {
  const owner =
    hook.of === 'repository'
      ? await state.get(repositoryHookKey(hook.id))
      : (await state.range(registryHookPrefix, { limit: 1 }))[0];
  if (owner === undefined) return [];
  const key = refusalKey(listOf(hook));
  const entry = await state.get(key);
  const before = entry === undefined ? 0 : parseRefusalRecord(entry.value).count;
  const value = { count: Math.min(before + count, Number.MAX_SAFE_INTEGER), last_at, reason };
  const conditions = [
    { key, revision: entry?.revision ?? null },
    { key: owner.key, revision: owner.revision },
  ];
  return [{ conditions, puts: [{ key, value }], deletes: [] }];
}
