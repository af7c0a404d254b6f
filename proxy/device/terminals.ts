// The device flow as one service: terminals begin and redeem their requests, and people decide about them. The
// management API and the console call it. All that it knows is in the state, so that any server answers any step.

import { createAttempts } from '../auth/attempts.ts';
import { allPackages, type PersonPackages } from '../auth/person-status.ts';
import type { RandomBytes } from '../../build/shared/text/base62.ts';
import { createAuditedStore } from '../state/audit.ts';
import type { StateStore } from '../core/state/state-store.ts';
import { beginRequest, type TerminalDetails } from './begin-request.ts';
import { decideRequest, findRequest, type Visitor } from './judge-request.ts';
import { redeemRequest } from './redeem-request.ts';

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
