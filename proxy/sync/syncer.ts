// Syncs registered repositories on request and by their interval, and withdraws the versions of removed repositories.
// Each sync runs the builder in a child process. A sync fetches without the build's lock, and takes the lock only to
// publish. A hanging host therefore delays its own repositories only. The queue is bounded.

import pLimit from 'p-limit';
import { busyExitCode } from './build-runner.ts';
import type { JobRequest } from './jobs.ts';
import type { Actor } from '../state/audit.ts';
import type { StateStore } from '../core/state/state-store.ts';
import {
  hostOfRepository,
  parseRepositoryRecord,
  repositoryKey,
  type RepositoryId,
  type RepositoryRecord,
} from './repository.ts';
import { BackgroundWork } from './background-work.ts';
import { type SyncerOptions, runBounded, SyncQueue } from './sync-queue.ts';
import { RegistryError } from '../../build/contract/errors.ts';
import { isDue, parsePendingSync, pendingKey, pendingPrefix } from './pending-sync.ts';

interface PendingWorkOptions {
  readonly state: Pick<StateStore, 'get' | 'range'>;
  readonly queue: Pick<SyncQueue, 'sync' | 'resize' | 'hasRoomForHook'>;
  /** epoch milliseconds */
  readonly now: () => number;
  readonly onError: (error: unknown) => void;
}

/**
 * Turns the syncs that hooks asked for into jobs, the oldest first, as soon as there is room for them. It reads the
 * rows anew each time, so it also takes those that another process stored, or that a killed one left.
 */
class PendingWork {
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

export type Syncer = ReturnType<typeof createSyncer>;

/** Reads the record at the time of the call; '' for a removed repository. */
export function createHostOf(state: StateStore): SyncerOptions['hostOf'] {
  return async (id) => {
    const entry = await state.get(repositoryKey(id));
    return entry === undefined ? '' : hostOfRepository(parseRepositoryRecord(entry.value));
  };
}

export function createSyncer(options: SyncerOptions & { readonly state: Pick<StateStore, 'get' | 'range'> }) {
  const { state, onError } = options;
  const withdrawals = new Withdrawals(options);
  let takes = false;
  const queue: SyncQueue = new SyncQueue(options, () => (takes ? pending.take() : undefined));
  const pending = new PendingWork({ state, queue, now: options.now, onError });
  const works = [pending, queue, withdrawals];
  const idle = async (): Promise<void> => {
    while (works.some((work) => work.busy())) await Promise.all(works.map((work) => work.idle()));
  };
  return {
    /** Returns the active sync of this repository, or queues one. Throws NOT_FOUND, OVERLOADED. */
    sync: (id: RepositoryId, request: JobRequest) => queue.sync(id, request),
    /**
     * Starts the syncs that hooks asked for, as far as there is room. From the first call on, this process also takes
     * them whenever a sync has ended.
     */
    takePending: (): void => {
      takes = true;
      pending.take();
    },
    /** Resolves once this process has no active sync. */
    idle,
    /**
     * Aborts the sync of a removed repository, and withdraws its versions on behalf of `actor`. A Composer repository
     * has published none.
     */
    removed: ({ id, type }: Pick<RepositoryRecord, 'id' | 'type'>, actor: Actor): void => {
      const ended = queue.abort(id);
      if (type !== 'composer') withdrawals.start(actor, ended);
    },
    /** Queues a withdrawal of the versions of removed repositories, unless one is queued. */
    withdraw: () => withdrawals.start(),
    /** Aborts running syncs; waiting syncs fail. */
    close: async (): Promise<void> => {
      queue.close();
      withdrawals.close();
      await idle();
    },
  };
}

/** Withdraws the versions of removed repositories, one withdrawal at a time. */
class Withdrawals {
  readonly #options: SyncerOptions;
  readonly #work: BackgroundWork;
  readonly #queue = pLimit(1);
  readonly #closing = new AbortController();
  #isQueued = false;

  constructor(options: SyncerOptions) {
    this.#options = options;
    this.#work = new BackgroundWork(options.onError);
  }

  /** Queues one, unless one is queued, on behalf of `actor` and after an aborted sync that may still publish. */
  start(actor: Actor = 'system:schedule', after?: Promise<void>): void {
    if (this.#isQueued || this.#closing.signal.aborted) return;
    this.#isQueued = true;
    void this.#work.start(() => this.#queue(() => this.#run(actor, after)));
  }

  busy(): boolean {
    return this.#work.busy();
  }

  idle(): Promise<void> {
    return this.#work.idle();
  }

  close(): void {
    this.#closing.abort();
  }

  async #run(actor: Actor, after: Promise<void> | undefined): Promise<void> {
    await after;
    this.#isQueued = false; // repositories that are removed from now on need another one
    const { exitCode, messages } = await runBounded(
      this.#options,
      ['repository', 'withdraw', '--on-behalf-of', actor],
      new AbortController(),
      this.#closing.signal,
    );
    if (exitCode > 1 && exitCode !== busyExitCode)
      this.#options.onError(new Error(`The packages of a removed repository could not be withdrawn: ${messages}`));
  }
}
