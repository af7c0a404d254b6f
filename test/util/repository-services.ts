// The services of registered repositories in tests over HTTP. All parts are real except the builder's process.

import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { MaybeAsync } from '../../build/shared/concurrency/maybe-async.ts';
import type { Resolve } from '../../build/egress/guarded-agent.ts';
import { settingObjection } from '../../cli/compose/settings.ts';
import { composeNotifying, type Notifying } from '../../cli/compose/notifying.ts';
import type { Catalogue } from '../../proxy/packages/catalogue.ts';
import { composePublishing, type Publishing } from '../../cli/compose/publishing.ts';
import { composeConnecting, type Connecting } from '../../cli/compose/connections.ts';
import { loadConfig } from '../../cli/config/config.ts';
import { createRepositorySources } from '../../cli/builds/repository-sources.ts';
import { createHooks } from '../../proxy/hooks/hooks.ts';
import type { HookInbox } from '../../proxy/hooks/inbox.ts';
import { openInbox } from '../../proxy/hooks/open-inbox.ts';
import type { Sealer } from '../../proxy/keys/sealer.ts';
import type { HookServices } from '../../proxy/hooks/operations.ts';
import type { RepositoryServices } from '../../proxy/sync/operations.ts';
import type { AuditedStore } from '../../proxy/state/audit.ts';
import type { SettingObjection } from '../../proxy/settings/settings.ts';
import type { StateStore } from '../../proxy/core/state/state-store.ts';
import { createJobs } from '../../proxy/sync/jobs.ts';
import { createLease } from '../../proxy/sync/lease.ts';
import { createLiveness } from '../../proxy/sync/liveness.ts';
import { createRepositories } from '../../proxy/sync/repositories.ts';
import { createSchedule, type Schedule } from '../../proxy/sync/schedule.ts';
import { createHostOf, createSyncer, type Syncer } from '../../proxy/sync/syncer.ts';
import { createVerifier } from '../../proxy/sync/verifier.ts';
import { createScriptedBuilder, type ScriptedBuilder } from './scripted-builder.ts';

export interface RepositoryParts {
  readonly state: StateStore;
  readonly store: AuditedStore;
  readonly sealer: Sealer;
  readonly now: () => number;
  /** the parent of `data` and libretto.json */
  readonly folder: string;
  readonly settings?: object | undefined;
  /** the number of concurrent syncs */
  readonly parallel: () => MaybeAsync<number>;
}

export interface TestRepositories extends RepositoryServices, Connecting {
  readonly syncer: Syncer;
  readonly schedule: Schedule;
  readonly hooksOf: HookServices['hooksOf'];
  readonly inbox: HookInbox;
  readonly builder: ScriptedBuilder;
  readonly settingObjection: SettingObjection;
  readonly notifyingWith: (catalogue: Catalogue) => Notifying;
  readonly publishing: Publishing;
  readonly errors: readonly unknown[];
}

/** Names resolve as in `addresses`, and otherwise to a public address; no test uses a real resolver. */
const addresses: Readonly<Record<string, string>> = {
  'inside.example.org': '10.1.2.3',
  'mixed.example.org': '169.254.169.254',
};

const resolve: Resolve = async (host) => [
  { address: '8.8.8.8', family: 4 },
  { address: addresses[host] ?? '8.8.4.4', family: 4 },
];

export async function repositoryServices({
  state,
  store,
  sealer,
  now,
  folder,
  settings = {},
  parallel,
}: RepositoryParts): Promise<TestRepositories> {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'libretto.json'), JSON.stringify(settings));
  const config = await loadConfig({ flags: { data: join(folder, 'data') }, environment: {}, workingDirectory: folder });
  const sources = createRepositorySources(config, resolve);
  const builder = createScriptedBuilder();
  const errors: unknown[] = [];
  const onError = (error: unknown): void => void errors.push(error);
  // follows the registry's own clock, which a test can move
  const liveness = createLiveness({ monotonicMs: now });
  const jobs = createJobs({ state, store, now, randomBytes, liveness });
  const syncer = createSyncer({ state, jobs, runner: builder, hostOf: createHostOf(state), now, onError, parallel });
  const lease = createLease({ state, name: 'schedule', liveness, randomBytes });
  const clock = { now: () => new Date(now()), randomBytes };
  return {
    ...composeConnecting(config, clock, { state, sealer, installsHooks: true }),
    notifyingWith: (catalogue) => composeNotifying(config, clock, { state, sealer, catalogue }),
    publishing: composePublishing(config, clock, { state }).publishing,
    repositoriesOf: (actor) => createRepositories({ store, sources, sealer, now, randomBytes, actor }),
    jobs,
    syncer,
    verifier: createVerifier({ runner: builder }),
    schedule: createSchedule({ state, jobs, lease, syncer, sources, now, random: () => 0.5, onError }),
    ...hookServices({ state, store, sealer, now }, syncer),
    builder,
    settingObjection: settingObjection(config, state, resolve),
    errors,
  };
}

function hookServices(
  { state, store, sealer, now }: Pick<RepositoryParts, 'state' | 'store' | 'sealer' | 'now'>,
  { takePending }: Syncer,
): Pick<TestRepositories, 'hooksOf' | 'inbox'> {
  return {
    hooksOf: (actor) => createHooks({ store, sealer, now, randomBytes, actor }),
    inbox: openInbox({ state, sealer, now, randomBytes, takePending }),
  };
}
