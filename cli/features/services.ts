// The services behind the management API and the console: tokens, people, artifacts, settings and the status, beside
// those of packages and repositories. They are opened once, so that both share the limits on uploads and on attempts.

import { createUploads } from '../../proxy/artifacts/uploads.ts';
import { createTeams } from '../../proxy/teams/teams.ts';
import { createTokens } from '../../proxy/auth/tokens.ts';
import { originOf } from '../../proxy/console/request/visit.ts';
import { personPackages } from '../../proxy/teams/person-packages.ts';
import { createTerminals } from '../../proxy/device/terminals.ts';
import type { HttpRequest } from '../../proxy/core/http/http-request.ts';
import { settingOf } from '../../proxy/settings/settings.ts';
import { createAuditedStore, type Actor } from '../../proxy/state/audit.ts';
import { composeArtifacts } from '../compose/artifacts.ts';
import { localSignInRule } from '../compose/local-sign-in.ts';
import { composeKeys, type ComposedKeys } from '../compose/keys.ts';
import type { People } from '../../proxy/auth/people.ts';
import { composeMailing, type Mailing } from '../compose/mailing.ts';
import { composeNotifying } from '../compose/notifying.ts';
import { composePasskeys, composeSingleSignOn } from '../compose/sign-in.ts';
import { composePeople } from '../compose/people.ts';
import { composePublishing } from '../compose/publishing.ts';
import { standardTokenLimits, peopleRules } from '../compose/settings.ts';
import { devicePage, invitationPage } from '../config/console-links.ts';
import { publicUrlOf } from '../config/public-url.ts';
import type { ServingCore } from '../core/serving-core.ts';
import { trustedProxiesOf } from '../core/trusted-proxies.ts';
import { version } from '../io/version.ts';
import { mirroredReleases } from '../mirror/mirrored-releases.ts';
import type { FeatureOffers, OpenFeature } from './served-feature.ts';
import type { ComposedPackages } from '../compose/packages.ts';
import { composePolicyAdmin } from '../policy-admin/compose-admin.ts';
import { policyFeeds } from '../policy-admin/feeds-of-policy.ts';

/** The service for the policy in a server: it uses the parts of the server that are open anyway. */
function policyServices(
  { config, context, store, settings, uses, policy, tree }: ServingCore,
  { downloads, installs }: Pick<ComposedPackages, 'downloads' | 'installs'>,
  mirror: FeatureOffers['mirror'],
) {
  const now = (): number => context.now().getTime();
  const policyAdmin = composePolicyAdmin(config, context, {
    store,
    settings,
    sources: policy.sources,
    reader: policy.reader,
    published: tree.published,
    privateNames: async () => tree.privateNames(),
    uses,
    downloads,
    installs,
    feeds: policyFeeds(policy.feeds, createAuditedStore({ store, now })),
    mirrored: mirror && (() => mirror.catalogue.lists(now())),
  });
  return { policyAdmin, blockedVersions: policyAdmin.blockedVersions };
}

/** Offers the services, and the setup code of the first admin. */
export function open(core: ServingCore, { packages, syncing, connecting, mirror }: FeatureOffers): OpenFeature {
  if (packages === undefined || syncing === undefined || connecting === undefined)
    throw new Error('the services are opened behind packages and repositories');
  const { config, context, store: state, settings } = core;
  const nowMs = (): number => context.now().getTime();
  const store = createAuditedStore({ store: state, now: nowMs });
  const keys = composeKeys(config, context);
  const mailing = composeMailing(config, context, { state, sealer: keys.sealer });
  const notifying = composeNotifying(config, context, { state, sealer: keys.sealer, catalogue: packages.catalogue });
  const publishing = composePublishing(config, context, { state, processes: core.workerStatus?.size });
  const people = peopleFor(core, keys, mailing);
  const sso = signOnFor(core, keys, people);
  const services = {
    ...syncing,
    ...connecting,
    ...packages,
    ...notifying,
    ...publishing.publishing,
    ...factsOf(core),
    ...signingIn(core),
    ...policyServices(core, packages, mirror),
    mailPlace: mailing?.parts,
    upstreamProblems: async () => (await mirror?.mirror.problems()) ?? [],
    people,
    passkeys: composePasskeys(context, state, keys, people),
    sessions: people.sessions,
    artifactsOf: composeArtifacts(config, context, store),
    teamsOf: (actor: Actor) => createTeams({ store, now: nowMs, randomBytes: context.randomBytes, actor }),
    tokensOf: (actor: Actor) => createTokens({ store, now: nowMs, randomBytes: context.randomBytes, actor }),
    mirrored: mirror?.catalogue,
    mirroredReleases: mirroredReleases(config, context, { state, settings, privateNames: core.tree.privateNames }),
  };
  return {
    offers: { services, singleSignOn: sso?.singleSignOn, notifying, mailing, setupCode: people.offerSetup },
    close: async () => {
      for (const one of [notifying, publishing, sso]) one?.close();
    },
  };
}

/** The sign-in of terminals, and the page where people approve them. */
function signingIn({ config, context: { now, randomBytes }, store: state }: ServingCore) {
  const rules = { publicUrl: publicUrlOf(config)?.url, trustedProxies: trustedProxiesOf(config) };
  return {
    terminals: createTerminals({
      state,
      now: () => now().getTime(),
      randomBytes,
      personPackages: (person) => personPackages(state, person),
    }),
    devicePage: (incoming: HttpRequest) => devicePage(config, originOf(rules, incoming)),
  };
}

/** The state, the counters, the settings and the version of this server, which its services show. */
function factsOf({ config, context, uses, counters, settings, advisories, store: state }: ServingCore) {
  return {
    advisories,
    uses,
    counters,
    settings,
    state,
    dataDirectory: config.origin.value === undefined ? config.data.value : undefined,
    startedAtMs: context.now().getTime(),
    stateKind: config.state.value === undefined ? ('lmdb' as const) : ('redis' as const),
    invitationPage: invitationPage(config),
    publicUrl: publicUrlOf(config)?.url,
    version,
    uploads: createUploads(config.data.value),
    defaultLimits: standardTokenLimits(settings),
    artifactRetention: settingOf(settings, 'retention.artifacts_days'),
  };
}

function peopleFor(
  { config, context, store, settings, log }: ServingCore,
  keys: ComposedKeys,
  mailing?: Mailing,
): People {
  return composePeople(context, store, keys, {
    rules: peopleRules(settings),
    localSignIn: localSignInRule(config),
    providers: config.identityProviders.value.map(({ id }) => id),
    mails: mailing?.accountMails,
    onError: (err) => log.logger.error({ err }, 'a link for a new password could not be sent'),
  });
}

function signOnFor({ config, context, store, log }: ServingCore, { sealer }: ComposedKeys, people: People) {
  const onError = (err: unknown): void => log.logger.error({ err }, 'a sign-in at an identity provider failed');
  return composeSingleSignOn(config, context, { state: store, sealer, people, onError });
}
