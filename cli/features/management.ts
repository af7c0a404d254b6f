// The feature `api`: the management API, with the services that its operations need.

import { createArtifacts, type Artifacts } from '../../proxy/artifacts/artifacts.ts';
import { createChildPublisher } from '../../proxy/artifacts/child-publisher.ts';
import { createAuditedStore, type Actor, type AuditedStore } from '../../proxy/state/audit.ts';
import { createTokens } from '../../proxy/auth/tokens.ts';
import { createManagementFeature } from '../../proxy/manage/feature.ts';
import { createManagement } from '../../proxy/manage/management.ts';
import { createUploads } from '../../proxy/manage/frame/upload.ts';
import { settingOf } from '../../proxy/settings/settings.ts';
import { composeBuilder } from '../compose/builder.ts';
import { composeKeys } from '../compose/keys.ts';
import { composePeople } from '../compose/people.ts';
import { defaultLimits, peopleRules } from '../compose/settings.ts';
import { mirroredReleases } from '../mirror/mirrored-releases.ts';
import type { ServingCore } from '../core/serving-core.ts';
import type { Offers, OpenFeature } from './served-feature.ts';
import { version } from '../io/version.ts';

/** Opens the management API, and offers the setup code of the first admin. */
export function open(core: ServingCore, { packages, syncing, mirror }: Offers): OpenFeature {
  if (packages === undefined || syncing === undefined) throw new Error('the API is opened behind what it manages');
  const { config, context, store: state, settings } = core;
  const { now, randomBytes } = context;
  const nowMs = (): number => now().getTime();
  const store = createAuditedStore({ store: state, now: nowMs });
  const keys = composeKeys(config, context);
  const people = composePeople(context, state, keys, peopleRules(settings));
  const management = createManagement({
    ...syncing,
    ...packages,
    uses: core.uses,
    counters: core.counters,
    upstreamProblems: async () => (await mirror?.mirror.problems()) ?? [],
    dataDirectory: config.origin.value === undefined ? config.data.value : undefined,
    settings,
    state,
    startedAtMs: nowMs(),
    stateKind: config.state.value === undefined ? 'lmdb' : 'redis',
    people,
    sessions: people.sessions,
    version,
    artifactsOf: artifactsFor(core, store),
    uploads: createUploads(config.data.value),
    tokensOf: (actor) => createTokens({ store, now: nowMs, randomBytes, actor }),
    defaultLimits: defaultLimits(settings),
    mirroredReleases: mirroredReleases(config, context, { state, settings, privateNames: core.tree.privateNames }),
    artifactRetention: settingOf(settings, 'retention.artifacts_days'),
  });
  return {
    answers: createManagementFeature(management),
    offers: { setupCode: () => composePeople(context, state, keys).offerSetup() },
  };
}

/** The artifacts on behalf of an actor. */
function artifactsFor({ config, context }: ServingCore, store: AuditedStore): (actor: Actor) => Artifacts {
  const { now, randomBytes } = context;
  return (actor) =>
    createArtifacts({
      store,
      now: () => now().getTime(),
      randomBytes,
      actor,
      publisher: createChildPublisher(composeBuilder(config, context)),
      dataDirectory: config.data.value,
    });
}
