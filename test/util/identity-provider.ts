// A certified provider of OpenID Connect on a real socket (npm oidc-provider), as a company has one. The test sets
// people and their claims, and every fault that a provider can have.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JWTHeaderParameters } from 'jose';
import { Provider, type ClientMetadata } from 'oidc-provider';
import { answerInteraction } from './identity-provider-pages.ts';
import { changeAnswer, type AnswerChanges } from './identity-provider-answers.ts';
import { makeKey, signWith, type ProviderPerson, type SigningKey } from './identity-provider-keys.ts';
import { giveBackRsaKey } from './rsa-keys.ts';
import { createProviderRows, providerConfiguration, type ProviderRows } from './identity-provider-settings.ts';

export type ProviderFault =
  /** answers 503 */
  | 'down'
  /** closes each connection without an answer */
  | 'unreachable'
  /** never answers */
  | 'hanging'
  /** answers with no JSON */
  | 'garbage';

export interface IdentityProvider extends AsyncDisposable {
  /** the issuer, without a slash at the end */
  readonly url: string;
  /** login name at the provider → its subject and claims. The test adds, changes and removes people. */
  readonly people: Map<string, ProviderPerson>;
  /** Adds or replaces the client `libretto` of the registry at `origin`, for the provider `id` of its libretto.json. */
  readonly register: (origin: string, id: string, more?: Partial<ClientMetadata>) => Promise<void>;
  /** `paths`: only requests whose path begins so; default: all */
  readonly fail: (fault: ProviderFault | undefined, paths?: readonly string[]) => void;
  /** Replaces all keys. */
  readonly rotate: () => Promise<void>;
  /** Changes what the provider answers from now on; undefined: nothing. */
  readonly change: (changes: AnswerChanges | undefined) => void;
  /** A JWT with a current key. `header`: over `alg` and `kid`. */
  readonly sign: (claims: object, header?: Partial<JWTHeaderParameters>) => Promise<string>;
  /** method and path of each request so far */
  readonly requests: readonly string[];
  readonly clientSecret: string;
}

export interface ProviderOptions {
  /** `localhost` is another site than 127.0.0.1 for a browser, as a provider is in real life */
  readonly host?: '127.0.0.1' | 'localhost';
  /** of the issuer, as Keycloak has /realms/acme */
  readonly path?: string;
}

export type { ProviderPerson } from './identity-provider-keys.ts';

export const clientSecret = 'secret-of-the-client-libretto';

/** Ada has the group `developers`. */
export const ada: ProviderPerson = {
  sub: 'subject-of-ada',
  claims: { email: 'ada@example.org', email_verified: true, name: 'Ada Lovelace', groups: ['developers'] },
};

export async function startIdentityProvider(options: ProviderOptions = {}): Promise<IdentityProvider> {
  const { host = '127.0.0.1', path = '' } = options;
  const people = new Map([['ada', ada]]);
  const rows = createProviderRows();
  const requests: string[] = [];
  const state: ProviderState = { key: await makeKey(), fault: undefined, paths: [''], changes: undefined };
  const server = await listen((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    return answer(request, response);
  });
  const url = `http://${host}:${(server.address() as AddressInfo).port}${path}`;
  const make = (): Provider => makeProvider(url, state.key, people, rows);
  let provider = make();
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (isFaulty(state, request, response)) return;
    // a browser asks for /favicon.ico
    if (request.url?.startsWith(`${path}/`) !== true) return void response.writeHead(404).end();
    // as Express says that it serves below a path
    Object.assign(request, { originalUrl: request.url, url: (request.url ?? '/').slice(path.length) });
    if (request.url?.startsWith('/interaction/') === true)
      return answerInteraction(provider, people, request, response);
    changeAnswer(response, request.url ?? '/', { changes: state.changes, people, key: state.key });
    await provider.callback()(request, response);
  };
  return {
    url,
    people,
    clientSecret,
    requests,
    register: (origin, id, more = {}) => rows.put('Client', 'libretto', { ...clientOf(origin, id), ...more }),
    fail: (fault, paths = ['']) => void Object.assign(state, { fault, paths }),
    rotate: async () => {
      state.key = await makeKey();
      provider = make();
    },
    change: (changes) => void (state.changes = changes),
    sign: (claims, header) => signWith(state.key, claims, header),
    [Symbol.asyncDispose]: () => close(server).finally(() => giveBackRsaKey(state.key)),
  };
}

async function listen(answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>): Promise<Server> {
  const server = createServer((request, response) => {
    void answer(request, response).catch((error: unknown) => {
      response.writeHead(500).end(String(error));
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return server;
}

interface ProviderState {
  key: SigningKey;
  fault: ProviderFault | undefined;
  paths: readonly string[];
  changes: AnswerChanges | undefined;
}

/** True: the request was answered, or never will be. */
function isFaulty({ fault, paths }: ProviderState, request: IncomingMessage, response: ServerResponse): boolean {
  if (fault === undefined || !paths.some((path) => request.url?.startsWith(path))) return false;
  if (fault === 'unreachable') request.socket.destroy();
  if (fault === 'down') response.writeHead(503).end();
  if (fault === 'garbage') response.setHeader('content-type', 'text/html').end('<html>');
  return true;
}

function makeProvider(
  url: string,
  key: SigningKey,
  people: ReadonlyMap<string, ProviderPerson>,
  rows: ProviderRows,
): Provider {
  const provider = new Provider(url, providerConfiguration(url, key, people, rows));
  provider.proxy = false;
  return provider;
}

/** The registry as a client. */
function clientOf(origin: string, id: string): ClientMetadata {
  return {
    client_id: 'libretto',
    client_secret: clientSecret,
    redirect_uris: [`${origin}/ui/sso/${id}/callback`],
    post_logout_redirect_uris: [`${origin}/ui/sign-in`],
    backchannel_logout_uri: `${origin}/ui/sso/${id}/backchannel-logout`,
    backchannel_logout_session_required: true,
    grant_types: ['authorization_code'],
    response_types: ['code'],
  };
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => void server.close(resolve));
}
