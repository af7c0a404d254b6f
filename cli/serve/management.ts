// The composition root of the management API: the services behind its operations, each given only what it needs.

import { createArtifacts } from '../../proxy/artifacts/artifacts.ts';
import { createChildPublisher } from '../../proxy/artifacts/child-publisher.ts';
import { createAuditedStore } from '../../proxy/state/audit.ts';
import { createTokens } from '../../proxy/auth/tokens.ts';
import type { TokenUses } from '../../proxy/auth/token-uses.ts';
import type { Counters } from '../../proxy/limits/counters.ts';
import type { Management } from '../../proxy/manage/frame/api-request.ts';
import type { PackageServices } from '../../proxy/manage/routes/packages.ts';
import type { PurgeServices } from '../../proxy/manage/routes/purges.ts';
import { createManagement } from '../../proxy/manage/management.ts';
import type { Mirror } from '../../proxy/mirror/mirror.ts';
import type { ReadPrivateNames } from '../../proxy/tree/private-names.ts';
import { createUploads } from '../../proxy/manage/frame/upload.ts';
import { settingOf, type Settings } from '../../proxy/settings/settings.ts';
import type { StateStore } from '../../proxy/state/state-store.ts';
import { composeBuilder } from '../compose/builder.ts';
import { composeKeys } from '../compose/keys.ts';
import { composePeople } from '../compose/people.ts';
import { defaultLimits, peopleRules } from '../compose/settings.ts';
import type { Config } from '../config/config.ts';
import type { Syncing } from '../compose/sync.ts';
import type { Context } from '../io/context.ts';
import { mirroredReleases } from '../mirror/mirrored-releases.ts';
import { version } from '../io/version.ts';

export interface ManagementParts {
  readonly syncing: Syncing;
  readonly packages: PackageServices & Pick<PurgeServices, 'purgesOf'>;
  readonly settings: Settings;
  readonly uses: TokenUses;
  readonly counters: Counters;
  readonly privateNames: ReadPrivateNames;
  readonly upstreamProblems: Mirror['problems'];
}

export function composeManagement(
  config: Config,
  context: Context,
  state: StateStore,
  { syncing, packages, settings, privateNames, ...parts }: ManagementParts,
): Management {
  const { now, randomBytes } = context;
  const nowMs = (): number => now().getTime();
  const store = createAuditedStore({ store: state, now: nowMs });
  const people = composePeople(context, state, composeKeys(config, context), peopleRules(settings));
  return createManagement({
    ...syncing,
    ...packages,
    ...parts,
    dataDirectory: config.origin.value === undefined ? config.data.value : undefined,
    settings,
    state,
    startedAtMs: nowMs(),
    stateKind: config.state.value === undefined ? 'lmdb' : 'redis',
    people,
    sessions: people.sessions,
    version,
    artifactsOf: (actor) =>
      createArtifacts({
        store,
        now: nowMs,
        randomBytes,
        actor,
        publisher: createChildPublisher(composeBuilder(config, context)),
        dataDirectory: config.data.value,
      }),
    uploads: createUploads(config.data.value),
    tokensOf: (actor) => createTokens({ store, now: nowMs, randomBytes, actor }),
    defaultLimits: defaultLimits(settings),
    mirroredReleases: mirroredReleases(config, context, { state, settings, privateNames }),
    artifactRetention: settingOf(settings, 'retention.artifacts_days'),
  });
}
