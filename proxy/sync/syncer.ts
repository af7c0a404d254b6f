// Reads registered repositories: when somebody asks, when their interval is over, and to withdraw what a removed one
// has published. The builder works in processes of its own, several at a time: each fetches without the build's lock,
// and waits for that only to publish. So a host that hangs delays its own repositories and no others. The queue is
// bounded.

import pLimit from 'p-limit';

import { RegistryError } from '../../build/contract/errors.ts';
import { KeyedSemaphore } from '../../build/shared/concurrency/keyed-semaphore.ts';
import { busyExitCode, type BuildRun, type BuildRunner } from './build-runner.ts';
import { outcomeOf, withLog, type JobRecord } from './job.ts';
import type { JobRequest, Jobs } from './jobs.ts';
import { beatMs } from './liveness.ts';
import type { StateStore } from '../state/state-store.ts';
import {
  hostOfRepository,
  parseRepositoryRecord,
  repositoryKey,
  type RepositoryId,
  type RepositoryRecord,
} from './repository.ts';

export interface SyncerOptions {
  readonly jobs: Jobs;
  readonly runner: BuildRunner;
  /** the host that a repository is fetched from; '' for this machine */
  readonly hostOf: (id: RepositoryId) => Promise<string>;
  /** epoch milliseconds */
  readonly now: () => number;
  /** of what broke that nobody waits for */
  readonly onError: (error: unknown) => void;
  /** how many may wait; default 50 */
  readonly mostWaiting?: number;
  /** after which a sync is stopped; default an hour */
  readonly longestMs?: number;
}

export interface Syncer {
  /** Joins the sync of this repository that is under way, or queues one. Throws NOT_FOUND, OVERLOADED. */
  readonly sync: (id: RepositoryId, request: JobRequest) => Promise<JobRecord>;
  /** Once the syncs that this process has are over. */
  readonly idle: () => Promise<void>;
  /**
   * Ends the sync of a repository that was removed, and withdraws what it had published. Of another Composer repository
   * nothing ever is.
   */
  readonly removed: (record: Pick<RepositoryRecord, 'id' | 'type'>) => void;
  /** Queues a withdrawal of what removed repositories have published, unless one waits already. */
  readonly withdraw: () => void;
  /** Ends what is under way; what waits fails. */
  readonly close: () => Promise<void>;
}

/** From the record, as it is by then; '' for a repository that is gone. */
export function createHostOf(state: StateStore): SyncerOptions['hostOf'] {
  return async (id) => {
    const entry = await state.get(repositoryKey(id));
    return entry === undefined ? '' : hostOfRepository(parseRepositoryRecord(entry.value));
  };
}

/** Processes of the builder at a time, in all and for each host. */
const atOnce = 8;
const atOnceOfHost = 2;

const stoppedText = 'The server was stopped during this sync. Sync again.';

export function createSyncer({
  jobs,
  runner,
  hostOf,
  now,
  onError,
  mostWaiting = 50,
  longestMs = 3_600_000,
}: SyncerOptions): Syncer {
  const slots = pLimit(atOnce);
  const hosts = new KeyedSemaphore(atOnceOfHost);
  let waiting = 0;
  const withdrawals = pLimit(1);
  const running = new Map<RepositoryId, RunningSync>();
  const beats = createBeats(jobs, running, onError);
  const work = new Set<Promise<void>>();
  const closing = new AbortController();
  let withdrawing = false;

  const enqueue = (task: () => Promise<void>): Promise<void> => {
    const done = task()
      .catch(onError)
      .finally(() => void work.delete(done));
    work.add(done);
    return done;
  };
  const bounded = async (args: readonly string[], controller: AbortController): Promise<BuildRun> => {
    const timer = setTimeout(() => controller.abort(), longestMs);
    const signal = AbortSignal.any([controller.signal, closing.signal]);
    return runner.run(args, signal).finally(() => clearTimeout(timer));
  };
  const inTurn = async (id: RepositoryId, task: () => Promise<void>): Promise<void> => {
    waiting += 1;
    const begin = (): Promise<void> => {
      waiting -= 1;
      return task();
    };
    const host = await hostOf(id).catch((error: unknown) => {
      onError(error); // the job itself tells how it ends
      return '';
    });
    await hosts.use(host, () => slots(begin));
  };
  const runJob = async (queued: JobRecord, controller: AbortController): Promise<void> => {
    const id = queued.repository_id;
    try {
      const started = await jobs.save(
        withLog({ ...queued, state: 'running', started_at: new Date(now()).toISOString() }, now(), 'Started.'),
      );
      if (started === undefined) return; // removed while it waited
      const run = await bounded(['repository', 'sync', id, '--child'], controller);
      await jobs.finish(
        started,
        endOf(
          run,
          closing.signal.aborted
            ? stoppedText
            : controller.signal.aborted
              ? `It took longer than ${Math.round(longestMs / 60_000)} minutes and was stopped.`
              : undefined,
        ),
      );
    } finally {
      running.delete(id);
      beats.adjust();
    }
  };
  const runWithdrawal = async (after: Promise<void> | undefined): Promise<void> => {
    await after;
    withdrawing = false; // what is removed from now on needs another one
    const { exitCode, messages } = await bounded(['repository', 'withdraw'], new AbortController());
    if (exitCode > 1 && exitCode !== busyExitCode)
      onError(new Error(`The packages of a removed repository could not be withdrawn: ${messages}`));
  };
  /** `after`: a sync that was ended, and may be publishing still. */
  const withdraw = (after?: Promise<void>): void => {
    if (withdrawing || closing.signal.aborted) return;
    withdrawing = true;
    void enqueue(() => withdrawals(() => runWithdrawal(after)));
  };
  return {
    sync: async (id, request) => {
      if (closing.signal.aborted || waiting >= mostWaiting)
        throw new RegistryError('OVERLOADED', {
          message: `${waiting} syncs are waiting already. Try again shortly.`,
          details: { retry_after_seconds: 30 },
        });
      const { job, isNew } = await jobs.open(id, request);
      if (!isNew) return job;
      const controller = new AbortController();
      running.set(id, { job, controller, done: enqueue(() => inTurn(id, () => runJob(job, controller))) });
      beats.adjust();
      return job;
    },
    idle: async () => {
      while (work.size > 0) await Promise.all(work);
    },
    removed: ({ id, type }) => {
      const sync = running.get(id);
      sync?.controller.abort();
      if (type !== 'composer') withdraw(sync?.done);
    },
    withdraw: () => withdraw(),
    close: async () => {
      closing.abort();
      while (work.size > 0) await Promise.all(work);
    },
  };
}

interface RunningSync {
  readonly job: JobRecord;
  readonly controller: AbortController;
  /** Never rejects. */
  readonly done: Promise<void>;
}

/**
 * Says that these jobs are at work on, for as long as there are any, and ends those whose repository another process
 * has removed.
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
  const said =
    error?.code === 'BUILD_BUSY'
      ? []
      : run.messages
          .split('\n')
          .filter((line) => line.trim() !== '')
          .slice(-100);
  // one that was done before it could be stopped is done
  if (stopped !== undefined && error !== null)
    return { error: { code: 'BUILD_FAILED', message: stopped }, report: null, lines: [...said, stopped] };
  if (error !== null) return { error, report, lines: [...said, `Failed: ${error.message}`] };
  const { counts, published } = report ?? {
    counts: { added: 0, changed: 0, withdrawn: 0, quarantined: 0 },
    published: false,
  };
  return {
    error,
    report,
    lines: [
      ...said,
      `Done: ${counts.added} added, ${counts.changed} changed, ${counts.withdrawn} withdrawn, ` +
        `${counts.quarantined} left out${published ? '' : '; nothing was published'}.`,
    ],
  };
}
