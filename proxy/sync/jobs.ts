// The sync jobs of repositories in the state: at most one active job for each repository, and the last finished ones.

import { RegistryError } from '../../build/contract/errors.ts';
import type { RandomBytes } from '../../build/shared/text/base62.ts';
import type { MaybeAsync } from '../../build/shared/concurrency/maybe-async.ts';
import type { Actor, AuditDraft, AuditedStore } from '../state/audit.ts';
import type { StateChange, StateStore } from '../core/state/state-store.ts';
import { activeKey, activePrefix, jobKey, mintJobId, parseJobRecord, withLog, type JobRecord } from './job.ts';
import { finishJob, type JobEnd } from './job-end.ts';
import type { Liveness } from './liveness.ts';
import { parsePendingSync, pendingKey } from './pending-sync.ts';
import { describeOwner } from './process-owner.ts';
import { outcomeKey, parseSyncOutcome, repositoryKey, type RepositoryId, type SyncOutcome } from './repository.ts';
import { listEntries, beat, put, asJson } from './job-rows.ts';

const standardRetained = 20;

export interface JobsOptions {
  /** for automatic syncs */
  readonly state: StateStore;
  /** for requested syncs, which are audited */
  readonly store: AuditedStore;
  /** epoch milliseconds */
  readonly now: () => number;
  readonly randomBytes: RandomBytes;
  readonly liveness: Liveness;
  /** the number of stored jobs of each repository, at least 1; default 20 */
  readonly retained?: (() => MaybeAsync<number>) | undefined;
}

export interface JobRequest {
  readonly trigger: JobRecord['trigger'];
  readonly actor: Actor;
  /** the id of the hook's delivery that is replayed */
  readonly replays?: string | undefined;
}

export type Jobs = ReturnType<typeof createJobs>;

export function createJobs(options: JobsOptions) {
  const { state } = options;
  return {
    /** Newest first. */
    list: async (repository: RepositoryId) =>
      (await listEntries(state, repository)).map(({ value }) => parseJobRecord(value)).toReversed(),
    /** Throws NOT_FOUND. */
    get: async (repository: RepositoryId, id: string): Promise<JobRecord> => {
      const found = (await listEntries(state, repository)).find(({ key }) => key.endsWith(`-${id}`));
      if (found === undefined)
        throw new RegistryError('NOT_FOUND', {
          message: 'Job not found. Only the last jobs of a repository are kept.',
        });
      return parseJobRecord(found.value);
    },
    /**
     * The active job, or a new job that the caller must run. Throws NOT_FOUND for a removed repository.
     */
    open: (repository: RepositoryId, request: JobRequest) => open(options, repository, request),
    /**
     * The job as running. It answers the hooks that arrived until now. undefined: it was removed with its repository
     */
    start: (job: JobRecord) => start(options, job),
    /** undefined: the job was removed with its repository */
    finish: (job: JobRecord, end: JobEnd) => finishJob(state, job, end, options.now()),
    /** Writes the heartbeats of active jobs, due every `beatMs`. Returns the jobs whose repository was removed. */
    beat: async (jobs: readonly JobRecord[]): Promise<readonly JobRecord[]> => {
      const gone = await Promise.all(jobs.map(async (job) => ((await beat(state, job)) ? [] : [job])));
      return gone.flat();
    },
    /** Marks active jobs without a living process as failed. Returns their number. */
    failAbandoned: () => failAbandoned(options),
    /** The result of the last sync of each repository, and whether a sync is active. */
    outcomes: async (
      repositories: readonly RepositoryId[],
    ): Promise<ReadonlyMap<RepositoryId, { readonly outcome: SyncOutcome | undefined; readonly syncing: boolean }>> => {
      const found = await Promise.all(
        repositories.map(async (id) => {
          const [outcome, active] = await Promise.all([state.get(outcomeKey(id)), state.get(activeKey(id))]);
          return [id, { outcome: parseSyncOutcome(outcome?.value), syncing: active !== undefined }] as const;
        }),
      );
      return new Map(found);
    },
  };
}

async function open(
  options: JobsOptions,
  repository: RepositoryId,
  request: JobRequest,
): Promise<{ job: JobRecord; isNew: boolean }> {
  const { state } = options;
  for (;;) {
    const registered = await state.get(repositoryKey(repository));
    if (registered === undefined) throw new RegistryError('NOT_FOUND', { message: 'Repository not found.' });
    const running = await runningJob(options, repository);
    if (running !== undefined) {
      await auditJoin(options, running, request);
      return { job: running, isNew: false };
    }
    const job = await queuedJob(options, repository, request);
    const change: StateChange = {
      conditions: [
        { key: registered.key, revision: registered.revision },
        { key: activeKey(repository), revision: null },
      ],
      puts: [
        { key: jobKey(job), value: asJson(job) },
        { key: activeKey(repository), value: jobKey(job) },
      ],
      deletes: await surplusKeys(options, repository),
    };
    if (await commitJob(options, change, job, request)) return { job, isNew: true };
  }
}

async function queuedJob(
  { now, randomBytes }: JobsOptions,
  repository: RepositoryId,
  { trigger, actor, replays }: JobRequest,
): Promise<JobRecord> {
  const job: JobRecord = {
    id: mintJobId(randomBytes),
    repository_id: repository,
    state: 'queued',
    trigger,
    created_at: new Date(now()).toISOString(),
    created_by: actor,
    started_at: null,
    finished_at: null,
    error: null,
    log: [],
    report: null,
    ...(replays === undefined ? {} : { deliveries: [replays] }),
    owner: await describeOwner(),
  };
  return withLog(job, now(), 'Queued.');
}

async function start({ state, now }: JobsOptions, job: JobRecord): Promise<JobRecord | undefined> {
  const pending = await state.get(pendingKey(job.repository_id));
  const asked = pending === undefined ? [] : parsePendingSync(pending.value).deliveries;
  const deliveries = [...new Set([...(job.deliveries ?? []), ...asked])];
  const started_at = new Date(now()).toISOString();
  const running: JobRecord = {
    ...job,
    state: 'running',
    started_at,
    ...(deliveries.length === 0 ? {} : { deliveries }),
  };
  return put(state, withLog(running, now(), 'Started.'));
}

/** The rows of old jobs that one more job pushes out. */
async function surplusKeys({ state, retained }: JobsOptions, repository: RepositoryId): Promise<string[]> {
  const newestFirst = (await listEntries(state, repository)).toReversed();
  return newestFirst.slice((await (retained?.() ?? standardRetained)) - 1).map(({ key }) => key);
}

/** A replay that joins an active sync is an act of a person, too. */
async function auditJoin({ store }: JobsOptions, job: JobRecord, request: JobRequest): Promise<void> {
  if (request.trigger !== 'request' || request.replays === undefined) return;
  await store.commit({ conditions: [], puts: [], deletes: [] }, eventOf(job, request));
}

function eventOf({ id, repository_id: subject }: JobRecord, { actor, replays }: JobRequest): AuditDraft {
  const details = { job: id, ...(replays === undefined ? {} : { delivery: replays }) };
  return { actor, action: 'repository.sync', subject, details };
}

/** Only a requested sync is audited. */
function commitJob(
  { state, store }: JobsOptions,
  change: StateChange,
  job: JobRecord,
  request: JobRequest,
): Promise<boolean> {
  return request.trigger === 'request' ? store.commit(change, eventOf(job, request)) : state.commit(change);
}

async function runningJob(options: JobsOptions, repository: RepositoryId): Promise<JobRecord | undefined> {
  const active = await options.state.get(activeKey(repository));
  if (active === undefined) return undefined;
  const entry = await options.state.get(String(active.value));
  if (entry === undefined) {
    await options.state.commit({
      conditions: [{ key: active.key, revision: active.revision }],
      puts: [],
      deletes: [active.key],
    });
    return undefined;
  }
  const job = parseJobRecord(entry.value);
  if (await options.liveness.isAlive({ ...active, owner: job.owner })) return job;
  await abandon(options, job);
  return undefined;
}

async function failAbandoned(options: JobsOptions): Promise<number> {
  let count = 0;
  for (const { key, value, revision } of await options.state.range(activePrefix)) {
    const entry = await options.state.get(String(value));
    if (entry === undefined) {
      await options.state.commit({ conditions: [], puts: [], deletes: [key] });
      continue;
    }
    const job = parseJobRecord(entry.value);
    if (await options.liveness.isAlive({ key, revision, owner: job.owner })) continue;
    await abandon(options, job);
    count += 1;
  }
  return count;
}

async function abandon(options: JobsOptions, job: JobRecord): Promise<void> {
  const message = 'The server ended during this sync. Sync again.';
  const error = { code: 'BUILD_FAILED', message } as const;
  await finishJob(options.state, job, { error, report: null, lines: [message], isCutOff: true }, options.now());
}
