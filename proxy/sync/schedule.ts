// Schedules automatic syncs: each repository with an interval at once, and then some time after its last sync. A jitter
// of a tenth of the interval keeps syncs apart. The schedule depends only on the state, so that a restart and several
// processes do not disturb it. Among several processes the holder of the lease runs the schedule. It also takes the
// syncs that hooks asked for and that no other process is working on.

import { RegistryError } from '../../build/contract/errors.ts';
import { StateError } from '../core/state/state-error.ts';
import type { StateStore } from '../core/state/state-store.ts';
import type { Jobs } from './jobs.ts';
import type { Lease } from './lease.ts';
import { listRepositories } from './list-repositories.ts';
import type { RepositoryId } from './repository.ts';
import type { RepositorySources } from './repository-sources.ts';
import type { Syncer } from './syncer.ts';

export interface SyncScheduleOptions {
  readonly state: StateStore;
  readonly jobs: Jobs;
  readonly lease: Lease;
  readonly syncer: Pick<Syncer, 'sync' | 'withdraw' | 'takePending'>;
  readonly sources: Pick<RepositorySources, 'hasLeftovers'>;
  /** epoch milliseconds */
  readonly now: () => number;
  /** 0 ≤ … < 1 */
  readonly random: () => number;
  readonly onError: (error: unknown) => void;
  /** between two looks; default 10 s */
  readonly everyMs?: number;
}

export type Schedule = ReturnType<typeof createSchedule>;

/** What a person registered before the start, or what became due, is read soon. */
const firstMs = 1000;

export function createSchedule(options: SyncScheduleOptions) {
  const { jobs, lease, syncer, onError, everyMs = 10_000 } = options;
  const due = new Map<RepositoryId, { readonly last: number; readonly interval: number; readonly atMs: number }>();
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> = Promise.resolve();
  let stopped = false;
  const look = (): Promise<void> => lookOnce(options, due);
  const later = (afterMs: number): void => {
    if (stopped) return;
    timer = setTimeout(() => {
      looking = look()
        .catch(onError)
        .then(() => later(everyMs));
    }, afterMs);
    timer.unref();
  };
  return {
    /** One check: starts the due syncs, unless another process does. */
    look,
    /** Fails the jobs that an earlier process left running, then checks periodically. */
    start: async (): Promise<void> => {
      await jobs.failAbandoned().catch((error: unknown) => (isDamage(error) ? onError(error) : Promise.reject(error)));
      syncer.takePending();
      later(Math.min(firstMs, everyMs));
    },
    stop: async (): Promise<void> => {
      stopped = true;
      clearTimeout(timer);
      await looking;
      await lease.release().catch(onError);
    },
  };
}

/** Damage of the state stops the syncs, and the server continues to serve. */
function isDamage(error: unknown): boolean {
  return error instanceof StateError && error.code === 'STATE_CORRUPT';
}

type DueTimes = Map<RepositoryId, { readonly last: number; readonly interval: number; readonly atMs: number }>;

async function lookOnce(
  { state, jobs, lease, syncer, sources, now, random }: SyncScheduleOptions,
  due: DueTimes,
): Promise<void> {
  if (!(await lease.hold())) return;
  await jobs.failAbandoned();
  syncer.takePending();
  const repositories = await listRepositories(state);
  if (await sources.hasLeftovers(repositories)) syncer.withdraw();
  const timed = repositories.flatMap(({ id, interval, created_at: createdAt }) =>
    interval === null ? [] : [{ id, interval, createdAt }],
  );
  for (const id of due.keys()) if (!timed.some((one) => one.id === id)) due.delete(id);
  const outcomes = await jobs.outcomes(timed.map(({ id }) => id));
  for (const { id, interval, createdAt } of timed) {
    const { outcome, syncing = false } = outcomes.get(id) ?? {};
    const last = Date.parse(outcome?.attempted_at ?? createdAt);
    const known = due.get(id);
    const atMs =
      known?.last === last && known.interval === interval
        ? known.atMs
        : last + interval * 1000 * (0.9 + 0.2 * random());
    due.set(id, { last, interval, atMs });
    const isFirst = outcome === undefined;
    if (!syncing && (isFirst || now() >= atMs))
      await syncer.sync(id, { trigger: 'interval', actor: 'system:schedule' }).catch(unlessLater);
  }
}

/** A sync without a free slot, or of a just removed repository, is tried at the next check. */
function unlessLater(error: unknown): void {
  if (!(error instanceof RegistryError)) throw error;
}
