// The rows of jobs in the state. A job is written only while its row exists, so that no job of a removed repository
// returns.

import type { JsonValue } from '../../build/contract/json.ts';
import type { StateChange, StateEntry, StateStore } from '../core/state/state-store.ts';
import { activeKey, jobKey, jobPrefix, type JobRecord } from './job.ts';
import type { RepositoryId } from './repository.ts';

export function listEntries(state: StateStore, repository: RepositoryId): Promise<readonly StateEntry[]> {
  return state.range(jobPrefix(repository));
}

/**
 * Writes the row of an active job again, unchanged, as a sign of life. False: the repository has another job, or none.
 */
export async function beat(state: StateStore, job: JobRecord): Promise<boolean> {
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

/**
 * `more`: further changes of the same commit, read anew for each try. undefined: the row of the job no longer exists
 */
export async function put(
  state: StateStore,
  job: JobRecord,
  more: () => Promise<StateChange> = noMore,
): Promise<JobRecord | undefined> {
  const key = jobKey(job);
  for (;;) {
    const [entry, { conditions, puts, deletes }] = await Promise.all([state.get(key), more()]);
    if (entry === undefined) return undefined;
    const done = await state.commit({
      conditions: [{ key, revision: entry.revision }, ...conditions],
      puts: [{ key, value: asJson(job) }, ...puts],
      deletes,
    });
    if (done) return job;
  }
}

async function noMore(): Promise<StateChange> {
  return { conditions: [], puts: [], deletes: [] };
}

export function asJson(job: JobRecord): JsonValue {
  return { ...job } as unknown as JsonValue;
}
