// Texts that count once, at whichever host they arrive: answers to challenges and to sign-ins, ID tokens and logout
// tokens. The row of a used text stays until the text has expired everywhere. Each use removes some rows behind its own
// that are no longer needed, so that they never pile up.

import { hash } from 'node:crypto';
import type { JsonValue } from '../../build/contract/json.ts';
import type { StateChange, StateStore } from '../core/state/state-store.ts';
import { parseTimeRow } from './rows.ts';

/** One kind of such texts. */
export interface OnceKind {
  readonly prefix: string;
  /** names a row of the kind: `The id of an exchanged ID token` */
  readonly row: string;
  /** by which the clocks of two hosts may differ */
  readonly leewayMs: number;
}

const lookedAt = 20;

/** Keys contain no text of others. */
export function digestOf(text: string): string {
  return hash('sha256', text, 'hex');
}

/** Epoch milliseconds until which the row is needed. Throws StateError for a value that is no time. */
export function parseUsed({ row }: OnceKind, value: JsonValue): number {
  return parseTimeRow(value, row);
}

/**
 * The part of a commit that uses up a text, which expires at `expiresMs`. The commit fails if the text was used before.
 * `digest`: `digestOf` the text, or what stands for it.
 */
export async function useOnce(
  state: Pick<StateStore, 'range'>,
  kind: OnceKind,
  digest: string,
  { expiresMs, nowMs }: { readonly expiresMs: number; readonly nowMs: number },
): Promise<StateChange> {
  const key = `${kind.prefix}${digest}`;
  const behind = await state.range(kind.prefix, { after: key, limit: lookedAt });
  return {
    conditions: [{ key, revision: null }],
    puts: [{ key, value: new Date(Math.ceil(expiresMs) + 2 * kind.leewayMs).toISOString() }],
    deletes: behind.filter(({ value }) => parseUsed(kind, value) < nowMs).map((row) => row.key),
  };
}

export async function wasUsed(state: Pick<StateStore, 'get'>, { prefix }: OnceKind, digest: string): Promise<boolean> {
  return (await state.get(`${prefix}${digest}`)) !== undefined;
}
