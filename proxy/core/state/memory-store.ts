// The state in this process's memory: behaves like the durable stores, for tests and trials. Its content ends with the
// process.

import type { JsonValue } from '../../../build/contract/json.ts';
import { assertChange, prefixBounds } from './state-change.ts';
import { StateError } from './state-error.ts';
import type { RangeOptions, StateChange, StateEntry, StateStore } from './state-store.ts';

interface Row {
  readonly text: string;
  readonly revision: number;
}

export function createMemoryStore(): StateStore {
  const rows = new Map<string, Row>();
  let generation = 1;
  let commits = 1;
  let closed = false;

  const assertOpen = (): void => {
    if (closed) throw new StateError('STATE_CLOSED', 'The state was closed.');
  };
  return {
    identity: undefined,
    get: async (key) => {
      assertOpen();
      return toEntry(key, rows.get(key));
    },
    range: async (prefix, options = {}) => {
      assertOpen();
      return selectKeys(rows, prefix, options).flatMap((key) => toEntry(key, rows.get(key)) ?? []);
    },
    commit: async (change) => {
      assertOpen();
      assertChange(change);
      if (!change.conditions.every(({ key, revision }) => (rows.get(key)?.revision ?? null) === revision)) return false;
      if (change.puts.length + change.deletes.length === 0) return true;
      apply(rows, change, ++commits);
      if (change.quiet !== true) generation += 1;
      return true;
    },
    generation: () => generation,
    close: async () => {
      closed = true;
    },
  };
}

/** Values are stored as text: a caller's object and the stored one cannot change each other. */
function apply(rows: Map<string, Row>, change: StateChange, revision: number): void {
  const encoded = change.puts.map(({ key, value }) => ({ key, text: JSON.stringify(value) }));
  for (const { key, text } of encoded) rows.set(key, { text, revision });
  for (const key of change.deletes) rows.delete(key);
}

function toEntry(key: string, row: Row | undefined): StateEntry | undefined {
  return row === undefined ? undefined : { key, value: JSON.parse(row.text) as JsonValue, revision: row.revision };
}

function selectKeys(
  rows: ReadonlyMap<string, Row>,
  prefix: string,
  { after, limit, reverse = false }: RangeOptions,
): string[] {
  const { start, end } = prefixBounds(prefix);
  const keys = [...rows.keys()].filter((key) => key >= start && key < end).sort();
  if (reverse) keys.reverse();
  const rest = after === undefined ? keys : keys.filter((key) => (reverse ? key < after : key > after));
  return limit === undefined ? rest : rest.slice(0, limit);
}
