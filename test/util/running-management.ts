// The management API on a real socket over a state in memory: everything is the real one but the disk. Callers are made as they would be made
// in life, and every answer is held against the published document.

import { randomBytes } from 'node:crypto';
import { createAuthenticator } from '../../proxy/auth/authenticate.ts';
import { createPasswords } from '../../proxy/auth/password.ts';
import { createPeople, type People } from '../../proxy/auth/people.ts';
import { standardRules } from '../../proxy/auth/people-rules.ts';
import type { Role } from '../../proxy/auth/policy.ts';
import type { TokenKind } from '../../proxy/auth/token-format.ts';
import { createTokens } from '../../proxy/auth/tokens.ts';
import { createKeyRing, type KeyRing } from '../../proxy/keys/key-ring.ts';
import { createSealer, type Sealer } from '../../proxy/keys/sealer.ts';
import { createManagement } from '../../proxy/manage/management.ts';
import type { Services } from '../../proxy/manage/routes.ts';
import { createAuditedStore, type Actor } from '../../proxy/state/audit.ts';
import { createMemoryStore } from '../../proxy/state/memory-store.ts';
import type { ServerLimits } from '../../proxy/server.ts';
import type { StateStore } from '../../proxy/state/state-store.ts';
import { artifactServices } from './artifact-services.ts';
import { repositoryServices, type TestRepositories } from './repository-services.ts';
import { runProxy, type Reply, type RunningProxy } from './running-proxy.ts';
import { temporaryFolder } from './temporary-folder.ts';

export interface RunningManagement extends AsyncDisposable {
  readonly proxy: RunningProxy;
  readonly services: Services;
  /** `as`: the bearer credentials, a token's or a session's; left out: nobody */
  readonly call: (method: 'GET' | 'HEAD' | 'POST' | 'PATCH' | 'DELETE' | 'PUT', path: string, options?: { readonly as?: string; readonly body?: unknown }) => Promise<Reply>;
  readonly createToken: (kind: TokenKind) => Promise<string>;
  /** A new user of this role, logged in: `token` is their session's. */
  readonly signIn: (role: Role) => Promise<SignedIn>;
  readonly state: StateStore;
  /** with a builder that does as it is told */
  readonly repositories: TestRepositories;
  readonly people: People;
  readonly keys: KeyRing;
  readonly sealer: Sealer;
  /** the data folder of what publishes; it may not exist yet */
  readonly data: string;
}

export interface SignedIn {
  readonly token: string;
  readonly userId: string;
  readonly email: string;
  readonly password: string;
}

/** scrypt as it is, but cheap: tests sign in often. */
const cheapCost = { cost: 16, blockSize: 1, parallelization: 1 };

export async function runManagement(options: { readonly now?: () => number; readonly settings?: object; readonly limits?: Partial<ServerLimits> } = {}): Promise<RunningManagement> {
  const now = options.now ?? Date.now;
  const state = createMemoryStore();
  const store = createAuditedStore({ store: state, now });
  const tokensOf = (actor: Actor) => createTokens({ store, now, randomBytes, actor });
  const folder = temporaryFolder('keys');
  const keys = createKeyRing({ folder: folder.at('keys'), now, randomBytes });
  const sealer = createSealer(keys, randomBytes);
  const people = createPeople({ state, keys, sealer, passwords: createPasswords({ randomBytes, cost: cheapCost }), now, randomBytes, rules: () => standardRules });
  const repositories = await repositoryServices({ state, store, sealer, now, folder: folder.path, settings: options.settings });
  const services: Services = { ...repositories, ...artifactServices(store, now, folder.at('data')), people, tokensOf, defaultLimits: () => ({ read: 1000, write: 500 }), sessions: people.sessions };
  const proxy = await runProxy({ authenticator: createAuthenticator(state), management: createManagement(services), now, ...(options.limits === undefined ? {} : { limits: options.limits }) });
  return {
    proxy,
    services,
    call: (method, path, { as, body } = {}) => proxy.send(method, path, { authorization: as === undefined ? '' : `Bearer ${as}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }) }, body === undefined ? undefined : JSON.stringify(body)),
    createToken: async (kind) => (await tokensOf('cli:test').create({ description: `a ${kind} token`, kind })).secret.reveal(),
    signIn: (role) => signIn(people, role),
    state,
    repositories,
    people,
    keys,
    sealer,
    data: folder.at('data'),
    [Symbol.asyncDispose]: async () => {
      await proxy[Symbol.asyncDispose]();
      await folder.remove();
    },
  };
}

async function signIn(people: People, role: Role): Promise<SignedIn> {
  const [email, password] = [`${role}-${randomBytes(6).toString('hex')}@example.org`, `password ${randomBytes(9).toString('base64url')}`];
  const { record } = await people.usersOf('cli:test').create({ email, role, password });
  const { token } = await people.login({ email, password }, '127.0.0.1');
  return { token: token.reveal(), userId: record.id, email, password };
}
