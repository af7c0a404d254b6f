// The queued and running syncs of this process: bounded in all, and for each host.

import pLimit from 'p-limit';
import { RegistryError } from '../../build/contract/errors.ts';
import { KeyedSemaphore } from '../../build/shared/concurrency/keyed-semaphore.ts';
import type { BuildRun, BuildRunner } from './build-runner.ts';
import { outcomeOf, withLog, type JobRecord } from './job.ts';
import type { JobRequest, Jobs } from './jobs.ts';
import { beatMs } from './liveness.ts';
import type { RepositoryId } from './repository.ts';
import { BackgroundWork } from './background-work.ts';

export interface SyncerOptions {
  readonly jobs: Jobs;
  readonly runner: BuildRunner;
  /** the host of a repository; '' for this machine */
  readonly hostOf: (id: RepositoryId) => Promise<string>;
  /** epoch milliseconds */
  readonly now: () => number;
  /** reports errors of background work */
  readonly onError: (error: unknown) => void;
  /** the most waiting syncs; default 50 */
  readonly mostWaiting?: number;
  /** the longest sync; default: an hour */
  readonly longestMs?: number;
}

/** Concurrent builders, in all and for each host. */
const atOnce = 8;
const atOnceOfHost = 2;

const defaultLongestMs = 3_600_000;

const stoppedText = 'The server was stopped during this sync. Sync again.';

/** Runs the builder, and aborts it after `longestMs` or when the server stops. */
export function runBounded(
  { runner, longestMs = defaultLongestMs }: SyncerOptions,
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
  readonly #slots = pLimit(atOnce);
  readonly #hosts = new KeyedSemaphore(atOnceOfHost);
  readonly #running = new Map<RepositoryId, RunningSync>();
  readonly #beats: { readonly adjust: () => void };
  readonly #closing = new AbortController();
  #waiting = 0;

  constructor(options: SyncerOptions) {
    this.#options = options;
    this.#work = new BackgroundWork(options.onError);
    this.#beats = createBeats(options.jobs, this.#running, options.onError);
  }

  async sync(id: RepositoryId, request: JobRequest): Promise<JobRecord> {
    const { jobs, mostWaiting = 50 } = this.#options;
    if (this.#closing.signal.aborted || this.#waiting >= mostWaiting)
      throw new RegistryError('OVERLOADED', {
        message: `${this.#waiting} syncs are waiting already. Try again shortly.`,
        details: { retry_after_seconds: 30 },
      });
    const { job, isNew } = await jobs.open(id, request);
    if (!isNew) return job;
    const controller = new AbortController();
    const done = this.#work.start(() => this.#inTurn(id, () => this.#run(job, controller)));
    this.#running.set(id, { job, controller, done });
    this.#beats.adjust();
    return job;
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

  async #inTurn(id: RepositoryId, task: () => Promise<void>): Promise<void> {
    const { hostOf, onError } = this.#options;
    this.#waiting += 1;
    const begin = (): Promise<void> => {
      this.#waiting -= 1;
      return task();
    };
    const host = await hostOf(id).catch((error: unknown) => {
      onError(error); // the job itself shows its result
      return '';
    });
    await this.#hosts.use(host, () => this.#slots(begin));
  }

  async #run(queued: JobRecord, controller: AbortController): Promise<void> {
    const { jobs, now } = this.#options;
    const id = queued.repository_id;
    try {
      const started = await jobs.save(
        withLog({ ...queued, state: 'running', started_at: new Date(now()).toISOString() }, now(), 'Started.'),
      );
      if (started === undefined) return; // the repository was removed
      const run = await runBounded(
        this.#options,
        ['repository', 'sync', id, '--child'],
        controller,
        this.#closing.signal,
      );
      await jobs.finish(started, endOf(run, this.#stopReason(controller)));
    } finally {
      this.#running.delete(id);
      this.#beats.adjust();
    }
  }

  #stopReason(controller: AbortController): string | undefined {
    const { longestMs = defaultLongestMs } = this.#options;
    if (this.#closing.signal.aborted) return stoppedText;
    return controller.signal.aborted
      ? `It took longer than ${Math.round(longestMs / 60_000)} minutes and was stopped.`
      : undefined;
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

function endOf(run: BuildRun, stopped: string | undefined): Parameters<Jobs['finish']>[1] {
  const { error, report } = outcomeOf(run);
  const messageLines =
    error?.code === 'BUILD_BUSY'
      ? []
      : run.messages
          .split('\n')
          .filter((line) => line.trim() !== '')
          .slice(-100);
  // a build that ended before the stop is complete
  if (stopped !== undefined && error !== null)
    return { error: { code: 'BUILD_FAILED', message: stopped }, report: null, lines: [...messageLines, stopped] };
  if (error !== null) return { error, report, lines: [...messageLines, `Failed: ${error.message}`] };
  const { counts, published } = report ?? {
    counts: { added: 0, changed: 0, withdrawn: 0, quarantined: 0 },
    published: false,
  };
  return {
    error,
    report,
    lines: [
      ...messageLines,
      `Done: ${counts.added} added, ${counts.changed} changed, ${counts.withdrawn} withdrawn, ` +
        `${counts.quarantined} left out${published ? '' : '; nothing was published'}.`,
    ],
  };
}
