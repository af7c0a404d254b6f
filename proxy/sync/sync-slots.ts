// The order of syncs in one process: so many at once, so many of one host, requests of people before hooks, and hooks
// before automatic syncs. A host without an answer delays its own repositories only.

import type { JobTrigger } from './job.ts';

export interface SyncTurn {
  readonly trigger: JobTrigger;
  /** '' for this machine */
  readonly host: string;
}

interface Waiting extends SyncTurn {
  readonly begin: () => void;
}

const ranks: Readonly<Record<JobTrigger, number>> = { request: 0, hook: 1, interval: 2 };

/** Concurrent syncs of one host. */
const atOnceOfHost = 2;

export class SyncSlots {
  /** In the order of their turns. */
  readonly #waiting: Waiting[] = [];
  readonly #running = new Map<string, number>();
  #taken = 0;
  #parallel = 1;

  /** The number of concurrent syncs, from now on. Running ones continue. */
  resize(parallel: number): void {
    this.#parallel = parallel;
    this.#fill();
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** True if a sync that a hook asked for would begin at once, or soon: then another one may be queued. */
  hasRoomForHook(host: string): boolean {
    const hooks = this.#waiting.filter(({ trigger }) => trigger === 'hook');
    return hooks.length < this.#parallel && hooks.filter((one) => one.host === host).length < atOnceOfHost;
  }

  /** Runs `work` when it is its turn. */
  async use<Value>(turn: SyncTurn, work: () => Promise<Value>): Promise<Value> {
    await new Promise<void>((begin) => {
      const rank = ranks[turn.trigger];
      const at = this.#waiting.findIndex(({ trigger }) => ranks[trigger] > rank);
      this.#waiting.splice(at === -1 ? this.#waiting.length : at, 0, { ...turn, begin });
      this.#fill();
    });
    try {
      return await work();
    } finally {
      this.#count(turn.host, -1);
      this.#fill();
    }
  }

  #fill(): void {
    while (this.#taken < this.#parallel) {
      const at = this.#waiting.findIndex(({ host }) => (this.#running.get(host) ?? 0) < atOnceOfHost);
      const [next] = at === -1 ? [] : this.#waiting.splice(at, 1);
      if (next === undefined) return;
      this.#count(next.host, 1);
      next.begin();
    }
  }

  #count(host: string, change: 1 | -1): void {
    const count = (this.#running.get(host) ?? 0) + change;
    if (count === 0) this.#running.delete(host);
    else this.#running.set(host, count);
    this.#taken += change;
  }
}
