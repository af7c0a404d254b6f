// Checks keys and changes for all implementations of the port, so that no store accepts a change that another refuses.
// A violation is a bug of this program: the check throws TypeError, and nothing is written.

import type { StateChange } from './state-store.ts';

/** Longest key; LMDB's own limit is 1978 bytes. */
export const maxKeyLength = 512;

const keyGrammar = /^[0-9A-Za-z][\x21-\x7e]*$/;

/** First key of the port's callers: lower keys belong to the store itself. */
export const firstKey = '0';

export function assertKey(key: string): void {
  if (key.length > maxKeyLength || !keyGrammar.test(key)) {
    throw new TypeError(
      `not a state key: ${JSON.stringify(key.slice(0, 80))} (printable ASCII, starts with a letter or digit, ` +
        `at most ${maxKeyLength} characters)`,
    );
  }
}

/**
 * Keys are well formed, and no key is written twice: the outcome would depend on an order the port does not promise.
 */
export function assertChange(change: StateChange): void {
  const written = new Set<string>();
  for (const key of [...change.puts.map((put) => put.key), ...change.deletes]) {
    assertKey(key);
    if (written.has(key)) throw new TypeError(`the change writes ${key} twice`);
    written.add(key);
  }
  for (const condition of change.conditions) assertKey(condition.key);
}

/** The half-open interval of keys that start with `prefix`. No key holds a byte above `~`. */
export function prefixBounds(prefix: string): { readonly start: string; readonly end: string } {
  return { start: prefix === '' ? firstKey : prefix, end: `${prefix}\u007f` };
}
