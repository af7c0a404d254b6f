// Lists and finds connections, for callers that only read.

import { RegistryError } from '../../../build/contract/errors.ts';
import type { StateStore } from '../../core/state/state-store.ts';
import { parseConnectionId } from '../../sync/forge-place.ts';
import { connectionKey, connectionKeyPrefix, parseConnectionRecord, type ConnectionRecord } from './connection.ts';

/** Oldest first. */
export async function listConnections(state: Pick<StateStore, 'range'>): Promise<readonly ConnectionRecord[]> {
  const records = (await state.range(connectionKeyPrefix)).map(({ value }) => parseConnectionRecord(value));
  return records.toSorted((one, other) => (`${one.created_at} ${one.id}` < `${other.created_at} ${other.id}` ? -1 : 1));
}

/** The record with its revision in the state. Throws NOT_FOUND. */
export async function findConnection(
  state: Pick<StateStore, 'get'>,
  text: string,
): Promise<{ readonly record: ConnectionRecord; readonly revision: number }> {
  const id = parseConnectionId(text);
  const entry = id === undefined ? undefined : await state.get(connectionKey(id));
  if (entry === undefined)
    throw new RegistryError('NOT_FOUND', {
      message: `There is no connection with the id ${JSON.stringify(text.slice(0, 80))}.`,
    });
  return { record: parseConnectionRecord(entry.value), revision: entry.revision };
}
