// The device flow as one service: terminals begin and redeem their requests, and people decide about them. The
// management API and the console call it. All that it knows is in the state, so that any server answers any step.

import { createAttempts } from '../auth/attempts.ts';
import { allPackages, type PersonPackages } from '../auth/person-status.ts';
import type { RandomBytes } from '../../build/shared/text/base62.ts';
import { createAuditedStore } from '../state/audit.ts';
import type { StateStore } from '../core/state/state-store.ts';
import { beginRequest, type Begun, type TerminalDetails } from './begin-request.ts';
import { decideRequest, findRequest, type Visitor } from './judge-request.ts';
import { redeemRequest, type RedeemedDeviceCode } from './redeem-request.ts';
import type { SignInRequest } from './sign-in-request.ts';

export interface Terminals {
  /** Throws OAuthFault; RegistryError TOO_MANY_ATTEMPTS and OVERLOADED. */
  readonly begin: (wish: TerminalDetails, address: string) => Promise<Begun>;
  /** Throws OAuthFault. */
  readonly redeem: (client: string | undefined, deviceCode: string) => Promise<RedeemedDeviceCode>;
  /** The request that waits with this code. Throws NOT_FOUND and TOO_MANY_ATTEMPTS, as `decide`. */
  readonly find: (visitor: Visitor, userCode: string) => Promise<SignInRequest>;
  readonly decide: (visitor: Visitor, userCode: string, approved: boolean) => Promise<SignInRequest>;
}

export interface TerminalsOptions {
  readonly state: StateStore;
  /** epoch milliseconds */
  readonly now: () => number;
  readonly randomBytes: RandomBytes;
  /** the packages that a person sees */
  readonly personPackages?: PersonPackages;
}

export function createTerminals({
  state,
  now,
  randomBytes,
  personPackages = allPackages,
}: TerminalsOptions): Terminals {
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
    begin: (wish, address) => beginRequest(parts, wish, address),
    redeem: (client, deviceCode) => redeemRequest(parts, client, deviceCode),
    find: async (visitor, userCode) => (await findRequest(parts, visitor, userCode)).request,
    decide: async (visitor, userCode, approved) => (await decideRequest(parts, visitor, userCode, approved)).request,
  };
}
