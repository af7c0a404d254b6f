// Runs work that several callers want at the same time once for each key. Callers that arrive during the run share one
// promise.

import { withDeadline } from './with-deadline.ts';

export interface SingleFlightOptions {
  /**
   * How long a promise is shared. `running` (default): until it settles. `fulfilled`: permanently, unless it rejects.
   * `settled`: permanently, until `forget` or `clear`.
   */
  readonly keeps?: 'running' | 'fulfilled' | 'settled';
}

interface Flight<Value> {
  readonly value: Promise<Value>;
  readonly given: readonly unknown[];
}

const nothing: readonly unknown[] = [];

export class SingleFlight<Value, Key = string> {
  readonly #flights = new Map<Key, Flight<Value>>();
  readonly #keeps: 'running' | 'fulfilled' | 'settled';
  readonly #late = new WeakSet<Promise<Value>>();

  constructor({ keeps = 'running' }: SingleFlightOptions = {}) {
    this.#keeps = keeps;
  }

  /** The number of shared promises. */
  get size(): number {
    return this.#flights.size;
  }

  /**
   * Returns the running promise of this key, or starts `work` and returns its promise. `given`: the objects that the
   * work depends on in addition to its key, compared by identity. A caller with other objects starts new work, which
   * replaces the old.
   */
  run(key: Key, work: () => Promise<Value>, given: readonly unknown[] = nothing): Promise<Value> {
    const shared = this.get(key, given);
    if (shared !== undefined) return shared;
    const flight = { value: work(), given };
    this.#flights.set(key, flight);
    const forget = (): void => {
      if (this.#flights.get(key) === flight) this.#flights.delete(key);
    };
    if (this.#keeps !== 'settled') flight.value.then(this.#keeps === 'running' ? forget : undefined, forget);
    return flight.value;
  }

  /** As `run`. Once a run has taken `withinMs`, each of its callers gets `otherwise()` and waits no more. */
  async within(key: Key, work: () => Promise<Value>, withinMs: number, otherwise: () => Value): Promise<Value> {
    const running = this.run(key, work);
    if (this.#late.has(running)) return otherwise();
    return await withDeadline(running, withinMs, () => {
      this.#late.add(running);
      return otherwise();
    });
  }

  /** The running promise of this key; undefined: there is none, or it has other given objects. */
  get(key: Key, given: readonly unknown[] = nothing): Promise<Value> | undefined {
    const flight = this.#flights.get(key);
    if (flight === undefined || (flight.given !== given && !isSame(flight.given, given))) return undefined;
    return flight.value;
  }

  /** All shared promises. */
  values(): readonly Promise<Value>[] {
    return [...this.#flights.values()].map(({ value }) => value);
  }

  /** The next caller of this key starts new work. */
  forget(key: Key): void {
    this.#flights.delete(key);
  }

  clear(): void {
    this.#flights.clear();
  }
}

function isSame(some: readonly unknown[], others: readonly unknown[]): boolean {
  return some.length === others.length && some.every((one, at) => one === others[at]);
}
