// The services behind the management API and the console: tokens, people, artifacts, settings and the status, beside
// those of packages and repositories. They are opened once, so that both share the limits on uploads and on attempts.

import { createArtifacts, type Artifacts } from '../../proxy/artifacts/artifacts.ts';
import { createChildPublisher } from '../../proxy/artifacts/child-publisher.ts';
import { createUploads } from '../../proxy/artifacts/uploads.ts';
import { createTokens } from '../../proxy/auth/tokens.ts';
import { settingOf } from '../../proxy/settings/settings.ts';
import { createAuditedStore, type Actor, type AuditedStore } from '../../proxy/state/audit.ts';
import { composeBuilder } from '../compose/builder.ts';
import { composeKeys } from '../compose/keys.ts';
import { composePeople } from '../compose/people.ts';
import { defaultLimits, peopleRules } from '../compose/settings.ts';
import { invitationPage } from '../config/invitation-page.ts';
import { publicUrlOf } from '../config/public-url.ts';
import type { ServingCore } from '../core/serving-core.ts';
import { version } from '../io/version.ts';
import { mirroredReleases } from '../mirror/mirrored-releases.ts';
import type { Offers, OpenFeature } from './served-feature.ts';

/** Offers the services, and the setup code of the first admin. */
export function open(core: ServingCore, { packages, syncing, connecting, mirror }: Offers): OpenFeature {
  if (packages === undefined || syncing === undefined || connecting === undefined)
    throw new Error('the services are opened behind packages and repositories');
  const { config, context, store: state, settings } = core;
  const { now, randomBytes } = context;
  const nowMs = (): number => now().getTime();
  const store = createAuditedStore({ store: state, now: nowMs });
  const keys = composeKeys(config, context);
  const people = composePeople(context, state, keys, peopleRules(settings));
  const services = {
    ...syncing,
    ...connecting,
    ...packages,
    uses: core.uses,
    counters: core.counters,
    upstreamProblems: async () => (await mirror?.mirror.problems()) ?? [],
    dataDirectory: config.origin.value === undefined ? config.data.value : undefined,
    settings,
    state,
    startedAtMs: nowMs(),
    stateKind: config.state.value === undefined ? ('lmdb' as const) : ('redis' as const),
    people,
    invitationPage: invitationPage(config),
    publicUrl: publicUrlOf(config)?.url,
    sessions: people.sessions,
    version,
    artifactsOf: artifactsFor(core, store),
    uploads: createUploads(config.data.value),
    tokensOf: (actor: Actor) => createTokens({ store, now: nowMs, randomBytes, actor }),
    defaultLimits: defaultLimits(settings),
    mirroredReleases: mirroredReleases(config, context, { state, settings, privateNames: core.tree.privateNames }),
    artifactRetention: settingOf(settings, 'retention.artifacts_days'),
  };
  return { offers: { services, setupCode: () => composePeople(context, state, keys).offerSetup() } };
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
      publisher: createChildPublisher(composeBuilder(config, context), actor),
      dataDirectory: config.data.value,
    });
}
