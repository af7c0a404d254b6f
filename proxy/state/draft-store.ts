// A state that is changed on paper: what is committed to it is kept aside, and can then be made one single change of
// the real one, or none at all. So a series of changes, each with its audit event, happens as a whole, and a trial run
// is the very same code.

import pLimit from 'p-limit';
import type { JsonValue } from '../../build/contract/json.ts';
import { assertChange } from './state-change.ts';
import { StateError } from './state-error.ts';
import type { RangeOptions, StateChange, StateEntry, StateStore } from './state-store.ts';

export interface DraftStore extends StateStore {
  /**
   * All of it as one change. False: the state below is not any more what this was drawn up from, and nothing was
   * changed.
   */
  readonly keep: () => Promise<boolean>;
}

interface Row {
  /** undefined: deleted */
  readonly text: string | undefined;
  readonly revision: number;
}

/** To close it does not close the state below. */
export function createDraftStore(below: StateStore): DraftStore {
  const rows = new Map<string, Row>();
  /** what was believed of the state below when something was decided on it */
  const beliefs = new Map<string, number | null>();
  const queue = pLimit(1);
  let commits = 0;
  let quiet = 0;
  let closed = false;

  const opened = (): void => {
    if (closed) throw new StateError('STATE_CLOSED', 'The draft of the state was closed.');
  };
  const get = async (key: string): Promise<StateEntry | undefined> => {
    const row = rows.get(key);
    return row === undefined ? below.get(key) : entryOf(key, row);
  };
  const holds = async ({ key, revision }: StateChange['conditions'][number]): Promise<boolean> => {
    const found = (await get(key))?.revision ?? null;
    if (found === revision && !rows.has(key) && !beliefs.has(key)) beliefs.set(key, revision);
    return found === revision;
  };
  const commit = async (change: StateChange): Promise<boolean> => {
    for (const condition of change.conditions) if (!(await holds(condition))) return false;
    commits += 1;
    if (change.quiet === true) quiet += 1;
    // below, revisions are positive: none of these can be mistaken for one of those
    const revision = -commits;
    const encoded = change.puts.map(({ key, value }) => [key, { text: JSON.stringify(value), revision }] as const);
    for (const [key, row] of encoded) rows.set(key, row);
    for (const key of change.deletes) rows.set(key, { text: undefined, revision });
    return true;
  };
  return {
    identity: below.identity,
    get: async (key) => {
      opened();
      return get(key);
    },
    range: async (prefix, options = {}) => {
      opened();
      const drawn = [...rows].filter(([key]) => key.startsWith(prefix));
      const entries = (await below.range(prefix)).filter(({ key }) => !rows.has(key));
      return select([...entries, ...drawn.flatMap(([key, row]) => entryOf(key, row) ?? [])], options);
    },
    commit: async (change) => {
      opened();
      assertChange(change);
      return queue(() => commit(change));
    },
    generation: () => below.generation() + commits - quiet,
    close: async () => {
      closed = true;
    },
    keep: async () => {
      const all = [...rows];
      return below.commit({
        conditions: [...beliefs].map(([key, revision]) => ({ key, revision })),
        puts: all.flatMap(([key, row]) => entryOf(key, row) ?? []).map(({ key, value }) => ({ key, value })),
        deletes: all.flatMap(([key, { text }]) => (text === undefined ? [key] : [])),
      });
    },
  };
}

function entryOf(key: string, { text, revision }: Row): StateEntry | undefined {
  return text === undefined ? undefined : { key, value: JSON.parse(text) as JsonValue, revision };
}

function select(entries: readonly StateEntry[], { after, limit, reverse = false }: RangeOptions): StateEntry[] {
  const sorted = entries.toSorted((one, other) => (one.key < other.key ? -1 : 1));
  if (reverse) sorted.reverse();
  const rest = after === undefined ? sorted : sorted.filter(({ key }) => (reverse ? key < after : key > after));
  return limit === undefined ? rest : rest.slice(0, limit);
}
