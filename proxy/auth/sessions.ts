// The sessions of users: a signed token names a row of the state. The hash of the session's secret id is the row's key,
// so a copy of the state opens no session. Every request reads row and user, so a session ends with the next request.
// A commit that adds a row has the condition that the user is unchanged: a change of the user deletes all rows.

import { hash } from 'node:crypto';
import { z } from 'zod';

import { RegistryError } from '../../build/contract/errors.ts';
import type { JsonValue } from '../../build/contract/json.ts';
import type { MaybeAsync } from '../../build/shared/concurrency/maybe-async.ts';
import { createSignedTokens, leewayMs, type SignedTokens } from '../keys/signed-token.ts';
import type { KeyRing } from '../keys/key-ring.ts';
import type { Actor, AuditedStore, ChangeParts } from '../state/audit.ts';
import { parseRow } from '../state/rows.ts';
import { randomBase62, toBase62 } from '../../build/shared/text/base62.ts';
import type { SessionCaller } from './caller.ts';
import { isNamed, type LocalSignInRule } from './local-sign-in.ts';
import type { PeopleRules } from './people-rules.ts';
import type { Secret } from '../../build/shared/text/secret.ts';
import type { View } from '../core/views/view.ts';
import { readUser } from './user-records.ts';
import { personRights, type UserRecord } from './user.ts';

export interface Sessions {
  /** The user of this Authorization header; undefined: no valid session. Rejects only when the state fails. */
  readonly authenticate: (authorization: string, nowMs: number) => Promise<SessionCaller | undefined>;
}

export interface SessionRecord {
  /** `ses_…`, not secret */
  readonly id: string;
  readonly created_at: string;
  readonly expires_at: string;
  /** the client address of the login */
  readonly address: string;
  /** the identity provider at which the person signed in; absent: here */
  readonly provider?: string;
  /** the subject there */
  readonly provider_subject?: string;
  /** the session there (claim `sid`); absent: the provider names none */
  readonly provider_session?: string;
}

/** Where a session comes from, if not from a login here. */
export interface SessionOrigin extends Pick<SessionRecord, 'provider' | 'provider_subject' | 'provider_session'> {
  /** the session ends after this time at the latest */
  readonly longestMs: number;
}

export interface NewSession {
  readonly token: Secret;
  readonly expires_at: string;
  /** for the commit of the login */
  readonly row: { readonly key: string; readonly value: SessionRecord & Record<string, JsonValue> };
}

export interface SessionService extends Sessions {
  /** A session of `user`, valid once its row is committed. */
  readonly begin: (user: UserRecord, address: string, origin?: SessionOrigin) => Promise<NewSession>;
  /** The valid sessions, newest first. */
  readonly list: (userId: string) => Promise<readonly SessionRecord[]>;
  /** Throws NOT_FOUND. */
  readonly end: (userId: string, sessionId: string, actor: Actor) => Promise<SessionRecord>;
  /** The keys of all rows of a user, except that of the session `kept`. */
  readonly keysOf: (user: UserRecord, kept?: string) => Promise<string[]>;
  /**
   * The keys of the rows to delete when a session begins: ended sessions, and the oldest beyond `mostSessions`.
   */
  readonly spentKeysOf: (user: UserRecord) => Promise<string[]>;
}

export interface SessionsOptions extends Omit<ChangeParts, 'actor'> {
  readonly keys: KeyRing;
  readonly rules: () => MaybeAsync<PeopleRules>;
  /** a session that began here with a password ends when its person may not begin another one */
  readonly localSignIn?: LocalSignInRule;
  /** ids of the identity providers: a session of another one has ended. undefined: any */
  readonly providers?: readonly string[] | undefined;
  /** the view of a person; undefined: everybody sees all */
  readonly viewOf?: PersonView | undefined;
}

/** The packages that a person sees; undefined: all. */
export type PersonView = (person: Pick<UserRecord, 'id' | 'role'>) => MaybeAsync<View | undefined>;

/** Sessions of one user: a login for every call ends the user's own oldest sessions. */
export const mostSessions = 100;

/** Of the rows of all users; behind it comes the id of the user. */
export const sessionPrefix = 'session/';

/** Fields of a later program stay: servers of two versions share the state during an upgrade. */
const sessionRecord = z.looseObject({
  id: z.string(),
  created_at: z.iso.datetime(),
  expires_at: z.iso.datetime(),
  address: z.string(),
  provider: z.string().optional(),
  provider_subject: z.string().optional(),
  provider_session: z.string().optional(),
});

/** Parses a stored record. Throws StateError. */
export function parseSessionRecord(value: JsonValue): SessionRecord {
  return parseRow(sessionRecord, value, 'A session record') as SessionRecord;
}

export function createSessions(options: SessionsOptions): SessionService {
  const { store, keys, now } = options;
  const tokens = createSignedTokens(keys);
  return {
    authenticate: (authorization, nowMs) => authenticate(options, tokens, authorization, nowMs),
    begin: (user, address, origin) => begin(options, tokens, user, { address, origin }),
    list: (userId) => list(options, userId),
    end: (userId, sessionId, actor) => end(options, userId, sessionId, actor),
    keysOf: async (user, kept) =>
      (await rowsOf(store, user.id)).filter(({ record }) => record.id !== kept).map(({ key }) => key),
    spentKeysOf: async (user) => {
      const rows = await rowsOf(store, user.id);
      const alive = rows
        .filter(({ record }) => isAlive(options, record, user, now()))
        .sort((a, b) => (a.record.created_at > b.record.created_at ? -1 : 1));
      const remaining = new Set(alive.slice(0, mostSessions - 1).map(({ key }) => key));
      return rows.map(({ key }) => key).filter((key) => !remaining.has(key));
    },
  };
}

async function authenticate(
  options: SessionsOptions,
  tokens: SignedTokens,
  authorization: string,
  nowMs: number,
): Promise<SessionCaller | undefined> {
  const { store, viewOf } = options;
  const text = /^bearer +(\S+) *$/i.exec(authorization)?.[1];
  const claims = text === undefined ? undefined : await tokens.verify('session', text, nowMs);
  if (claims === undefined) return undefined;
  const [user, row] = await Promise.all([
    readUser(store, claims.subject),
    store.get(keyOf(claims.subject, hashOf(claims.sessionId))),
  ]);
  if (user === undefined || row === undefined) return undefined;
  const record = parseSessionRecord(row.value);
  if (!isAlive(options, record, user.record, nowMs)) return undefined;
  const { id, email, role, password, passkeys = [] } = user.record;
  const { provider } = record;
  const view = await viewOf?.({ id, role });
  const provesWith = { password: password !== null, passkey: passkeys.length > 0 };
  const from = provider === undefined ? {} : { provider };
  return {
    kind: 'user',
    userId: id,
    email,
    role,
    sessionId: record.id,
    signedInMs: Date.parse(record.created_at),
    provesWith,
    view,
    ...from,
    ...personRights(user.record),
  };
}

async function begin(
  { now, randomBytes, rules }: SessionsOptions,
  tokens: SignedTokens,
  user: UserRecord,
  { address, origin }: { readonly address: string; readonly origin: SessionOrigin | undefined },
): Promise<NewSession> {
  const secretId = randomBase62(32, randomBytes);
  const [issuedMs, hashed] = [now(), hashOf(secretId)];
  const { longestMs = Infinity, ...provider } = origin ?? {};
  const expiresMs = issuedMs + Math.min((await rules()).sessionMs, longestMs);
  const record = {
    id: idOf(hashed),
    created_at: new Date(issuedMs).toISOString(),
    expires_at: new Date(expiresMs).toISOString(),
    address,
    ...provider,
  };
  const token = await tokens.sign('session', { subject: user.id, sessionId: secretId }, { issuedMs, expiresMs });
  return { token, expires_at: record.expires_at, row: { key: keyOf(user.id, hashed), value: record } };
}

async function list(options: SessionsOptions, userId: string): Promise<SessionRecord[]> {
  const { store, now } = options;
  const user = await readUser(store, userId);
  if (user === undefined) return [];
  const records = (await rowsOf(store, userId))
    .map(({ record }) => record)
    .filter((record) => isAlive(options, record, user.record, now()));
  return records.sort((a, b) => (a.created_at > b.created_at ? -1 : 1));
}

async function end(options: SessionsOptions, userId: string, sessionId: string, actor: Actor): Promise<SessionRecord> {
  const { store } = options;
  const living = new Set((await list(options, userId)).map(({ id }) => id));
  const row = (await rowsOf(store, userId)).find(({ record: { id } }) => id === sessionId && living.has(id));
  const done =
    row !== undefined &&
    (await store.commit(
      { conditions: [{ key: row.key, revision: row.revision }], puts: [], deletes: [row.key] },
      { actor, action: 'session.end', subject: sessionId, details: { user: userId } },
    ));
  if (row === undefined || !done) throw new RegistryError('NOT_FOUND', { message: 'Session not found.' });
  return row.record;
}

async function rowsOf(store: AuditedStore, userId: string) {
  return (await store.range(prefixOf(userId))).map(({ key, value, revision }) => ({
    key,
    revision,
    record: parseSessionRecord(value),
  }));
}

function isAlive(
  { localSignIn, providers }: SessionsOptions,
  { expires_at, provider }: SessionRecord,
  { status, email }: UserRecord,
  nowMs: number,
): boolean {
  if (provider === undefined ? !isNamed(localSignIn, email) : providers?.includes(provider) === false) return false;
  return status === 'active' && nowMs < Date.parse(expires_at) + leewayMs;
}

function prefixOf(userId: string): string {
  return `${sessionPrefix}${userId}/`;
}

function keyOf(userId: string, hashed: string): string {
  return `${prefixOf(userId)}${hashed}`;
}

function hashOf(secretId: string): string {
  return hash('sha256', secretId, 'hex');
}

/** The public part of the hash: it names the session, and does not reveal the key of its row. */
function idOf(hashed: string): string {
  return `ses_${toBase62(Number.parseInt(hashed.slice(0, 11), 16), 8)}${toBase62(Number.parseInt(hashed.slice(11, 22), 16), 8)}`;
}
