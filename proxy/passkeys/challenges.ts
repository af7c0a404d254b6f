// The challenges that authenticators sign. A challenge is signed by this registry, lasts five minutes, and belongs to
// one ceremony of one person within one session or login. Nothing is stored until it is answered.

import { hash } from 'node:crypto';

import type { RandomBytes } from '../../build/shared/text/base62.ts';
import type { KeyRing } from '../keys/key-ring.ts';
import { createSignedTokens, leewayMs } from '../keys/signed-token.ts';
import type { StateChange, StateStore } from '../core/state/state-store.ts';
import { digestOf, useOnce, wasUsed, type OnceKind } from '../state/used-once.ts';

export type Ceremony = 'add' | 'sign-in' | 'second-step' | 'confirm' | 'remove';

/** What a challenge is for. An answer counts only for the same. */
export interface ChallengeUse {
  readonly ceremony: Ceremony;
  /** `usr_…`; `anybody` for a sign-in without a name */
  readonly subject: string;
  /** the session, or the proof of the first step; of a removal with the passkey, too */
  readonly context: string;
}

export interface IssuedChallenge {
  /** 32 random bytes, base64url */
  readonly challenge: string;
  /** comes back with the answer */
  readonly token: string;
}

export type Challenges = ReturnType<typeof createChallenges>;

/** Five minutes. */
export const challengeMs = 300_000;

/** The challenges that were answered: each works once. */
export const usedChallenges: OnceKind = {
  prefix: 'passkey-used/',
  row: 'The challenge of a passkey that was answered',
  leewayMs,
};

/** The part of the commit that uses the challenge; undefined: it was used before. */
export async function useChallenge(
  store: Pick<StateStore, 'get' | 'range'>,
  challenge: string,
  nowMs: number,
): Promise<StateChange | undefined> {
  const digest = digestOf(challenge);
  if (await wasUsed(store, usedChallenges, digest)) return undefined;
  return useOnce(store, usedChallenges, digest, { expiresMs: nowMs + challengeMs, nowMs });
}

export function createChallenges({
  keys,
  now,
  randomBytes,
}: {
  readonly keys: KeyRing;
  readonly now: () => number;
  readonly randomBytes: RandomBytes;
}) {
  const tokens = createSignedTokens(keys);
  return {
    issue: async (use: ChallengeUse): Promise<IssuedChallenge> => {
      const challenge = Buffer.from(randomBytes(32)).toString('base64url');
      const issuedMs = now();
      const claims = { subject: use.subject, sessionId: `${markOf(use)}.${challenge}` };
      const token = await tokens.sign('passkey', claims, { issuedMs, expiresMs: issuedMs + challengeMs });
      return { challenge, token: token.reveal() };
    },
    /** The challenge in the token; undefined: it has ended, or is for another use. */
    open: async (token: string, use: ChallengeUse): Promise<string | undefined> => {
      const claims = await tokens.verify('passkey', token, now());
      const [mark, challenge] = claims?.sessionId.split('.') ?? [];
      return claims?.subject === use.subject && mark === markOf(use) ? challenge : undefined;
    },
  };
}

function markOf({ ceremony, context }: ChallengeUse): string {
  return hash('sha256', JSON.stringify([ceremony, context]), 'base64url');
}
