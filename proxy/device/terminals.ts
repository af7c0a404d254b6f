// The device flow as one service: terminals begin and redeem their requests, and people decide about them. The
// management API and the console call it. All that it knows is in the state, so that any server answers any step.

import { createAttempts, WrongGuess, type Attempts } from '../auth/attempts.ts';
import { allPackages, type PersonPackages } from '../auth/person-status.ts';
import { type RandomBytes, randomBase62 } from '../../build/shared/text/base62.ts';
import { createAuditedStore, type ChangeParts } from '../state/audit.ts';
import type { StateStore } from '../core/state/state-store.ts';
import { decideRequest, findRequest, type Visitor } from './judge-request.ts';
import { RegistryError } from '../../build/contract/errors.ts';
import { Secret } from '../../build/shared/text/secret.ts';
import { deviceRequestBudget } from '../auth/attempt-budgets.ts';
import { OAuthFault, unknownClient, denied, over, tooSoon, unknownCode, waiting } from './oauth-fault.ts';
import {
  clientId,
  longestDays,
  longestMachine,
  requestKey,
  requestMs,
  standardDays,
  standardInterval,
  userCodeKey,
  type SignInRequest,
  isOver,
  longestInterval,
} from './sign-in-request.ts';
import { sweepRequests, valueOf, readRequest, replaceQuietly, rowsOf, type StoredRequest } from './stored-request.ts';
import { hashCode, mintUserCode } from './user-code.ts';
import { newToken, type NewToken } from '../auth/tokens.ts';
import type { TokenRecord } from '../core/tokens/token.ts';
import { readUser } from '../auth/user-records.ts';
import { userKey, type UserRecord } from '../auth/user.ts';
import type { UserId } from '../core/tokens/person.ts';
import { rightsText } from './terminal-rights.ts';

// The last step of a terminal: it asks for its token until the person has decided (RFC 8628 §3.4). The token is made
// with the answer, so that only its hash is ever stored. One commit makes the token and ends the code.

interface RedeemParts extends Omit<ChangeParts, 'actor'> {
  readonly state: StateStore;
  readonly personPackages: PersonPackages;
}

interface RedeemedDeviceCode {
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
async function redeemRequest(
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

// The first step of a terminal: it asks for a code (RFC 8628 §3.1). Each request of a network counts, because everybody
// may ask.

interface BeginParts {
  readonly state: StateStore;
  readonly attempts: Attempts;
  readonly now: () => number;
  readonly randomBytes: RandomBytes;
}

/** As the terminal sent it. */
interface TerminalDetails {
  readonly client: string | undefined;
  readonly machine: string | undefined;
  readonly days: string | undefined;
}

interface Begun {
  readonly deviceCode: Secret;
  readonly userCode: string;
  readonly expiresIn: number;
  readonly interval: number;
}

/** More terminals of all networks do not wait at the same time. */
const mostWaiting = 2000;

/** Throws OAuthFault; RegistryError TOO_MANY_ATTEMPTS and OVERLOADED. */
async function beginRequest(parts: BeginParts, wish: TerminalDetails, address: string): Promise<Begun> {
  const { state, now, randomBytes } = parts;
  if (wish.client !== clientId) throw unknownClient();
  const [days, machine] = [daysOf(wish.days), machineOf(wish.machine)];
  await count(parts, address);
  if ((await sweepRequests(state, now(), mostWaiting)) >= mostWaiting)
    throw new RegistryError('OVERLOADED', {
      message: 'Too many terminals wait to be signed in. Try again in ten minutes.',
    });
  const [deviceCode, userCode, nowMs] = [`dev_${randomBase62(32, randomBytes)}`, mintUserCode(randomBytes), now()];
  const request: SignInRequest = {
    client_id: clientId,
    user_code: hashCode(userCode),
    machine,
    days,
    address,
    created_at: new Date(nowMs).toISOString(),
    expires_at: new Date(nowMs + requestMs).toISOString(),
    interval: standardInterval,
    asked_ms: null,
    decision: null,
  };
  const hash = hashCode(deviceCode);
  const [key, codeKey] = [requestKey(hash), userCodeKey(request.user_code)];
  const done = await state.commit({
    conditions: [
      { key, revision: null },
      { key: codeKey, revision: null },
    ],
    puts: [
      { key, value: valueOf(request) },
      { key: codeKey, value: hash },
    ],
    deletes: [],
    quiet: true,
  });
  // another terminal has this code: one time in a billion
  if (!done) return beginRequest(parts, wish, address);
  return { deviceCode: new Secret(deviceCode), userCode, expiresIn: requestMs / 1000, interval: standardInterval };
}

class Counted extends Error {}

async function count({ attempts }: BeginParts, address: string): Promise<void> {
  const counted = attempts.judge([deviceRequestBudget(address)], () => Promise.reject(new WrongGuess()), {
    refuse: () => Promise.reject(new Counted()),
  });
  await counted.catch((error: unknown) => {
    if (!(error instanceof Counted)) throw error;
  });
}

function daysOf(text: string | undefined): number {
  const days = text === undefined ? standardDays : /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (days >= 1 && days <= longestDays) return days;
  throw new OAuthFault('invalid_request', `The field days must be a whole number from 1 to ${longestDays}.`);
}

/** One line of words that a page can show. */
function machineOf(text = ''): string {
  const name = text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, ' ').trim();
  if (name.length <= longestMachine) return name === '' ? 'a terminal' : name;
  throw new OAuthFault('invalid_request', `The field machine may have ${longestMachine} characters.`);
}

export type Terminals = ReturnType<typeof createTerminals>;

export interface TerminalsOptions {
  readonly state: StateStore;
  /** epoch milliseconds */
  readonly now: () => number;
  readonly randomBytes: RandomBytes;
  /** the packages that a person sees */
  readonly personPackages?: PersonPackages;
}

export function createTerminals({ state, now, randomBytes, personPackages = allPackages }: TerminalsOptions) {
  const store = createAuditedStore({ store: state, now });
  const parts = {
    state,
    store,
    now,
    randomBytes,
    personPackages,
    attempts: createAttempts({ store: state, now, randomBytes }),
  };
  return {
    /** Throws OAuthFault; RegistryError TOO_MANY_ATTEMPTS and OVERLOADED. */
    begin: (wish: TerminalDetails, address: string) => beginRequest(parts, wish, address),
    /** Throws OAuthFault. */
    redeem: (client: string | undefined, deviceCode: string) => redeemRequest(parts, client, deviceCode),
    /** The request that waits with this code. Throws NOT_FOUND and TOO_MANY_ATTEMPTS, as `decide`. */
    find: async (visitor: Visitor, userCode: string) => (await findRequest(parts, visitor, userCode)).request,
    decide: async (visitor: Visitor, userCode: string, approved: boolean) =>
      (await decideRequest(parts, visitor, userCode, approved)).request,
  };
}
