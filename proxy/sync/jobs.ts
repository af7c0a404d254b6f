// The jobs of repositories in the state: at most one under way for each, the last ones kept. What a job writes is
// written only while its row is there, so that nothing of a removed repository comes back.

import { RegistryError } from '../../build/contract/errors.ts';
import type { JsonValue } from '../../build/contract/json.ts';
import type { RandomBytes } from '../../build/shared/text/base62.ts';
import type { MaybeAsync } from '../../build/shared/concurrency/maybe-async.ts';
import type { Actor, AuditedStore } from '../state/audit.ts';
import type { StateChange, StateEntry, StateStore } from '../state/state-store.ts';
import {
  activeKey,
  activePrefix,
  jobKey,
  jobPrefix,
  mintJobId,
  parseJobRecord,
  withLog,
  type JobError,
  type JobRecord,
  type JobReport,
} from './job.ts';
import type { Liveness } from './liveness.ts';
import { describeOwner } from './process-owner.ts';
import { outcomeKey, parseSyncOutcome, repositoryKey, type RepositoryId, type SyncOutcome } from './repository.ts';

const standardKept = 20;

export interface JobsOptions {
  /** for what nobody asked for */
  readonly state: StateStore;
  /** for what somebody asked for */
  readonly store: AuditedStore;
  /** epoch milliseconds */
  readonly now: () => number;
  readonly randomBytes: RandomBytes;
  readonly liveness: Liveness;
  /** how many are kept of each repository, at least 1; default 20 */
  readonly kept?: (() => MaybeAsync<number>) | undefined;
}

export interface JobRequest {
  readonly trigger: JobRecord['trigger'];
  readonly actor: Actor;
}

export interface Jobs {
  /** Newest first. */
  readonly list: (repository: RepositoryId) => Promise<readonly JobRecord[]>;
  /** Throws NOT_FOUND. */
  readonly get: (repository: RepositoryId, id: string) => Promise<JobRecord>;
  /**
   * The job under way, or a new one, which then is the caller's to run. Throws NOT_FOUND for a repository that is gone.
   */
  readonly open: (
    repository: RepositoryId,
    request: JobRequest,
  ) => Promise<{ readonly job: JobRecord; readonly isNew: boolean }>;
  /** undefined: the job is gone with its repository */
  readonly save: (job: JobRecord) => Promise<JobRecord | undefined>;
  readonly finish: (
    job: JobRecord,
    end: { readonly error: JobError | null; readonly report: JobReport | null; readonly lines: readonly string[] },
  ) => Promise<JobRecord | undefined>;
  /**
   * Says of jobs under way that somebody is at work on them, to be said again every `beatMs`. Gives those that are not
   * there any more: their repository was removed.
   */
  readonly beat: (jobs: readonly JobRecord[]) => Promise<readonly JobRecord[]>;
  /** Jobs that nobody is at work on any more become failed. Gives how many there were. */
  readonly failAbandoned: () => Promise<number>;
  /** How it stands with each of these. */
  readonly outcomes: (
    repositories: readonly RepositoryId[],
  ) => Promise<ReadonlyMap<RepositoryId, { readonly outcome: SyncOutcome | undefined; readonly syncing: boolean }>>;
}

export function createJobs(options: JobsOptions): Jobs {
  const { state } = options;
  return {
    list: async (repository) =>
      (await listEntries(state, repository)).map(({ value }) => parseJobRecord(value)).toReversed(),
    get: async (repository, id) => {
      const found = (await listEntries(state, repository)).find(({ key }) => key.endsWith(`-${id}`));
      if (found === undefined)
        throw new RegistryError('NOT_FOUND', {
          message: 'Job not found. Only the last jobs of a repository are kept.',
        });
      return parseJobRecord(found.value);
    },
    open: (repository, request) => open(options, repository, request),
    save: (job) => put(state, job, { puts: [], deletes: [] }),
    finish: (job, end) => finish(options, job, end),
    beat: async (jobs) => {
      const gone = await Promise.all(jobs.map(async (job) => ((await beat(state, job)) ? [] : [job])));
      return gone.flat();
    },
    failAbandoned: () => failAbandoned(options),
    outcomes: async (repositories) => {
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

function listEntries(state: StateStore, repository: RepositoryId): Promise<readonly StateEntry[]> {
  return state.range(jobPrefix(repository));
}

async function open(
  options: JobsOptions,
  repository: RepositoryId,
  { trigger, actor }: JobRequest,
): Promise<{ job: JobRecord; isNew: boolean }> {
  const { state, store, now, randomBytes } = options;
  for (;;) {
    const registered = await state.get(repositoryKey(repository));
    if (registered === undefined) throw new RegistryError('NOT_FOUND', { message: 'Repository not found.' });
    const running = await runningJob(options, repository);
    if (running !== undefined) return { job: running, isNew: false };
    const time = new Date(now()).toISOString();
    const job = withLog(
      {
        id: mintJobId(randomBytes),
        repository_id: repository,
        state: 'queued',
        trigger,
        created_at: time,
        created_by: actor,
        started_at: null,
        finished_at: null,
        error: null,
        log: [],
        report: null,
        owner: await describeOwner(),
      },
      now(),
      'Queued.',
    );
    const older = (await listEntries(state, repository))
      .toReversed()
      .slice((await (options.kept?.() ?? standardKept)) - 1)
      .map(({ key }) => key);
    const change: StateChange = {
      conditions: [
        { key: registered.key, revision: registered.revision },
        { key: activeKey(repository), revision: null },
      ],
      puts: [
        { key: jobKey(job), value: asJson(job) },
        { key: activeKey(repository), value: jobKey(job) },
      ],
      deletes: older,
    };
    const done =
      trigger === 'request'
        ? await store.commit(change, {
            actor,
            action: 'repository.sync',
            subject: repository,
            details: { job: job.id },
          })
        : await state.commit(change);
    if (done) return { job, isNew: true };
  }
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

/**
 * What the row says stays the same: that it is written again is the sign of life. False: it does not lead to this job.
 */
async function beat(state: StateStore, job: JobRecord): Promise<boolean> {
  for (;;) {
    const active = await state.get(activeKey(job.repository_id));
    if (active?.value !== jobKey(job)) return false;
    if (
      await state.commit({
        conditions: [{ key: active.key, revision: active.revision }],
        puts: [{ key: active.key, value: active.value }],
        deletes: [],
        quiet: true,
      })
    )
      return true;
  }
}

/** undefined where the job's row is gone */
async function put(
  state: StateStore,
  job: JobRecord,
  more: Pick<StateChange, 'puts' | 'deletes'>,
): Promise<JobRecord | undefined> {
  const key = jobKey(job);
  for (;;) {
    const entry = await state.get(key);
    if (entry === undefined) return undefined;
    const done = await state.commit({
      conditions: [{ key, revision: entry.revision }],
      puts: [{ key, value: asJson(job) }, ...more.puts],
      deletes: more.deletes,
    });
    if (done) return job;
  }
}

async function finish(
  { state, now }: JobsOptions,
  job: JobRecord,
  {
    error,
    report,
    lines,
  }: { readonly error: JobError | null; readonly report: JobReport | null; readonly lines: readonly string[] },
): Promise<JobRecord | undefined> {
  const time = new Date(now()).toISOString();
  const ended: JobRecord = {
    ...withLog(job, now(), ...lines),
    state: error === null ? 'succeeded' : 'failed',
    finished_at: time,
    error,
    report,
  };
  const active = await state.get(activeKey(job.repository_id));
  // one that was given up by others, since it gave no sign of life, has a successor by now
  const deletes = active?.value === jobKey(job) ? [active.key] : [];
  // another build says nothing about the repository, which stays as due as it was
  if (error?.code === 'BUILD_BUSY') return put(state, ended, { puts: [], deletes });
  const before = parseSyncOutcome((await state.get(outcomeKey(job.repository_id)))?.value);
  const outcome: SyncOutcome = {
    status: error === null ? 'active' : 'error',
    error_message: error?.message ?? null,
    last_synced_at: error === null ? time : (before?.last_synced_at ?? null),
    attempted_at: time,
  };
  return put(state, ended, { puts: [{ key: outcomeKey(job.repository_id), value: { ...outcome } }], deletes });
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
  await finish(options, job, { error: { code: 'BUILD_FAILED', message }, report: null, lines: [message] });
}

function asJson(job: JobRecord): JsonValue {
  return { ...job } as unknown as JsonValue;
}
