// Opens the credentials of connections: for requests to the forge, and for git. The token of a GitHub App's
// installation is kept sealed in the state, so that the server, its syncs and other hosts share one.

import type { JsonValue } from '../../../build/contract/json.ts';
import { Secret } from '../../../build/shared/text/secret.ts';
import type { Sealer } from '../../keys/sealer.ts';
import type { StateStore } from '../../core/state/state-store.ts';
import type { RepositoryCredentials } from '../../sync/credentials.ts';
import type { ConnectionId } from '../../sync/forge-place.ts';
import type { ForgeToken, ForgeDialect } from '../dialects/dialect.ts';
import { connectionKey, parseConnectionRecord, type ConnectionRecord } from '../model/connection.ts';
import { unsealConnectionCredentials, type ConnectionCredentials } from '../model/credentials.ts';
import { createForge } from './forge-client.ts';
import type { Forge } from './forge.ts';
import type { ForgeHttp } from './forge-http.ts';
import { connectionTokenKey, parseTokenRow } from './token-row.ts';
import type { ForgeName, OwnerName } from '../model/forge-name.ts';
import { bitbucket } from '../dialects/bitbucket.ts';
import { gitea } from '../dialects/gitea.ts';
import { github, githubHeaders } from '../dialects/github.ts';
import { gitlab } from '../dialects/gitlab.ts';
import { createPrivateKey, type KeyObject } from 'node:crypto';
import { SignJWT } from 'jose';
import { objectOf, textOf } from '../dialects/fields.ts';
import { parseJsonText } from '../model/json-text.ts';
import { ForgeRefusal } from './forge-failure.ts';
import { isoTime } from '../../../build/shared/text/iso-time.ts';

// The credentials of a GitHub App: a signed assertion of the App (JWT, RS256, ten minutes at most) buys a token of its
// installation at the owner. The token lasts an hour, is shared by all processes, and is renewed before it ends.

interface InstallationToken {
  readonly token: Secret;
  /** epoch milliseconds */
  readonly expiresMs: number;
}

interface GitHubApp {
  /** the App's id, or its client id */
  readonly appId: string;
  /** PEM, as GitHub delivers it */
  readonly privateKey: Secret;
}

interface InstallationOptions {
  readonly app: GitHubApp;
  readonly api: string;
  readonly owner: OwnerName;
  readonly http: ForgeHttp;
  /** epoch milliseconds */
  readonly now: () => number;
}

/** A token is renewed this long before its end: longer than any single request or fetch should take to begin. */
const renewBeforeMs = 10 * 60_000;

/** Throws ForgePause, and ForgeRefusal if the App is not installed at the owner or its key is wrong. */
async function requestInstallationToken(options: InstallationOptions): Promise<InstallationToken> {
  const assertion = await signAssertion(options);
  const headers = { ...githubHeaders, authorization: `Bearer ${assertion}` };
  const id = await findInstallation(options, headers);
  const { api, http } = options;
  const url = `${api}/app/installations/${id}/access_tokens`;
  const answer = await http.ask({ url, headers, content: { method: 'POST', json: {} } });
  const body = answer.status === 201 ? objectOf(parseJsonText(answer.text)) : undefined;
  const [token, expires] = [textOf(body?.['token']), Date.parse(textOf(body?.['expires_at']) ?? '')];
  if (token === undefined || Number.isNaN(expires)) throw refused(options, answer.status);
  return { token: new Secret(token), expiresMs: expires };
}

/** An organisation and a user have their installation at different paths. */
async function findInstallation(
  options: InstallationOptions,
  headers: Readonly<Record<string, string>>,
): Promise<number> {
  const { api, owner, http } = options;
  let status = 404;
  for (const path of [`/orgs/${owner}/installation`, `/users/${owner}/installation`]) {
    const answer = await http.ask({ url: `${api}${path}`, headers });
    const id = answer.status === 200 ? objectOf(parseJsonText(answer.text))?.['id'] : undefined;
    if (typeof id === 'number' && Number.isSafeInteger(id)) return id;
    status = answer.status;
    if (status !== 404) break;
  }
  throw refused(options, status);
}

/** Issued a minute ago, for a clock of the forge that is behind. */
async function signAssertion({ app: { appId, privateKey }, now }: InstallationOptions): Promise<string> {
  const seconds = Math.floor(now() / 1000);
  return new SignJWT({})
    .setProtectedHeader({ alg: 'RS256' })
    .setIssuer(appId)
    .setIssuedAt(seconds - 60)
    .setExpirationTime(seconds + 540)
    .sign(parseAppKey(privateKey));
}

/** Throws ForgeRefusal for a text that is no RSA key. */
function parseAppKey(privateKey: Secret): KeyObject {
  const key = keyIn(privateKey);
  if (key?.asymmetricKeyType === 'rsa') return key;
  throw new ForgeRefusal('The key is not the private key of a GitHub App. Give the .pem file that GitHub made.');
}

function keyIn(privateKey: Secret): KeyObject | undefined {
  try {
    return createPrivateKey(privateKey.reveal());
  } catch {
    return undefined; // the parser's message may quote the key
  }
}

function refused({ owner, app }: InstallationOptions, status: number): ForgeRefusal {
  const why =
    status === 401
      ? `GitHub did not accept the App ${app.appId}. Check its id, its key, and the clock of this machine.`
      : status === 404
        ? `The App ${app.appId} is not installed at ${owner}. Install it there first.`
        : `GitHub gave the App ${app.appId} no token for ${owner} (status ${status}).`;
  return new ForgeRefusal(why, { status });
}

/** The dialect of each forge. */
export const dialects: Readonly<Record<ForgeName, ForgeDialect>> = { github, gitlab, gitea, bitbucket };

export interface ConnectionAccess {
  /** The forge with the credentials of this record; with `credentials`, before they are sealed and stored. */
  readonly open: (record: Unsealed, credentials?: ConnectionCredentials) => Forge;
  /** What git sends to the forge; undefined: the connection was removed. Throws ForgePause and ForgeRefusal. */
  readonly gitCredentials: (id: ConnectionId) => Promise<RepositoryCredentials | undefined>;
}

/** A record whose sealed credentials are read only if no others are given. */
type Unsealed = Omit<ConnectionRecord, 'owner_kind'>;

export interface AccessOptions {
  readonly state: Pick<StateStore, 'get' | 'commit'>;
  readonly sealer: Sealer;
  readonly http: ForgeHttp;
  /** epoch milliseconds */
  readonly now: () => number;
}

export function createConnectionAccess(options: AccessOptions): ConnectionAccess {
  // by the sealed credentials, because changed ones need another token
  const tokens = new Map<string, InstallationToken>();
  const tokenOf = async (record: Unsealed): Promise<ForgeToken> => {
    const credentials = unsealConnectionCredentials(options.sealer, record);
    if (credentials.kind === 'token') return { token: credentials.token.reveal(), user: credentials.user };
    const known = tokens.get(record.credentials);
    const token = isFresh(known, options) ? known : await installationToken(options, record, credentials);
    tokens.set(record.credentials, token);
    return { token: token.token.reveal() };
  };
  return {
    open: (record, credentials) =>
      createForge({
        dialect: dialects[record.forge],
        api: record.api,
        owner: record.owner,
        token: credentials === undefined ? () => tokenOf(record) : () => tokenToTry(options, record, credentials),
        http: options.http,
      }),
    gitCredentials: async (id) => {
      const entry = await options.state.get(connectionKey(id));
      if (entry === undefined) return undefined;
      const record = parseConnectionRecord(entry.value);
      const token = await tokenOf(record);
      return { username: dialects[record.forge].gitUser(token), password: token.token };
    },
  };
}

/** Of credentials that nobody has stored: their token is kept nowhere. */
async function tokenToTry(
  { http, now }: AccessOptions,
  { api, owner }: Unsealed,
  credentials: ConnectionCredentials,
): Promise<ForgeToken> {
  if (credentials.kind === 'token') return { token: credentials.token.reveal(), user: credentials.user };
  const { token } = await requestInstallationToken({ app: credentials, api, owner, http, now });
  return { token: token.reveal() };
}

function isFresh(token: InstallationToken | undefined, { now }: AccessOptions): token is InstallationToken {
  return token !== undefined && now() < token.expiresMs - renewBeforeMs;
}

async function installationToken(
  options: AccessOptions,
  { id, api, owner }: Unsealed,
  app: GitHubApp,
): Promise<InstallationToken> {
  const { state, http, now } = options;
  const key = connectionTokenKey(id);
  const stored = await state.get(key);
  const known = storedToken(options, id, stored?.value);
  if (isFresh(known, options)) return known;
  const token = await requestInstallationToken({ app, api, owner, http, now });
  const connection = await state.get(connectionKey(id));
  // a connection that was removed in between leaves no row; another process may have been faster
  if (connection !== undefined)
    await state.commit({
      conditions: [
        { key: connectionKey(id), revision: connection.revision },
        { key, revision: stored?.revision ?? null },
      ],
      puts: [{ key, value: { token: sealToken(options, id, token), expires_at: isoTime(token.expiresMs) } }],
      deletes: [],
      quiet: true,
    });
  return token;
}

function storedToken(
  { sealer }: AccessOptions,
  id: ConnectionId,
  value: JsonValue | undefined,
): InstallationToken | undefined {
  const row = value === undefined ? undefined : parseTokenRow(value);
  if (row === undefined) return undefined;
  try {
    return {
      token: new Secret(sealer.unseal(row.token, aboutToken(id)).reveal()),
      expiresMs: Date.parse(row.expires_at),
    };
  } catch {
    return undefined; // sealed under a key that is gone: another token is requested
  }
}

function sealToken({ sealer }: AccessOptions, id: ConnectionId, { token }: InstallationToken): string {
  return sealer.seal(token, aboutToken(id));
}

function aboutToken(id: ConnectionId): string {
  return `${id} token`;
}
