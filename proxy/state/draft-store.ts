// A draft of a state: it collects commits in memory, and applies them to the real state as one change, or not at all. A
// series of changes, each with its audit event, is therefore atomic, and a trial run uses the same code.

import pLimit from 'p-limit';
import type { JsonValue } from '../../build/contract/json.ts';
import { assertChange } from '../core/state/state-change.ts';
import { StateError } from '../core/state/state-error.ts';
import type { RangeOptions, StateChange, StateEntry, StateStore } from '../core/state/state-store.ts';

export interface DraftStore extends StateStore {
  /** Applies the draft as one change. False: the real state has changed since, and nothing was written. */
  readonly keep: () => Promise<boolean>;
}

interface Row {
  /** undefined: deleted */
  readonly text: string | undefined;
  readonly revision: number;
}

/** Closing the draft leaves the state below open. */
export function createDraftStore(below: StateStore): DraftStore {
  const draft = new Draft(below);
  const queue = pLimit(1);
  let closed = false;
  const opened = (): Draft => {
    if (closed) throw new StateError('STATE_CLOSED', 'The draft of the state was closed.');
    return draft;
  };
  return {
    identity: below.identity,
    get: async (key) => opened().get(key),
    range: async (prefix, options = {}) => opened().range(prefix, options),
    commit: async (change) => {
      opened();
      assertChange(change);
      return queue(() => draft.commit(change));
    },
    generation: () => draft.generation(),
    close: async () => {
      closed = true;
    },
    keep: () => draft.apply(),
  };
}

class Draft {
  readonly #below: StateStore;
  readonly #rows = new Map<string, Row>();
  /** the revisions in the state below that conditions of the draft rely on */
  readonly #beliefs = new Map<string, number | null>();
  #commits = 0;
  #quiet = 0;

  constructor(below: StateStore) {
    this.#below = below;
  }

  async get(key: string): Promise<StateEntry | undefined> {
    const row = this.#rows.get(key);
    return row === undefined ? this.#below.get(key) : entryOf(key, row);
  }

  async range(prefix: string, options: RangeOptions): Promise<StateEntry[]> {
    const drawn = [...this.#rows].filter(([key]) => key.startsWith(prefix));
    const entries = (await this.#below.range(prefix)).filter(({ key }) => !this.#rows.has(key));
    return select([...entries, ...drawn.flatMap(([key, row]) => entryOf(key, row) ?? [])], options);
  }

  async commit(change: StateChange): Promise<boolean> {
    for (const condition of change.conditions) if (!(await this.#holds(condition))) return false;
    this.#commits += 1;
    if (change.quiet === true) this.#quiet += 1;
    // revisions in the state below are positive, so these are distinct
    const revision = -this.#commits;
    const encoded = change.puts.map(({ key, value }) => [key, { text: JSON.stringify(value), revision }] as const);
    for (const [key, row] of encoded) this.#rows.set(key, row);
    for (const key of change.deletes) this.#rows.set(key, { text: undefined, revision });
    return true;
  }

  generation(): number {
    return this.#below.generation() + this.#commits - this.#quiet;
  }

  async apply(): Promise<boolean> {
    const all = [...this.#rows];
    return this.#below.commit({
      conditions: [...this.#beliefs].map(([key, revision]) => ({ key, revision })),
      puts: all.flatMap(([key, row]) => entryOf(key, row) ?? []).map(({ key, value }) => ({ key, value })),
      deletes: all.flatMap(([key, { text }]) => (text === undefined ? [key] : [])),
    });
  }

  async #holds({ key, revision }: StateChange['conditions'][number]): Promise<boolean> {
    const found = (await this.get(key))?.revision ?? null;
    if (found === revision && !this.#rows.has(key) && !this.#beliefs.has(key)) this.#beliefs.set(key, revision);
    return found === revision;
  }
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
