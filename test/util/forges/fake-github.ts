// GitHub's REST API 2022-11-28 as GitHub Enterprise Server has it, below /api/v3: as far as its public description goes
// for lists, contents, hooks and Apps.

import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { jwtVerify } from 'jose';
import {
  checkQuery,
  forbidden,
  itemsIn,
  notFound,
  pageWithLink,
  startForge,
  textOf,
  type FakeCall,
  type FakeForge,
  type FakeReply,
  type FakeRepository,
  type ForgeState,
} from './fake-forge.ts';
import { answerGitHubHooks, size } from './fake-github-hooks.ts';

export interface FakeApp {
  readonly id: string;
  /** PKCS#1, as GitHub delivers it */
  readonly privateKey: string;
  /** seconds that a token of the installation lasts */
  lasts: number;
  /** every token that was given */
  readonly tokens: string[];
  /** epoch milliseconds */
  now: () => number;
}

const sorts = { sort: ['created', 'updated', 'pushed', 'full_name'], direction: ['asc', 'desc'] };
/** The parameters of each list, with their values. `/user/repos` takes no type beside an affiliation. */
const lists: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  orgs: { ...sorts, type: ['all', 'public', 'private', 'forks', 'sources', 'member'] },
  users: { ...sorts, type: ['all', 'owner', 'member'] },
  user: { ...sorts, affiliation: ['owner', 'collaborator', 'organization_member'] },
};

export async function startGitHub(): Promise<FakeForge & { readonly app: FakeApp; login: string }> {
  const app = createApp();
  const forge = await startForge({
    base: '/api/v3',
    refuse: (call, state) => refuse(call, state, app),
    answer: (call, state) => answer(call, state, app, extended.login),
    // of the hour's limit, in every answer; a secondary limit has no headers of its own
    headers: () => ({
      'x-ratelimit-limit': '5000',
      'x-ratelimit-remaining': '4321',
      'x-ratelimit-reset': String(Math.floor(app.now() / 1000) + 1800),
      'x-ratelimit-used': '679',
      'x-ratelimit-resource': 'core',
    }),
  });
  const extended = Object.assign(forge, { app, login: 'somebody' });
  return extended;
}

/** Made once a process, because it takes a second of processor time. */
let pem: string | undefined;

function createApp(): FakeApp {
  pem ??= String(
    generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs1', format: 'pem' }),
  );
  return { id: '12345', privateKey: pem, lasts: 3600, tokens: [], now: Date.now };
}

function refuse({ headers, path }: FakeCall, { token, violation }: ForgeState, app: FakeApp): FakeReply | undefined {
  if (headers['x-github-api-version'] !== '2022-11-28') return violation('another version of the API');
  if (headers.accept === undefined || !/^application\/vnd\.github(?:\.raw)?\+json$/.test(headers.accept))
    return violation(`the header Accept: ${String(headers.accept)}`);
  const given = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? '';
  if (/^\/app\/|^\/(?:orgs|users)\/[^/]+\/installation$/.test(path)) return undefined; // asks for an assertion
  const isKnown = given === token || app.tokens.at(-1) === given;
  return isKnown ? undefined : { status: 401, body: { message: 'Bad credentials' } };
}

async function answer(call: FakeCall, state: ForgeState, app: FakeApp, login: string): Promise<FakeReply> {
  const { path, method } = call;
  const { owner, kind, repositories, violation } = state;
  if (path === `/users/${owner}`)
    return { status: 200, body: { login: owner, type: kind === 'user' ? 'User' : 'Organization' } };
  if (path === '/user') return { status: 200, body: { login } };
  if (/installation/.test(path)) return answerApp(call, state, app);
  const hooks = /^(\/orgs\/[^/]+|\/repos\/[^/]+\/[^/]+)\/hooks(?:\/|$)/.exec(path)?.[1];
  if (hooks !== undefined) return answerGitHubHooks(call, hooks, state);
  const isList = path === `/orgs/${owner}/repos` ? kind === 'organization' : path === `/users/${owner}/repos`;
  if (method === 'GET' && (isList || (path === '/user/repos' && kind === 'user'))) {
    checkList(call, state);
    return state.may.list ? pageWithLink(call, repositories.map(shownIn(state)), size) : forbidden;
  }
  const found = repositories.find(({ name }) => [path, `${path}/`].some((one) => isOf(one, `${owner}/${name}`)));
  if (found === undefined) return /^\/(?:repos|users|orgs)\//.test(path) ? notFound : violation(`${method} ${path}`);
  if (path === `/repos/${owner}/${found.name}`) return { status: 200, body: shownIn(state)(found) };
  const [, file] = /^\/repos\/[^/]+\/[^/]+\/contents\/(.+[^/])$/.exec(path) ?? [];
  if (file === undefined) return violation(path);
  if (!file.endsWith('composer.json')) {
    const items = itemsIn(found, file, 'dir');
    return items === undefined ? notFound : { status: 200, body: items };
  }
  if (call.headers.accept !== 'application/vnd.github.raw+json') return violation('composer.json not as raw text');
  const text = textOf(found, decodeURIComponent(file));
  if (found.readable === false) return forbidden;
  return text === undefined ? notFound : { status: 200, body: text, isText: true };
}

function isOf(path: string, fullName: string): boolean {
  return path.startsWith(`/repos/${fullName}/`);
}

function shownIn({ owner }: ForgeState): (repository: FakeRepository) => object {
  return ({
    id,
    name,
    archived = false,
    fork = false,
    branch = 'main',
    pushed = '2026-01-01T00:00:00Z',
    description,
  }) => ({
    id: Number(id),
    full_name: `${owner}/${name}`,
    archived,
    disabled: false,
    fork,
    default_branch: branch ?? 'main',
    pushed_at: pushed,
    description,
    // never used: credentials would go there
    clone_url: 'https://elsewhere.example.org/evil.git',
  });
}

/** GitHub numbers a page, and names its values for each list. */
function checkList(call: FakeCall, state: ForgeState): void {
  const known = lists[call.path.split('/')[1] ?? ''] ?? {};
  checkQuery(call, ['page', ...Object.keys(known)], size, state);
  for (const [name, values] of Object.entries(known)) {
    const value = call.query.get(name);
    if (value !== null && !values.includes(value)) state.violation(`${call.path} has no ${name} ${value}`);
  }
}

async function answerApp(call: FakeCall, state: ForgeState, app: FakeApp): Promise<FakeReply> {
  const { path, method } = call;
  const { owner, kind, repositories, violation } = state;
  if (path === '/installation/repositories') {
    checkQuery(call, ['page'], size, state);
    return pageWithLink(call, repositories.map(shownIn(state)), size, (all) => ({
      total_count: repositories.length,
      repositories: all,
    }));
  }
  const assertion = /^Bearer (.+)$/.exec(call.headers.authorization ?? '')?.[1] ?? '';
  const { payload } = await jwtVerify(assertion, createPublicKey(app.privateKey), {
    algorithms: ['RS256'],
    issuer: app.id,
    currentDate: new Date(app.now()),
  }).catch(() => ({ payload: undefined }));
  if (payload === undefined) return { status: 401, body: { message: 'A JSON web token could not be decoded' } };
  if (payload.exp === undefined || !((payload.iat ?? Infinity) <= app.now() / 1000))
    return violation('an assertion without an end, or issued in the future');
  if (payload.exp - app.now() / 1000 > 600) return violation('an assertion for more than ten minutes');
  if (path === `/${kind === 'user' ? 'users' : 'orgs'}/${owner}/installation`) return { status: 200, body: { id: 77 } };
  if (method !== 'POST' || path !== '/app/installations/77/access_tokens') return notFound;
  app.tokens.push(mintToken(app));
  const expires = new Date(app.now() + app.lasts * 1000).toISOString().replace(/\.\d+/, '');
  return { status: 201, body: { token: app.tokens.at(-1), expires_at: expires, permissions: { contents: 'read' } } };
}

/** Since 2026 a token has `ghs_`, the App, and a JWT of some 500 characters, which is nobody's to read. */
function mintToken({ id, tokens }: FakeApp): string {
  const part = (text: string): string => Buffer.from(text).toString('base64url');
  return `ghs_${id}_${part('{"alg":"RS256"}')}.${part(`{"number":${tokens.length + 1}}`)}.${part('s'.repeat(340))}`;
}
