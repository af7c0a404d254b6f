// The last step of a terminal: it asks for its token until the person has decided (RFC 8628 §3.4). The token is made
// with the answer, so that only its hash is ever stored. One commit makes the token and ends the code.

import type { Secret } from '../../build/shared/text/secret.ts';
import type { PersonPackages } from '../auth/person-status.ts';
import { newToken, type NewToken } from '../auth/tokens.ts';
import type { TokenRecord } from '../core/tokens/token.ts';
import { readUser } from '../auth/user-records.ts';
import { userKey, type UserRecord } from '../auth/user.ts';
import type { UserId } from '../core/tokens/person.ts';
import type { ChangeParts } from '../state/audit.ts';
import type { StateStore } from '../core/state/state-store.ts';
import { denied, over, tooSoon, unknownClient, unknownCode, waiting } from './oauth-fault.ts';
import { clientId, isOver, longestInterval, type SignInRequest } from './sign-in-request.ts';
import { readRequest, replaceQuietly, rowsOf, type StoredRequest } from './stored-request.ts';
import { rightsText } from './terminal-rights.ts';
import { hashCode } from './user-code.ts';

export interface RedeemParts extends Omit<ChangeParts, 'actor'> {
  readonly state: StateStore;
  readonly personPackages: PersonPackages;
}

export interface RedeemedDeviceCode {
  readonly secret: Secret;
  readonly record: TokenRecord;
  readonly user: UserRecord;
  /** what the token can do now, in words */
  readonly rights: string;
}

const dayMs = 86_400_000;
const slowerBy = 5;
/** Clocks and networks are not exact. */
const toleranceMs = 1000;

/** Throws OAuthFault. */
export async function redeemRequest(
  parts: RedeemParts,
  client: string | undefined,
  deviceCode: string,
): Promise<RedeemedDeviceCode> {
  if (client !== clientId) throw unknownClient();
  const stored = await readRequest(parts.state, hashCode(deviceCode));
  if (stored?.request.client_id !== client) throw unknownCode();
  const { decision } = stored.request;
  if (isOver(stored.request, parts.now())) throw over();
  if (decision?.approved === false) throw denied();
  const redeemed = decision === null ? await noteQuestion(parts, stored) : await give(parts, stored, decision.by);
  // the row has changed between reading and writing it
  return redeemed ?? redeemRequest(parts, client, deviceCode);
}

/** undefined: the row has changed. Throws otherwise. */
async function noteQuestion({ state, now }: RedeemParts, stored: StoredRequest): Promise<undefined> {
  const { request } = stored;
  const { asked_ms: before, interval } = request;
  const nowMs = now();
  const isTooSoon = before !== null && nowMs - before < interval * 1000 - toleranceMs;
  const slower = Math.min(longestInterval, interval + slowerBy);
  const noted: SignInRequest = { ...request, asked_ms: nowMs, interval: isTooSoon ? slower : interval };
  if (!(await replaceQuietly(state, stored, noted))) return undefined;
  throw isTooSoon ? tooSoon(slower) : waiting();
}

/** undefined: the row or the person has changed. Throws `denied` for a person who was disabled or removed meanwhile. */
async function give(parts: RedeemParts, stored: StoredRequest, by: UserId): Promise<RedeemedDeviceCode | undefined> {
  const { store } = parts;
  const { key, revision, request } = stored;
  const user = await readUser(store, by);
  if (user?.record.status !== 'active') throw denied();
  const token = tokenOf(parts, request, by);
  const { id, description, kind, expires_at } = token.record;
  const done = await store.commit(
    {
      conditions: [{ key, revision }, { key: userKey(by), revision: user.revision }, ...token.conditions],
      puts: token.puts,
      deletes: rowsOf(stored),
    },
    {
      actor: `user:${by}`,
      action: 'token.create',
      subject: id,
      details: { description, kind, expires_at, person: by, address: request.address },
    },
  );
  if (!done) return undefined;
  const seesAll = (await parts.personPackages(user.record)) === null;
  const rights = rightsText({ role: user.record.role, seesAll });
  return { secret: token.secret, record: token.record, user: user.record, rights };
}

function tokenOf(parts: RedeemParts, { machine, days }: SignInRequest, person: UserId): NewToken {
  const draft = {
    description: `libretto login on ${machine}`,
    kind: 'read',
    person,
    expiresAt: new Date(parts.now() + days * dayMs),
  } as const;
  return newToken({ ...parts, actor: `user:${person}` }, draft);
}
