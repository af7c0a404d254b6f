// The queued and running syncs of this process: so many at once, so many of one host, requests of people before hooks,
// and hooks before automatic syncs. A host without an answer delays its own repositories only.

import { RegistryError } from '../../build/contract/errors.ts';
import type { MaybeAsync } from '../../build/shared/concurrency/maybe-async.ts';
import { BackgroundWork } from './background-work.ts';
import type { BuildRun, BuildRunner } from './build-runner.ts';
import { endOf } from './job-end.ts';
import type { JobRecord, JobTrigger } from './job.ts';
import type { JobRequest, Jobs } from './jobs.ts';
import { beatMs } from './liveness.ts';
import type { RepositoryId } from './repository.ts';

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

export interface SyncerOptions {
  readonly jobs: Jobs;
  readonly runner: BuildRunner;
  /** the host of a repository; '' for this machine */
  readonly hostOf: (id: RepositoryId) => Promise<string>;
  /** epoch milliseconds */
  readonly now: () => number;
  /** reports errors of background work */
  readonly onError: (error: unknown) => void;
  /** the number of concurrent syncs, read before each one */
  readonly parallel: () => MaybeAsync<number>;
  /** the most waiting syncs of people and of the schedule; default 50 */
  readonly mostWaiting?: number;
  /** the longest sync; default: an hour */
  readonly longestMs?: number;
}

const defaultLongestMs = 3_600_000;

const stoppedText = 'The server was stopped during this sync. Sync again.';

/** Runs the builder, and aborts it after `longestMs` or when the server stops. */
export function runBounded(
  { runner, longestMs = defaultLongestMs }: Pick<SyncerOptions, 'runner' | 'longestMs'>,
  args: readonly string[],
  controller: AbortController,
  closing: AbortSignal,
): Promise<BuildRun> {
  const timer = setTimeout(() => controller.abort(), longestMs);
  return runner.run(args, AbortSignal.any([controller.signal, closing])).finally(() => clearTimeout(timer));
}

export class SyncQueue {
  readonly #options: SyncerOptions;
  readonly #work: BackgroundWork;
  readonly #slots = new SyncSlots();
  readonly #running = new Map<RepositoryId, RunningSync>();
  readonly #beats: { readonly adjust: () => void };
  readonly #closing = new AbortController();
  readonly #onEnd: () => void;

  /** `onEnd`: called when a sync has ended, and there may be room for another one. */
  constructor(options: SyncerOptions, onEnd: () => void) {
    this.#options = options;
    this.#onEnd = onEnd;
    this.#work = new BackgroundWork(options.onError);
    this.#beats = createBeats(options.jobs, this.#running, options.onError);
  }

  async sync(id: RepositoryId, request: JobRequest): Promise<JobRecord> {
    const { jobs, mostWaiting = 50 } = this.#options;
    await this.resize();
    const host = await this.#hostOf(id);
    const isFull = request.trigger !== 'hook' && this.#slots.waiting >= mostWaiting;
    if (this.#closing.signal.aborted || isFull)
      throw new RegistryError('OVERLOADED', {
        message: `${this.#slots.waiting} syncs are waiting already. Try again shortly.`,
        details: { retry_after_seconds: 30 },
      });
    const { job, isNew } = await jobs.open(id, request);
    if (!isNew) return job;
    const controller = new AbortController();
    const turn = { trigger: job.trigger, host };
    const done = this.#work.start(() => this.#slots.use(turn, () => this.#run(job, controller)).finally(this.#onEnd));
    this.#running.set(id, { job, controller, done });
    this.#beats.adjust();
    return job;
  }

  /** Applies the number of concurrent syncs as it is set now. */
  async resize(): Promise<void> {
    this.#slots.resize(await this.#options.parallel());
  }

  /** True if a hook's sync of this repository may be queued: none of it is active here, and its turn comes soon. */
  hasRoomForHook(id: RepositoryId, host: string): boolean {
    return !this.#closing.signal.aborted && !this.#running.has(id) && this.#slots.hasRoomForHook(host);
  }

  /** Aborts the sync of a repository. Returns its end; undefined: none runs. */
  abort(id: RepositoryId): Promise<void> | undefined {
    const sync = this.#running.get(id);
    sync?.controller.abort();
    return sync?.done;
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

  async #hostOf(id: RepositoryId): Promise<string> {
    const { hostOf, onError } = this.#options;
    return hostOf(id).catch((error: unknown) => {
      onError(error); // the job itself shows its result
      return '';
    });
  }

  async #run(queued: JobRecord, controller: AbortController): Promise<void> {
    const { jobs } = this.#options;
    const id = queued.repository_id;
    try {
      const started = await jobs.start(queued);
      if (started === undefined) return; // the repository was removed
      const run = await runBounded(
        this.#options,
        ['repository', 'sync', id, '--child', '--on-behalf-of', queued.created_by],
        controller,
        this.#closing.signal,
      );
      await jobs.finish(started, endOf(run, this.#stopped(controller)));
    } finally {
      this.#running.delete(id);
      this.#beats.adjust();
    }
  }

  #stopped(controller: AbortController): Parameters<typeof endOf>[1] {
    const { longestMs = defaultLongestMs } = this.#options;
    if (this.#closing.signal.aborted) return { reason: stoppedText, isCutOff: true };
    if (!controller.signal.aborted) return undefined;
    const minutes = Math.round(longestMs / 60_000);
    return { reason: `It took longer than ${minutes} minutes and was stopped.`, isCutOff: false };
  }
}

interface RunningSync {
  readonly job: JobRecord;
  readonly controller: AbortController;
  /** Never rejects. */
  readonly done: Promise<void>;
}

/**
 * Writes signs of life of the running jobs, and aborts a job after another process has removed its repository.
 */
function createBeats(
  jobs: Jobs,
  running: ReadonlyMap<RepositoryId, RunningSync>,
  onError: (error: unknown) => void,
): { readonly adjust: () => void } {
  let timer: NodeJS.Timeout | undefined;
  const beat = async (): Promise<void> => {
    const gone = await jobs.beat([...running.values()].map(({ job }) => job));
    for (const { id, repository_id } of gone) {
      const one = running.get(repository_id);
      if (one?.job.id === id) one.controller.abort();
    }
  };
  return {
    adjust: () => {
      if (running.size === 0) clearInterval(timer);
      timer = running.size === 0 ? undefined : (timer ?? setInterval(() => void beat().catch(onError), beatMs).unref());
    },
  };
}
