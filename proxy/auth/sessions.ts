// A person's sessions: a signed token that names a row, and the row decides. Rows are keyed by the hash of the
// session's secret id, so a copy of the state opens none; row and user are looked at on every request, so whatever ends
// a session does so with the next one. A row is only ever put in a commit that holds under the condition that the user
// did not change: whoever deletes the rows in a change of the user has them all.

import { hash } from 'node:crypto';
import { z } from 'zod';

import { RegistryError } from '../../build/contract/errors.ts';
import type { JsonValue } from '../../build/contract/json.ts';
import type { MaybeAsync } from '../../build/shared/concurrency/maybe-async.ts';
import { createSignedTokens, leewayMs } from '../keys/signed-token.ts';
import type { KeyRing } from '../keys/key-ring.ts';
import type { Actor, AuditedStore } from '../state/audit.ts';
import { malformedRecord } from '../state/state-error.ts';
import { randomBase62, toBase62, type RandomBytes } from '../../build/shared/text/base62.ts';
import type { SessionCaller } from './caller.ts';
import type { PeopleRules } from './people-rules.ts';
import type { Secret } from '../../build/shared/text/secret.ts';
import { readUser } from './user-records.ts';
import type { UserRecord } from './user.ts';

export interface Sessions {
  /** Whose session this Authorization header is; undefined: nobody's. Rejects only when the state fails. */
  readonly authenticate: (authorization: string, nowMs: number) => Promise<SessionCaller | undefined>;
}

export interface SessionRecord {
  /** `ses_…`, not secret */
  readonly id: string;
  readonly created_at: string;
  readonly expires_at: string;
  /** where the login came from */
  readonly address: string;
}

export interface NewSession {
  readonly token: Secret;
  readonly expires_at: string;
  /** to be put in the commit that lets the person in */
  readonly row: { readonly key: string; readonly value: SessionRecord & Record<string, JsonValue> };
}

export interface SessionService extends Sessions {
  /** A session of `user` as they will be; it counts once its row is committed. */
  readonly begin: (user: UserRecord, address: string) => Promise<NewSession>;
  /** The living ones, newest first. */
  readonly list: (userId: string) => Promise<readonly SessionRecord[]>;
  /** Throws NOT_FOUND where the user has no such session any more. */
  readonly end: (userId: string, sessionId: string, actor: Actor) => Promise<SessionRecord>;
  /** Keys of all rows of a user. */
  readonly keysOf: (user: UserRecord) => Promise<string[]>;
  /**
   * Keys of the rows that go when another session begins: those that open nothing any more, and the oldest of very
   * many.
   */
  readonly spentKeysOf: (user: UserRecord) => Promise<string[]>;
}

export interface SessionsOptions {
  readonly store: AuditedStore;
  readonly keys: KeyRing;
  readonly now: () => number;
  readonly randomBytes: RandomBytes;
  readonly rules: () => MaybeAsync<PeopleRules>;
}

/** Of one user: whoever logs in for every call ends their own oldest sessions, and fills nothing. */
export const mostSessions = 100;

const sessionRecord = z.strictObject({
  id: z.string(),
  created_at: z.iso.datetime(),
  expires_at: z.iso.datetime(),
  address: z.string(),
});

/** A record as stored. Throws StateError when it is not one. */
export function parseSessionRecord(value: JsonValue): SessionRecord {
  const parsed = sessionRecord.safeParse(value);
  if (parsed.success) return parsed.data;
  throw malformedRecord('A session record');
}

export function createSessions({ store, keys, now, randomBytes, rules }: SessionsOptions): SessionService {
  const tokens = createSignedTokens(keys);
  const rowsOf = async (userId: string) =>
    (await store.range(prefixOf(userId))).map(({ key, value, revision }) => ({
      key,
      revision,
      record: parseSessionRecord(value),
    }));
  const list = async (userId: string): Promise<SessionRecord[]> => {
    const user = await readUser(store, userId);
    if (user === undefined) return [];
    const records = (await rowsOf(userId))
      .map(({ record }) => record)
      .filter((record) => isAlive(record, user.record, now()));
    return records.sort((a, b) => (a.created_at > b.created_at ? -1 : 1));
  };
  return {
    authenticate: async (authorization, nowMs) => {
      const text = /^bearer +(\S+) *$/i.exec(authorization)?.[1];
      const claims = text === undefined ? undefined : await tokens.verify('session', text, nowMs);
      if (claims === undefined) return undefined;
      const [user, row] = await Promise.all([
        readUser(store, claims.subject),
        store.get(keyOf(claims.subject, hashOf(claims.sessionId))),
      ]);
      if (user === undefined || row === undefined) return undefined;
      const record = parseSessionRecord(row.value);
      if (!isAlive(record, user.record, nowMs)) return undefined;
      const { id, email, role } = user.record;
      return { kind: 'user', userId: id, email, role, sessionId: record.id };
    },
    begin: async (user, address) => {
      const secretId = randomBase62(32, randomBytes);
      const [issuedMs, hashed] = [now(), hashOf(secretId)];
      const expiresMs = issuedMs + (await rules()).sessionMs;
      const record = {
        id: idOf(hashed),
        created_at: new Date(issuedMs).toISOString(),
        expires_at: new Date(expiresMs).toISOString(),
        address,
      };
      const token = await tokens.sign('session', { subject: user.id, sessionId: secretId }, { issuedMs, expiresMs });
      return { token, expires_at: record.expires_at, row: { key: keyOf(user.id, hashed), value: record } };
    },
    list,
    end: async (userId, sessionId, actor) => {
      const living = new Set((await list(userId)).map(({ id }) => id));
      const row = (await rowsOf(userId)).find(({ record: { id } }) => id === sessionId && living.has(id));
      const done =
        row !== undefined &&
        (await store.commit(
          { conditions: [{ key: row.key, revision: row.revision }], puts: [], deletes: [row.key] },
          { actor, action: 'session.end', subject: sessionId, details: { user: userId } },
        ));
      if (row === undefined || !done) throw new RegistryError('NOT_FOUND', { message: 'Session not found.' });
      return row.record;
    },
    keysOf: async (user) => (await rowsOf(user.id)).map(({ key }) => key),
    spentKeysOf: async (user) => {
      const rows = await rowsOf(user.id);
      const alive = rows
        .filter(({ record }) => isAlive(record, user, now()))
        .sort((a, b) => (a.record.created_at > b.record.created_at ? -1 : 1));
      const kept = new Set(alive.slice(0, mostSessions - 1).map(({ key }) => key));
      return rows.map(({ key }) => key).filter((key) => !kept.has(key));
    },
  };
}

function isAlive({ expires_at }: SessionRecord, { status }: UserRecord, nowMs: number): boolean {
  return status === 'active' && nowMs < Date.parse(expires_at) + leewayMs;
}

function prefixOf(userId: string): string {
  return `session/${userId}/`;
}

function keyOf(userId: string, hashed: string): string {
  return `${prefixOf(userId)}${hashed}`;
}

function hashOf(secretId: string): string {
  return hash('sha256', secretId, 'hex');
}

/** The part of the hash that a person may see: enough to name a session, not enough to find its row's secret. */
function idOf(hashed: string): string {
  return `ses_${toBase62(Number.parseInt(hashed.slice(0, 11), 16), 8)}${toBase62(Number.parseInt(hashed.slice(11, 22), 16), 8)}`;
}
