// The management API on a real socket with a state in memory; all other parts are real. Callers are created through the
// real services, and every answer is checked against the API document. At the end, every change must have its audit
// event, and no secret may have leaked.

import { randomBytes } from 'node:crypto';
import { createAuthenticator } from '../../proxy/core/tokens/authenticate.ts';
import { version } from '../../cli/io/version.ts';
import { createPasswords } from '../../proxy/auth/password.ts';
import { advertisedRoot, standardTokenLimits, peopleRules } from '../../cli/compose/settings.ts';
import type { RenderThreadOptions } from '../../proxy/packages/render-thread.ts';
import { createUsage } from '../../proxy/packages/usage.ts';
import type { Feature } from '../../proxy/core/protocol/feature.ts';
import { createTombstones } from '../../proxy/core/protocol/tombstones.ts';
import { createLocalFiles } from '../../proxy/core/tree/local-files.ts';
import { createLocalPublishedFiles } from '../../proxy/core/tree/published-files.ts';
import { withVisibleNames } from '../../proxy/core/tree/visible-names.ts';
import { createPublishedAdvisories } from '../../proxy/core/tree/published-advisories.ts';
import type { MirroredCatalogue } from '../../proxy/mirror/mirrored-catalogue.ts';
import { createLookups } from '../../proxy/search/lookups.ts';
import { approvedBy } from '../../proxy/device/stored-request.ts';
import { createTerminals } from '../../proxy/device/terminals.ts';
import type { LocalSignInRule } from '../../proxy/auth/local-sign-in.ts';
import { createPeople, type People } from '../../proxy/auth/people.ts';
import type { Role } from '../../proxy/core/tokens/person.ts';
import type { TokenKind } from '../../proxy/core/tokens/token-format.ts';
import { createTokenUses, type TokenUses } from '../../proxy/core/tokens/token-uses.ts';
import { leaveTeams } from '../../proxy/teams/leave-teams.ts';
import { personStatus } from '../../proxy/auth/person-status.ts';
import { createPersonViews, personPackages } from '../../proxy/teams/person-packages.ts';
import { createTeams } from '../../proxy/teams/teams.ts';
import { createTokens } from '../../proxy/auth/tokens.ts';
import { createPasskeys } from '../../proxy/passkeys/passkeys.ts';
import { createKeyRing, type KeyRing } from '../../proxy/keys/key-ring.ts';
import { createSealer, type Sealer } from '../../proxy/keys/sealer.ts';
import { createAccountMails } from '../../proxy/mail/account-mails.ts';
import { createManagementFeature } from '../../proxy/manage/feature.ts';
import { createManagement } from '../../proxy/manage/management.ts';
import type { ApiDocument } from '../../proxy/manage/openapi/schema.ts';
import type { Services } from '../../proxy/manage/routes.ts';
import type { UploadLimits } from '../../proxy/artifacts/uploads.ts';
import type { Counters } from '../../proxy/core/limits/counters.ts';
import { createMemoryCounters } from '../../proxy/core/limits/memory-counters.ts';
import { createSettings, settingOf, type Baseline } from '../../proxy/settings/settings.ts';
import { createAuditedStore, type Actor } from '../../proxy/state/audit.ts';
import { createMemoryStore } from '../../proxy/core/state/memory-store.ts';
import type { Certificate } from '../../proxy/core/http/http2/secure-server.ts';
import { defaultServerLimits, type ServerLimits } from '../../proxy/core/http/server-limits.ts';
import type { StateStore } from '../../proxy/core/state/state-store.ts';
import { createAnswerCheck, type AnswerCheck } from './api-document.ts';
import { assertState } from './assert-state.ts';
import { artifactServices } from './artifact-services.ts';
import { assertNoSecrets, assertNoSecretsBelow, rememberSecrets } from './leaks.ts';
import { policyServices, type PolicyParts } from './policy-services.ts';
import { packageServices } from './package-services.ts';
import { repositoryServices, type TestRepositories } from './repository-services.ts';
import { runProxy, type Reply, type RunningProxy } from './running-proxy.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { checkAuditEvents } from './audit-event-check.ts';

export interface RunningManagement extends AsyncDisposable {
  readonly proxy: RunningProxy;
  readonly services: Services;
  /** `as`: the bearer credentials of a token or a session; omitted: none */
  readonly call: (
    method: 'GET' | 'HEAD' | 'POST' | 'PATCH' | 'DELETE' | 'PUT',
    path: string,
    options?: { readonly as?: string; readonly body?: unknown },
  ) => Promise<Reply>;
  readonly createToken: (kind: TokenKind) => Promise<string>;
  /** A new user of this role, logged in: `token` is the user's session. */
  readonly signIn: (role: Role) => Promise<SignedIn>;
  readonly state: StateStore;
  readonly uses: TokenUses;
  /** errors of background work */
  readonly errors: readonly unknown[];
  /** with a builder that the test controls */
  readonly repositories: TestRepositories;
  readonly people: People;
  readonly keys: KeyRing;
  readonly sealer: Sealer;
  /** the data folder of the builder; it may not exist yet */
  readonly data: string;
}

export interface SignedIn {
  readonly token: string;
  readonly userId: string;
  readonly email: string;
  readonly password: string;
}

const address = 'https://packages.test';

/** The real scrypt at a low cost, because tests sign in often. */
const cheapCost = { cost: 16, blockSize: 1, parallelization: 1 };

export async function runManagement(
  options: {
    readonly now?: () => number;
    readonly settings?: object;
    readonly baseline?: Baseline;
    readonly counters?: Counters;
    readonly limits?: Partial<ServerLimits>;
    readonly certificate?: Certificate;
    readonly mirrored?: MirroredCatalogue;
    readonly uploads?: Partial<UploadLimits>;
    readonly render?: Omit<RenderThreadOptions, 'onFailure'>;
    readonly trustedProxies?: readonly string[];
    /** of feeds: the address of the registry, and the pages that feeds link to */
    readonly publicUrl?: string;
    readonly hasPages?: boolean;
    /** true: the registry makes mails, which wait in its state */
    readonly mails?: boolean;
    readonly localSignIn?: LocalSignInRule;
    /** the policy file, and the feeds; default: neither */
    readonly policy?: Pick<PolicyParts, 'policyFile' | 'feeds'>;
    /** told of each read at a port: of the tree's files, of published files, and of the state */
    readonly watch?: (read: string) => void;
    /** registers the operations; default: those of the program */
    readonly register?: Parameters<typeof createManagement>[1];
    /** more features on these services */
    readonly features?: (services: Services, state: StateStore) => readonly Feature[];
  } = {},
): Promise<RunningManagement> {
  const now = options.now ?? Date.now;
  const untold: (readonly string[])[] = [];
  const watched = <Port extends object>(name: string, port: Port): Port =>
    options.watch === undefined ? port : watchPort(port, (read) => options.watch?.(`${name}.${read}`));
  const memory = createMemoryStore();
  const stored = watched('state', memory);
  const state = checkAuditEvents(stored, (keys) => void untold.push(keys));
  const store = createAuditedStore({ store: state, now });
  const tokensOf = (actor: Actor) => createTokens({ store, now, randomBytes, actor });
  const folder = temporaryFolder('keys');
  const counters = options.counters ?? createMemoryCounters();
  const errors: unknown[] = [];
  // a timer writes them, at any moment: no call of a request
  const uses = createTokenUses({ store: memory, onError: (error) => void errors.push(error) });
  const keys = createKeyRing({ folder: folder.at('keys'), now, randomBytes });
  const sealer = createSealer(keys, randomBytes);
  const repositories = await repositoryServices({
    state,
    store,
    sealer,
    now,
    folder: folder.path,
    settings: options.settings,
    parallel: () => settingOf(settings, 'sync.parallel')(),
  });
  const settings = createSettings({
    store,
    baseline: options.baseline ?? {},
    objection: repositories.settingObjection,
  });
  const people = createPeople({
    state,
    keys,
    sealer,
    passwords: createPasswords({ randomBytes, cost: cheapCost }),
    now,
    randomBytes,
    rules: peopleRules(settings),
    mails:
      options.mails === true
        ? createAccountMails({ sealer, randomBytes, now, state, page: 'console', address })
        : undefined,
    onError: (error) => void errors.push(error),
    localSignIn: options.localSignIn,
    viewOf: createPersonViews(state),
    leaving: (id) => leaveTeams(state, id),
    pendingTerminals: (id) => approvedBy(state, id),
  });
  const cacheBytes = options.limits?.cacheBytes ?? defaultServerLimits.cacheBytes;
  const onNewer = (error: Error): void => void errors.push(error);
  const plain = createLocalFiles({ dataDirectory: folder.at('data'), cacheBytes, onNewer });
  const files = options.watch === undefined ? plain : withVisibleNames(watched('files', plain), cacheBytes / 8);
  const tree = { files, published: watched('published', createLocalPublishedFiles(folder.at('data'))) };
  const countedBy = settingOf(settings, 'statistics.by');
  const data = folder.at('data');
  const published = packageServices(state, store, now, { data, ...tree }, countedBy, options.render);
  const advisories = createPublishedAdvisories(published.published);
  const artifacts = artifactServices(store, now, data, options.uploads);
  const { releases, ...policy } = policyServices({
    state,
    store,
    settings,
    packages: published,
    uses,
    now,
    data,
    files,
    onError: (error) => void errors.push(error),
    ...artifacts,
    ...options.policy,
  });
  const services: Services = {
    ...repositories,
    ...artifacts,
    ...published,
    ...repositories.notifyingWith(published.catalogue),
    ...repositories.publishing,
    mailPlace: options.mails === true ? { sealer, randomBytes, now, address } : undefined,
    ...policy,
    dataDirectory: folder.at('data'),
    people,
    terminals: createTerminals({ state, now, randomBytes, personPackages: (person) => personPackages(state, person) }),
    devicePage: ({ headers }) => `http://${headers.host}/ui/device`,
    passkeys: createPasskeys({
      state,
      keys,
      sealer,
      people,
      now,
      randomBytes,
      passwords: createPasswords({ randomBytes, cost: cheapCost }),
    }),
    invitationPage: 'console',
    tokensOf,
    mirrored: options.mirrored,
    teamsOf: (actor: Actor) => createTeams({ store, now, randomBytes, actor }),
    settings,
    state,
    uses,
    counters,
    startedAtMs: now(),
    stateKind: 'lmdb',
    defaultLimits: standardTokenLimits(settings),
    artifactRetention: settingOf(settings, 'retention.artifacts_days'),
    sessions: people.sessions,
    version,
  };
  const proxy = await runProxy({
    authenticator: createAuthenticator(state, {
      defaultLimits: standardTokenLimits(settings),
      personStatus: personStatus(state, { personPackages: (person) => personPackages(state, person) }),
    }),
    counters,
    uses,
    rootChanges: advertisedRoot(settings, { path: '' }),
    advisories,
    tombstones: createTombstones(services.published),
    files,
    lookups: createLookups({
      files,
      catalogue: services.catalogue,
      usage: createUsage(services.downloads, services.installs),
      mirrored: options.mirrored,
    }),
    feeds: {
      ...services,
      publicUrl: options.publicUrl,
      hasPages: options.hasPages ?? true,
      registry: settingOf(settings, 'branding.name'),
    },
    management: createManagementFeature(services.sessions, async () => createManagement(services, options.register)),
    policy: releases,
    dataDirectory: folder.at('data'),
    onDownload: (name, version, ...by) => {
      services.downloads.count(name, version);
      published.tokenCounts.count(name, version, [1, 0], ...by);
    },
    onInstall: (name, version, ...by) => {
      services.installs.count(name, version);
      published.tokenCounts.count(name, version, [0, 1], ...by);
    },
    now,
    ...(options.limits === undefined ? {} : { limits: options.limits }),
    certificate: options.certificate,
    trustedProxies: options.trustedProxies ?? [],
    features: options.features?.(services, state) ?? [],
  });
  return {
    proxy,
    services,
    call: async (method, path, { as, body } = {}) => {
      const reply = await proxy.send(
        method,
        path,
        {
          authorization: as === undefined ? '' : `Bearer ${as}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        body === undefined ? undefined : JSON.stringify(body),
      );
      (await answerCheckOf(proxy)).check(method, path, reply);
      rememberSecrets([
        body,
        reply.headers['content-type'] === 'application/json' && reply.body.length > 0 ? reply.json() : undefined,
      ]);
      return reply;
    },
    createToken: async (kind) =>
      (await tokensOf('cli:test').create({ description: `a ${kind} token`, kind })).secret.reveal(),
    signIn: (role) => signIn(people, role),
    state: stored,
    uses,
    errors,
    repositories,
    people,
    keys,
    sealer,
    data: folder.at('data'),
    [Symbol.asyncDispose]: async () => {
      await proxy[Symbol.asyncDispose]();
      if (untold.length > 0) throw new Error(`these were changed without an audit event: ${untold.flat().join(', ')}`);
      await assertState(stored);
      assertNoSecrets(JSON.stringify([proxy.lines, await state.range('')]), 'the log or the state');
      assertNoSecretsBelow(folder.path);
      await folder.remove();
    },
  };
}

/** Tells of each call with its texts. */
function watchPort<Port extends object>(port: Port, told: (read: string) => void): Port {
  const members = Object.entries(port).map(([name, member]: [string, unknown]) => {
    if (typeof member !== 'function') return [name, member];
    return [
      name,
      (...given: unknown[]): unknown => {
        told(
          `${name} ${given
            .flat()
            .filter((one) => typeof one === 'string')
            .join(' ')}`,
        );
        return (member as (...args: unknown[]) => unknown)(...given);
      },
    ];
  });
  return Object.fromEntries(members) as Port;
}

/** All registries have the same API document, so that the first one of a test file provides it. */
let answerCheck: AnswerCheck | undefined;

async function answerCheckOf(proxy: RunningProxy): Promise<AnswerCheck> {
  answerCheck ??= createAnswerCheck(
    (await proxy.send('GET', '/api/openapi.json', {})).json() as unknown as ApiDocument,
  );
  return answerCheck;
}

async function signIn(people: People, role: Role): Promise<SignedIn> {
  const [email, password] = [
    `${role}-${randomBytes(6).toString('hex')}@example.org`,
    `password ${randomBytes(9).toString('base64url')}`,
  ];
  rememberSecrets({ password });
  const { record } = await people.usersOf('cli:test').create({ email, role, password });
  const { token } = await people.login({ email, password }, '127.0.0.1');
  return { token: token.reveal(), userId: record.id, email, password };
}
