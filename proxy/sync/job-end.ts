// The end of a sync: its result in the state, together with what it settles for the repository. A finished job frees
// its repository for the next one.

import { storeEvent, type OutboxChange } from '../events/outbox.ts';
import type { StateChange, StateStore } from '../core/state/state-store.ts';
import type { BuildRun } from './build-runner.ts';
import { put } from './job-rows.ts';
import { activeKey, jobKey, outcomeOf, withLog, type JobError, type JobRecord, type JobReport } from './job.ts';
import { pendingKey, settlePending } from './pending-sync.ts';
import { isTemporary } from './temporary-fault.ts';
import {
  outcomeKey,
  parseRepositoryRecord,
  parseSyncOutcome,
  repositoryKey,
  type RepositoryId,
  type SyncOutcome,
} from './repository.ts';

export interface JobEnd {
  readonly error: JobError | null;
  readonly report: JobReport | null;
  readonly lines: readonly string[];
  /** true: the repository was not read to the end, for no fault of its own. Hooks that asked for it still wait. */
  readonly isCutOff?: boolean;
}

/** `stopped`: the reason why the builder was stopped, and whether this process stops. */
export function endOf(run: BuildRun, stopped?: { readonly reason: string; readonly isCutOff: boolean }): JobEnd {
  const { error, report } = outcomeOf(run);
  if (error?.code === 'BUILD_BUSY') return { error, report, lines: [`Failed: ${error.message}`], isCutOff: true };
  const messages = run.messages
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(-100);
  // a build that ended before the stop is complete
  if (stopped !== undefined && error !== null) {
    const { reason, isCutOff } = stopped;
    return { error: { code: 'BUILD_FAILED', message: reason }, report: null, lines: [...messages, reason], isCutOff };
  }
  if (error !== null) return { error, report, lines: [...messages, `Failed: ${error.message}`] };
  const { counts, published } = report ?? {
    counts: { added: 0, changed: 0, withdrawn: 0, quarantined: 0 },
    published: false,
  };
  const done =
    `Done: ${counts.added} added, ${counts.changed} changed, ${counts.withdrawn} withdrawn, ` +
    `${counts.quarantined} left out${published ? '' : '; nothing was published'}.`;
  return { error, report, lines: [...messages, done] };
}

/** Stores the end of a job. `nowMs`: epoch. undefined: the job was removed with its repository. */
export async function finishJob(
  state: StateStore,
  job: JobRecord,
  { error, report, lines, isCutOff = false }: JobEnd,
  nowMs: number,
): Promise<JobRecord | undefined> {
  const ended: JobRecord = {
    ...withLog(job, nowMs, ...lines),
    state: error === null ? 'succeeded' : 'failed',
    finished_at: new Date(nowMs).toISOString(),
    error,
    report,
  };
  return put(state, ended, () => settle(state, ended, isCutOff));
}

/** The other rows that the end of this job changes. */
async function settle(
  state: StateStore,
  { repository_id: id, error, finished_at: finishedAt, deliveries = [], ...job }: JobRecord,
  isCutOff: boolean,
): Promise<StateChange> {
  const [active, before, pending] = await Promise.all([
    state.get(activeKey(id)),
    state.get(outcomeKey(id)),
    state.get(pendingKey(id)),
  ]);
  // other processes may have marked this job as failed, and started a successor
  const isActive = active?.value === jobKey({ ...job, repository_id: id });
  const freed = { conditions: [], puts: [], deletes: isActive ? [activeKey(id)] : [] };
  // a busy builder is no result of this repository: its next sync stays due
  if (error?.code === 'BUILD_BUSY') return freed;
  const at = finishedAt ?? '';
  const known = parseSyncOutcome(before?.value);
  const isTold = known?.is_told === true;
  // a sync that was cut off begins again, and is no failure that people should be notified of
  const tells = error === null ? isTold : !isTold && !isCutOff;
  const event = tells ? await eventOf(state, { id, job: job.id, error, at }) : noEvent;
  const outcome: SyncOutcome = {
    status: error === null ? 'active' : 'error',
    error_message: error?.message ?? null,
    last_synced_at: error === null ? at : (known?.last_synced_at ?? null),
    attempted_at: at,
    ...(error !== null && (isTold || tells) ? { is_told: true } : {}),
  };
  const { conditions, puts, deletes } = settlePending(isCutOff ? undefined : pending, {
    answered: deliveries,
    at,
    isTemporary: error !== null && isTemporary(error),
  });
  return {
    conditions,
    puts: [{ key: outcomeKey(id), value: { ...outcome } }, ...puts, ...event.puts],
    deletes: [...freed.deletes, ...deletes, ...event.deletes],
  };
}

const noEvent: OutboxChange = { puts: [], deletes: [] };

interface EndedSync {
  readonly id: RepositoryId;
  readonly job: string;
  readonly error: JobError | null;
  readonly at: string;
}

/** The event of the first failure, or of the first success after failures. */
async function eventOf(
  state: Pick<StateStore, 'get' | 'range'>,
  { id, job, error, at }: EndedSync,
): Promise<OutboxChange> {
  const entry = await state.get(repositoryKey(id));
  if (entry === undefined) return noEvent;
  const { url } = parseRepositoryRecord(entry.value);
  return storeEvent(state, {
    type: error !== null ? 'repository.sync.failed' : 'repository.sync.recovered',
    subject: id,
    atMs: Date.parse(at),
    data: {
      repository_id: id,
      repository_url: url,
      job_id: job,
      ...(error === null ? {} : { error: error.message, code: error.code }),
    },
  });
}
