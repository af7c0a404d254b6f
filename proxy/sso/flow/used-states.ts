// What came from a provider and counts once, at whichever host it arrives: the answers to sign-ins, and the logout
// tokens. A row stays until its text has expired everywhere.

import { hash } from 'node:crypto';
import type { JsonValue } from '../../../build/contract/json.ts';
import { leewayMs } from '../../keys/signed-token.ts';
import { parseTimeRow } from '../../state/rows.ts';
import type { StateChange, StateStore } from '../../core/state/state-store.ts';
import type { Transaction } from './transaction.ts';

export const usedStatePrefix = 'sso-state/';

const lookedAt = 20;

/**
 * False: the answer was used before. Quiet: no cache depends on these rows, and the sign-in itself has its audit event.
 */
export async function useState(
  store: StateStore,
  { state, expiresMs }: Pick<Transaction, 'state' | 'expiresMs'>,
  nowMs: number,
): Promise<boolean> {
  return store.commit({ ...(await usedOnce(store, state, expiresMs, nowMs)), quiet: true });
}

/**
 * The change that uses up a text of a provider, which expires then. Its commit fails if the text was used before. Each
 * removes some rows that are over, so that they never accumulate.
 */
export async function usedOnce(
  store: Pick<StateStore, 'range'>,
  text: string,
  expiresMs: number,
  nowMs: number,
): Promise<StateChange> {
  const key = `${usedStatePrefix}${hash('sha256', text, 'hex')}`;
  const over = (await store.range(usedStatePrefix, { after: key, limit: lookedAt }))
    .filter(({ value }) => parseUsedState(value) < nowMs)
    .map((row) => row.key);
  return {
    conditions: [{ key, revision: null }],
    puts: [{ key, value: new Date(expiresMs + 2 * leewayMs).toISOString() }],
    deletes: over,
  };
}

/** Epoch milliseconds. Throws StateError for a value that is no time. */
export function parseUsedState(value: JsonValue): number {
  return parseTimeRow(value, 'A used sign-in at an identity provider');
}
