// The device flow as one service: terminals begin and redeem their requests, and people decide about them. The
// management API and the console call it. All that it knows is in the state, so that any server answers any step.

import { createAttempts, WrongGuess, type Attempts } from '../auth/attempts.ts';
import { allPackages, type PersonPackages } from '../auth/person-status.ts';
import { type RandomBytes, randomBase62 } from '../../build/shared/text/base62.ts';
import { createAuditedStore } from '../state/audit.ts';
import type { StateStore } from '../core/state/state-store.ts';
import { decideRequest, findRequest, type Visitor } from './judge-request.ts';
import { redeemRequest } from './redeem-request.ts';
import { RegistryError } from '../../build/contract/errors.ts';
import { Secret } from '../../build/shared/text/secret.ts';
import { deviceRequestBudget } from '../auth/attempt-budgets.ts';
import { OAuthFault, unknownClient } from './oauth-fault.ts';
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
} from './sign-in-request.ts';
import { sweepRequests, valueOf } from './stored-request.ts';
import { hashCode, mintUserCode } from './user-code.ts';

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
