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
import { renewBeforeMs, requestInstallationToken, type GitHubApp, type InstallationToken } from './github-app.ts';
import { connectionTokenKey, parseTokenRow } from './token-row.ts';
import type { ForgeName } from '../model/forge-name.ts';
import { bitbucket } from '../dialects/bitbucket.ts';
import { gitea } from '../dialects/gitea.ts';
import { github } from '../dialects/github.ts';
import { gitlab } from '../dialects/gitlab.ts';

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
      puts: [{ key, value: { token: sealToken(options, id, token), expires_at: timeOf(token.expiresMs) } }],
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

function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}
