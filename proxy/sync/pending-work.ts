// Turns the syncs that hooks asked for into jobs, the oldest first, as soon as there is room for them. It reads the
// rows anew each time, so it also takes those that another process stored, or that a killed one left.

import { RegistryError } from '../../build/contract/errors.ts';
import type { StateStore } from '../core/state/state-store.ts';
import { BackgroundWork } from './background-work.ts';
import { isDue, parsePendingSync, pendingKey, pendingPrefix } from './pending-sync.ts';
import type { RepositoryId } from './repository.ts';
import type { SyncQueue } from './sync-queue.ts';

export interface PendingWorkOptions {
  readonly state: Pick<StateStore, 'get' | 'range'>;
  readonly queue: Pick<SyncQueue, 'sync' | 'resize' | 'hasRoomForHook'>;
  /** epoch milliseconds */
  readonly now: () => number;
  readonly onError: (error: unknown) => void;
}

export class PendingWork {
  readonly #options: PendingWorkOptions;
  readonly #work: BackgroundWork;
  #isWanted = false;
  #isLooking = false;

  constructor(options: PendingWorkOptions) {
    this.#options = options;
    this.#work = new BackgroundWork(options.onError);
  }

  /** Looks once more after the present look, because rows may have come behind it. */
  take(): void {
    this.#isWanted = true;
    if (!this.#isLooking) void this.#work.start(() => this.#look());
  }

  busy(): boolean {
    return this.#work.busy();
  }

  idle(): Promise<void> {
    return this.#work.idle();
  }

  async #look(): Promise<void> {
    this.#isLooking = true;
    try {
      while (this.#isWanted) {
        this.#isWanted = false;
        await this.#takeOnce();
      }
    } finally {
      this.#isLooking = false;
    }
  }

  async #takeOnce(): Promise<void> {
    const { state, queue, now } = this.#options;
    await queue.resize();
    const rows = (await state.range(pendingPrefix))
      .map(({ value }) => parsePendingSync(value))
      .filter((row) => isDue(row, now()));
    for (const { repository_id: id, host } of rows.toSorted((one, other) => (one.asked_at < other.asked_at ? -1 : 1)))
      // a sync that ended since the rows were read has settled its own
      if (queue.hasRoomForHook(id, host) && (await this.#waits(id)))
        await queue.sync(id, { trigger: 'hook', actor: 'system:hooks' }).catch(unlessLater);
  }

  async #waits(id: RepositoryId): Promise<boolean> {
    const row = await this.#options.state.get(pendingKey(id));
    return row !== undefined && isDue(parsePendingSync(row.value), this.#options.now());
  }
}

/** The server is stopping, or the repository was just removed. */
function unlessLater(error: unknown): void {
  if (!(error instanceof RegistryError)) throw error;
}
