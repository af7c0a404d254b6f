// The composition root of registered repositories: records, jobs, the builder that reads them, and when.

import type { MaybeAsync } from '../../build/shared/concurrency/maybe-async.ts';
import type { Sealer } from '../../proxy/keys/sealer.ts';
import { createHooks, type Hooks } from '../../proxy/hooks/hooks.ts';
import type { HookInbox } from '../../proxy/hooks/inbox.ts';
import { openInbox } from '../../proxy/hooks/open-inbox.ts';
import { createAuditedStore, type Actor } from '../../proxy/state/audit.ts';
import type { StateStore } from '../../proxy/core/state/state-store.ts';
import { createJobs, type Jobs } from '../../proxy/sync/jobs.ts';
import { createLease } from '../../proxy/sync/lease.ts';
import { createLiveness } from '../../proxy/sync/liveness.ts';
import { createRepositories, type Repositories } from '../../proxy/sync/repositories.ts';
import { createSchedule, type Schedule } from '../../proxy/sync/schedule.ts';
import { createHostOf, createSyncer, type Syncer } from '../../proxy/sync/syncer.ts';
import { createVerifier, type Verifier } from '../../proxy/sync/verifier.ts';
import { composeBuilder } from './builder.ts';
import type { Config } from '../config/config.ts';
import type { Context } from '../io/context.ts';
import { createRepositorySources } from '../builds/repository-sources.ts';

export interface Syncing {
  readonly repositoriesOf: (actor: Actor) => Repositories;
  readonly jobs: Jobs;
  readonly syncer: Syncer;
  readonly verifier: Verifier;
  readonly schedule: Schedule;
  readonly hooksOf: (actor: Actor) => Hooks;
  /** where a server puts received hooks */
  readonly inbox: HookInbox;
  readonly state: StateStore;
  /** Ends the running syncs. */
  readonly close: () => Promise<void>;
}

export interface SyncingParts {
  readonly state: StateStore;
  readonly sealer: Sealer;
  /** the number of stored jobs of a repository */
  readonly retainedJobs?: (() => MaybeAsync<number>) | undefined;
  /** the number of concurrent syncs; default: that of the configuration */
  readonly parallel?: (() => MaybeAsync<number>) | undefined;
  /** receives the errors of background work */
  readonly onError: (error: unknown) => void;
}

export function composeSyncing(
  config: Config,
  context: Context,
  { state, sealer, retainedJobs, parallel = () => config.syncParallel.value, onError }: SyncingParts,
): Syncing {
  const { randomBytes } = context;
  const now = (): number => context.now().getTime();
  const store = createAuditedStore({ store: state, now });
  const sources = createRepositorySources(config);
  const runner = composeBuilder(config, context);
  const liveness = createLiveness({ monotonicMs: () => performance.now() });
  const jobs = createJobs({ state, store, now, randomBytes, liveness, retained: retainedJobs });
  const syncer = createSyncer({ state, jobs, runner, hostOf: createHostOf(state), now, onError, parallel });
  const verifier = createVerifier({ runner });
  const random = (): number => (randomBytes(1)[0] ?? 0) / 256;
  const schedule = createSchedule({
    state,
    jobs,
    lease: createLease({ state, name: 'schedule', liveness, randomBytes }),
    syncer,
    sources,
    now,
    random,
    onError,
  });
  return {
    repositoriesOf: (actor) => createRepositories({ store, sources, sealer, now, randomBytes, actor }),
    jobs,
    syncer,
    verifier,
    schedule,
    hooksOf: (actor) => createHooks({ store, sealer, now, randomBytes, actor }),
    inbox: openInbox({ state, sealer, now, randomBytes, takePending: beginner(config, syncer) }),
    state,
    close: async () => {
      await schedule.stop();
      await Promise.all([syncer.close(), verifier.close()]);
    },
  };
}

/** A server with an origin has no builder: a server of the host that builds takes the syncs of its hooks. */
function beginner({ origin }: Config, { takePending }: Syncer): () => void {
  return origin.value === undefined ? takePending : () => undefined;
}
