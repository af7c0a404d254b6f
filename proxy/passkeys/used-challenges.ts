// The challenges that were answered, so that each works once on all hosts. A row stays until its challenge has ended
// everywhere. Each use removes some rows behind its own that are no longer needed.

import { hash } from 'node:crypto';

import type { JsonValue } from '../../build/contract/json.ts';
import { leewayMs } from '../keys/signed-token.ts';
import { parseTimeRow } from '../state/rows.ts';
import type { StateStore } from '../core/state/state-store.ts';

export const usedChallengePrefix = 'passkey-used/';
const lookedAt = 20;

export function usedChallengeKey(challenge: string): string {
  return `${usedChallengePrefix}${hash('sha256', challenge, 'hex')}`;
}

/** Epoch milliseconds until which the row is needed. Throws StateError for a value that is no time. */
export function parseUsedChallenge(value: JsonValue): number {
  return parseTimeRow(value, 'The challenge of a passkey that was answered');
}

/** The part of the commit that uses the challenge; undefined: it was used before. `endsMs`: at the latest. */
export async function useOf(
  store: Pick<StateStore, 'get' | 'range'>,
  challenge: string,
  { endsMs, nowMs }: { readonly endsMs: number; readonly nowMs: number },
) {
  const key = usedChallengeKey(challenge);
  if ((await store.get(key)) !== undefined) return undefined;
  const behind = await store.range(usedChallengePrefix, { after: key, limit: lookedAt });
  return {
    conditions: [{ key, revision: null }],
    puts: [{ key, value: new Date(endsMs + 2 * leewayMs).toISOString() }],
    deletes: behind.filter(({ value }) => parseUsedChallenge(value) < nowMs).map((row) => row.key),
  };
}
