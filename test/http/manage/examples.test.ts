// Sends every example of the API document unchanged. Only codes, invitations and ids are replaced with existing ones.
// `npm test` sends a third of the bodies.

import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { passkeySite } from '../../../proxy/passkeys/site.ts';
import { startGitHub } from '../../util/forges/fake-github.ts';
import { startOidcIssuer } from '../../util/oidc-issuer.ts';
import { audience, githubClaims } from '../../util/publisher-claims.ts';
import { softAuthenticator, type PasskeyQuestion } from '../../util/passkey-authenticator.ts';
import type { JsonObject } from '../../../build/contract/json.ts';
import { usageRows } from '../../util/usage-rows.ts';
import { describedOperations, type DescribedOperation } from '../../util/described-operations.ts';
import { runManagement, type RunningManagement } from '../../util/running-management.ts';
import { sampleOf } from '../../util/series.ts';

const ada = { email: 'ada@example.org', password: 'correct horse battery staple' };

/** The way to send an example, in a registry of its own. */
interface Request {
  readonly as?: string;
  /** the id of the object that `{id}` names */
  readonly id?: string;
  /** placeholder → existing value */
  readonly real?: Readonly<Record<string, string>>;
}

async function asAda({ people }: RunningManagement): Promise<string> {
  await people.usersOf('cli:test').create({ ...ada, role: 'admin' });
  return (await people.login(ada, '127.0.0.1')).token.reveal();
}

async function twoFactorOf(registry: RunningManagement, enabled: boolean): Promise<Request> {
  let as = await asAda(registry);
  const post = async (path: string, body: object) =>
    (await registry.call('POST', `/api/auth/2fa/${path}`, { as, body })).json();
  const { secret } = await post('setup', { password: ada.password });
  const authenticator = new TOTP({ secret: Secret.fromBase32(String(secret)) });
  if (enabled)
    as = String((await post('enable', { code: authenticator.generate({ timestamp: Date.now() - 30_000 }) }))['token']);
  return { as, real: { 123456: authenticator.generate() } };
}

async function withId(registry: RunningManagement, path: string, draft: object): Promise<Request> {
  const { token: as } = await registry.signIn('admin');
  return { as, id: String((await registry.call('POST', path, { as, body: draft })).json()['id']) };
}

const token = (registry: RunningManagement): Promise<Request> =>
  withId(registry, '/api/tokens', { description: 'a token', kind: 'read' });
const repository = (registry: RunningManagement): Promise<Request> =>
  withId(registry, '/api/repositories', { type: 'git', url: 'https://git.example.org/acme/tool' });
const user = (registry: RunningManagement): Promise<Request> =>
  withId(registry, '/api/users', { email: 'eve@example.org', role: 'viewer' });

const forge = await startGitHub();
afterAll(() => forge[Symbol.asyncDispose]());
const atForge = { 'https://github.example.org': forge.url, github_pat_11ABCDEFG: forge.token };
const connecting = async (registry: RunningManagement): Promise<Request> => {
  const { token: as } = await registry.signIn('admin');
  return { as, real: atForge };
};
const connection = (registry: RunningManagement): Promise<Request> =>
  withId(registry, '/api/connections', {
    forge: 'github',
    url: forge.url,
    owner: 'acme',
    credentials: { token: forge.token },
  });

const endpoint = (registry: RunningManagement): Promise<Request> =>
  withId(registry, '/api/notifications', { url: 'https://deploy.example.org/hook' });

const issuer = await startOidcIssuer();
afterAll(() => issuer[Symbol.asyncDispose]());
const publisher = (registry: RunningManagement): Promise<Request> =>
  withId(registry, '/api/publishers', { issuer: 'github', purpose: 'read', repository: 'acme/app' });

/** A person with an authenticator app and a passkey. */
async function passkeyOf(registry: RunningManagement): Promise<Request> {
  const { as = '', real = {} } = await twoFactorOf(registry, true);
  const caller = await registry.people.sessions.authenticate(`Bearer ${as}`, Date.now());
  if (caller === undefined) throw new Error('the session has ended');
  const site = passkeySite('http://localhost:8080');
  const { passkeys } = registry.services;
  const { token: question, options } = await passkeys.createRegistrationChallenge(caller, site);
  const credential = softAuthenticator().create({ token: question, options } as PasskeyQuestion, site.origin);
  const answer = { token: question, credential };
  const { passkey } = await passkeys.add(caller, { answer, name: 'Phone', site });
  return { as, id: passkey.id, real };
}

const member = async (registry: RunningManagement): Promise<void> => {
  await registry.people.usersOf('cli:test').create({ email: 'ada@example.org', role: 'viewer' });
};
const team = async (registry: RunningManagement): Promise<Request> => {
  await member(registry);
  return withId(registry, '/api/teams', { name: 'Tools', packages: ['acme/tool'] });
};

/** The objects that an example needs; for the others an admin's session is enough. */
const preparations: Readonly<Record<string, (registry: RunningManagement) => Promise<Request>>> = {
  setup: async ({ people }) => ({ real: { 'set_…': (await people.offerSetup())?.reveal() ?? '' } }),
  login: async (registry) => (await asAda(registry), {}),
  changePassword: async (registry) => ({ as: await asAda(registry) }),
  acceptInvitation: async (registry) => {
    const { token: as } = await registry.signIn('admin');
    const invited = await registry.call('POST', '/api/users', {
      as,
      body: { email: 'eve@example.org', role: 'viewer' },
    });
    return { real: { 'inv_…': (invited.json()['invitation'] as { token: string }).token } };
  },
  setUpTwoFactor: async (registry) => ({ as: await asAda(registry) }),
  enableTwoFactor: (registry) => twoFactorOf(registry, false),
  disableTwoFactor: (registry) => twoFactorOf(registry, true),
  renewRecoveryCodes: (registry) => twoFactorOf(registry, true),
  renamePasskey: passkeyOf,
  removePasskey: passkeyOf,
  updateToken: token,
  rotateToken: token,
  updateRepository: repository,
  issueRepositoryHook: repository,
  updateUser: user,
  createConnection: connecting,
  planConnection: connecting,
  updateConnection: connection,
  updateEndpoint: endpoint,
  rotateEndpointSecret: endpoint,
  replayNotifications: endpoint,
  createTeam: async (registry) => {
    await member(registry);
    return { as: (await registry.signIn('admin')).token };
  },
  tellUsers: async (registry) => {
    const { token: as, userId } = await registry.signIn('admin');
    const words = JSON.stringify(usageRows).replaceAll('1.0.0', '1.2.0').replaceAll('tok_1', 'prj_1');
    const rows = words.replaceAll('"cli:a"', `"user:${userId}"`).replaceAll('"kind":"read"', '"kind":"project"');
    const puts = Object.entries(JSON.parse(rows) as Record<string, JsonObject>).map(([key, value]) => ({ key, value }));
    await registry.state.commit({ conditions: [], puts, deletes: [], quiet: true });
    return { as };
  },
  updateTeam: team,
  addTeamMembers: team,
  updatePublisher: publisher,
  exchangeIdToken: async (registry) => {
    await publisher(registry);
    return { real: { 'eyJ…': await issuer.sign(githubClaims({ issuer: issuer.url, nowMs: Date.now() })) } };
  },
};

/** Its path names a version, and nothing is published here: the body is accepted, and the version is not found. */
const ofPublished = new Set(['decideHeldRelease', 'purgeVersion']);

async function operationsOf(): Promise<readonly DescribedOperation[]> {
  await using registry = await runManagement();
  return await describedOperations(registry);
}

const operations = await operationsOf();
const withExample = operations.filter(({ takesJson, example }) => takesJson && example !== undefined);

describe('an example of a request', () => {
  it.each(sampleOf(withExample, 3).map((operation) => [operation.id, operation] as const))(
    '%s succeeds unchanged',
    async (id, operation) => {
      await using registry = await runManagement({
        mails: true,
        settings: {
          egress: { allow: ['127.0.0.0/8'] },
          publicUrl: audience,
          oidcIssuers: [`github=${issuer.url}`],
        },
      });
      const prepared = await preparations[id]?.(registry);
      const {
        as = undefined,
        id: subject = '',
        real = {},
      } = prepared ?? { as: (await registry.signIn('admin')).token };
      const body = JSON.parse(
        JSON.stringify(operation.example),
        (_key, value: unknown) => real[String(value)] ?? value,
      ) as unknown;
      const path = `${operation.template.replace('{id}', subject).replace('{vendor}/{package}', 'acme/hello')}${id === 'reportProject' ? '?project=site' : ''}`;
      const reply = await registry.call(operation.method, path, { body, ...(as === undefined ? {} : { as }) });
      if (ofPublished.has(id)) return expect([reply.status, reply.json()['code']]).toEqual([404, 'NOT_FOUND']);
      expect([reply.status, reply.json()['code'], reply.json()['details']]).toEqual([
        expect.toBeOneOf([200, 201]),
        undefined,
        undefined,
      ]);
    },
  );
});

describe('the examples of parameters', () => {
  let registry: RunningManagement;
  let as = '';
  beforeAll(async () => {
    registry = await runManagement({ settings: { publicUrl: audience } });
    ({ token: as } = await registry.signIn('admin'));
  });
  afterAll(() => registry[Symbol.asyncDispose]());

  it.each(operations.filter(({ method }) => method === 'GET').map((operation) => [operation.id, operation] as const))(
    '%s accepts them unchanged',
    async (_id, { path, query, exampleQuery }) => {
      const reply = await registry.call('GET', `${path}?${exampleQuery}`, { as });
      expect([query.length > 0, reply.status]).not.toEqual([query.length > 0, 400]);
    },
  );
});
