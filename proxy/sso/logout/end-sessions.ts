// Ends the sessions that a logout token names. One commit uses the token up and deletes their rows, with one audit
// event. Personal tokens and sessions that began here stay.

import { sessionPrefix, parseSessionRecord, type SessionRecord } from '../../auth/sessions.ts';
import { readUserBehind } from '../../auth/user-records.ts';
import { userIdentityKey } from '../../auth/user-identity.ts';
import type { AuditedStore } from '../../state/audit.ts';
import type { StateEntry, StateStore } from '../../core/state/state-store.ts';
import { digestOf, useOnce } from '../../state/used-once.ts';
import { usedAtProviders } from '../flow/transaction.ts';
import type { IdentityProvider } from '../model/provider.ts';
import { LogoutRefused, type LogoutToken } from './logout-token.ts';

export interface EndSessionsParts {
  readonly providers: readonly Pick<IdentityProvider, 'id' | 'issuer'>[];
  readonly state: StateStore;
  /** the same state */
  readonly store: AuditedStore;
  /** epoch milliseconds */
  readonly now: () => number;
}

interface SessionEntry {
  readonly key: string;
  readonly userId: string;
  readonly record: SessionRecord;
}

const pageSize = 500;

/** The number of ended sessions. Throws LogoutRefused if the token was used before. */
export async function endSessions(
  parts: EndSessionsParts,
  provider: Pick<IdentityProvider, 'id' | 'issuer'>,
  token: LogoutToken,
): Promise<number> {
  const { state, store, now } = parts;
  const once = JSON.stringify(['logout', provider.issuer, token.id]);
  const expiry = { expiresMs: token.expiresMs, nowMs: now() };
  const used = await useOnce(state, usedAtProviders, digestOf(once), expiry);
  const ended = await sessionsOf(parts, provider, token);
  const change = { ...used, deletes: [...used.deletes, ...ended.map(({ key }) => key)] };
  const [first] = ended;
  const done = await (first === undefined
    ? state.commit({ ...change, quiet: true })
    : store.commit(change, {
        actor: 'system:sso',
        action: 'user.sign_out',
        subject: first.userId,
        details: { provider: provider.id, sessions: ended.map(({ record }) => record.id) },
      }));
  if (!done) throw new LogoutRefused('The logout token is not accepted: it was used before.');
  return ended.length;
}

async function sessionsOf(
  { providers, store }: EndSessionsParts,
  { issuer }: Pick<IdentityProvider, 'issuer'>,
  token: LogoutToken,
): Promise<readonly SessionEntry[]> {
  const sameIssuer = new Set(providers.filter((one) => one.issuer === issuer).map(({ id }) => id));
  const found: SessionEntry[] = [];
  for await (const row of rowsOf(store, issuer, token)) {
    const record = parseSessionRecord(row.value);
    if (record.provider !== undefined && sameIssuer.has(record.provider) && isNamed(record, token))
      found.push({ key: row.key, userId: row.key.split('/')[1] ?? '', record });
  }
  return found;
}

/** The rows of the person; of all people, if the token names none. */
async function* rowsOf(
  store: AuditedStore,
  issuer: string,
  { subject }: LogoutToken,
): AsyncGenerator<StateEntry, void, undefined> {
  if (subject !== undefined) {
    const user = await readUserBehind(store, userIdentityKey({ issuer, subject }));
    if (user !== undefined) yield* await store.range(`${sessionPrefix}${user.record.id}/`);
    return;
  }
  let page = await store.range(sessionPrefix, { limit: pageSize });
  while (page.length > 0) {
    yield* page;
    page = await store.range(sessionPrefix, { after: page.at(-1)?.key ?? '', limit: pageSize });
  }
}

/** A session of the person whose own name at the provider is unknown could be the one that ended there. */
function isNamed({ provider_subject, provider_session }: SessionRecord, { subject, session }: LogoutToken): boolean {
  if (subject === undefined) return provider_session === session;
  if (provider_subject !== subject) return false;
  return session === undefined || provider_session === undefined || provider_session === session;
}
