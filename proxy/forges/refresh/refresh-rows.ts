// The rows that a refresh reads and writes. They are bookkeeping: no person decides them, so they have no audit event.
// The registrations that follow from them do.

import type { JsonObject } from '../../../build/contract/json.ts';
import type { StateChange, StateStore } from '../../core/state/state-store.ts';
import type { ConnectionId, ForgeId } from '../../sync/forge-place.ts';
import { connectionKey } from '../model/connection.ts';
import { parseSeen, seenKey, seenPrefix, type ListedRepository } from '../model/forge-repository.ts';
import {
  firstProgress,
  pageKey,
  pagePrefix,
  parsePage,
  parseProgress,
  progressKey,
  type RefreshProgress,
  type RememberedPage,
} from '../model/progress.ts';
import { readRow } from '../../state/rows.ts';

export type RefreshState = Pick<StateStore, 'get' | 'range' | 'commit'>;

/** The connection was removed while it was refreshed: nothing is written any more. */
export class ConnectionRemoved extends Error {
  constructor() {
    super('The connection was removed.');
    this.name = 'ConnectionRemoved';
  }
}

/** False: one of `conditions` failed. Throws ConnectionRemoved, so that no row outlives its connection. */
async function write(
  state: RefreshState,
  id: ConnectionId,
  { conditions = [], puts = [], deletes = [] }: Partial<StateChange>,
): Promise<boolean> {
  const key = connectionKey(id);
  for (;;) {
    const connection = await state.get(key);
    if (connection === undefined) throw new ConnectionRemoved();
    const isThere = { key, revision: connection.revision };
    if (await state.commit({ conditions: [isThere, ...conditions], puts, deletes, quiet: true })) return true;
    if (conditions.length > 0) return false;
  }
}

/** Changes the progress; a change by another process in between is kept. */
export async function changeProgress(
  state: RefreshState,
  id: ConnectionId,
  change: Partial<RefreshProgress>,
): Promise<RefreshProgress> {
  for (;;) {
    const key = progressKey(id);
    const entry = await state.get(key);
    const before = entry === undefined ? firstProgress : parseProgress(entry.value);
    const progress = { ...before, ...change };
    const conditions = [{ key, revision: entry?.revision ?? null }];
    const put = { key, value: progress as unknown as JsonObject };
    if (await write(state, id, { conditions, puts: [put] })) return progress;
  }
}

export async function readSeen(
  state: RefreshState,
  connection: ConnectionId,
  id: ForgeId,
): Promise<ListedRepository | undefined> {
  return readRow(state, seenKey(connection, id), parseSeen);
}

export async function writeSeen(state: RefreshState, connection: ConnectionId, seen: ListedRepository): Promise<void> {
  const put = { key: seenKey(connection, seen.id), value: { ...seen } as unknown as JsonObject };
  await write(state, connection, { puts: [put] });
}

export async function forgetSeen(state: RefreshState, connection: ConnectionId, id: ForgeId): Promise<void> {
  await write(state, connection, { deletes: [seenKey(connection, id)] });
}

/** All rows in the order of their keys, some hundred at a time. */
export async function* allSeen(
  state: Pick<StateStore, 'range'>,
  connection: ConnectionId,
): AsyncGenerator<ListedRepository> {
  let after: string | undefined;
  for (;;) {
    const entries = await state.range(seenPrefix(connection), {
      limit: 500,
      ...(after === undefined ? {} : { after }),
    });
    for (const { value } of entries) yield parseSeen(value);
    const last = entries.at(-1);
    if (last === undefined) return;
    after = last.key;
  }
}

export async function readPage(
  state: RefreshState,
  connection: ConnectionId,
  page: number,
): Promise<RememberedPage | undefined> {
  return readRow(state, pageKey(connection, page), parsePage);
}

export async function writePage(
  state: RefreshState,
  connection: ConnectionId,
  page: number,
  remembered: RememberedPage,
): Promise<void> {
  const put = { key: pageKey(connection, page), value: { ...remembered } as unknown as JsonObject };
  await write(state, connection, { puts: [put] });
}

/** Every remembered page from number `from` on. */
export async function forgetPages(state: RefreshState, connection: ConnectionId, from: number): Promise<void> {
  const entries = await state.range(pagePrefix(connection));
  const deletes = entries.map(({ key }) => key).filter((key) => key >= pageKey(connection, from));
  if (deletes.length > 0) await write(state, connection, { deletes });
}

/** The ids on all remembered pages. */
export async function listedIds(state: RefreshState, connection: ConnectionId): Promise<ReadonlySet<ForgeId>> {
  const pages = await state.range(pagePrefix(connection));
  return new Set(pages.flatMap(({ value }) => parsePage(value).ids));
}
