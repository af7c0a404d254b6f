// A new secret for a token that stays what it is. The former secret goes on opening for a while, so that whoever holds
// it can take over the new one without a gap; of older ones nothing is left.

import type { AuditedStore, Actor } from '../state/audit.ts';
import type { RandomBytes } from '../../build/shared/text/base62.ts';
import type { Secret } from '../../build/shared/text/secret.ts';
import { TokenError } from './token-error.ts';
import { mintToken } from './token-format.ts';
import { tokenHashKey, tokenKey, type TokenRecord } from './token.ts';

export interface Rotation {
  readonly record: TokenRecord;
  readonly secret: Secret;
}

/** Where nothing else is said: a day, seconds. */
export const standardGraceSeconds = 86_400;
/** Thirty days: a secret that is to live longer than that is not being replaced. */
export const longestGraceSeconds = 30 * 86_400;

interface Options {
  readonly store: AuditedStore;
  readonly now: () => number;
  readonly randomBytes: RandomBytes;
  readonly actor: Actor;
}

/**
 * Throws TokenError TOKEN_REVOKED, GRACE_INVALID, and TOKEN_ROTATED when another rotation came in between: its secret
 * would be lost, unseen.
 */
export async function rotateToken(
  { store, now, randomBytes, actor }: Options,
  find: () => Promise<{ readonly record: TokenRecord; readonly revision: number }>,
  graceSeconds = standardGraceSeconds,
): Promise<Rotation> {
  if (!Number.isSafeInteger(graceSeconds) || graceSeconds < 0 || graceSeconds > longestGraceSeconds) {
    throw new TokenError(
      'GRACE_INVALID',
      `The former secret may stay valid for 0 to ${longestGraceSeconds} seconds, which is thirty days; it is ` +
        `${graceSeconds}.`,
    );
  }
  let current = await find();
  const { hash: former } = current.record;
  const { secret, hash } = mintToken(current.record.kind, randomBytes);
  for (;;) {
    const { record, revision } = current;
    if (record.revoked_at !== null)
      throw new TokenError(
        'TOKEN_REVOKED',
        `The token ${record.id} was revoked on ${record.revoked_at} and stays so. Create another.`,
      );
    if (record.hash !== former)
      throw new TokenError(
        'TOKEN_ROTATED',
        `Another request just gave the token ${record.id} a new secret. Repeat the request to replace it again.`,
      );
    const kept = graceSeconds > 0;
    const previousExpiresAt = kept ? new Date(now() + graceSeconds * 1000).toISOString() : null;
    const rotated: TokenRecord = {
      ...record,
      hash,
      previous_hash: kept ? former : null,
      previous_expires_at: previousExpiresAt,
    };
    const gone = [...(record.previous_hash === null ? [] : [record.previous_hash]), ...(kept ? [] : [former])];
    const done = await store.commit(
      {
        conditions: [
          { key: tokenKey(record.id), revision },
          { key: tokenHashKey(hash), revision: null },
        ],
        puts: [
          { key: tokenKey(record.id), value: { ...rotated } },
          { key: tokenHashKey(hash), value: record.id },
        ],
        deletes: gone.map(tokenHashKey),
      },
      {
        actor,
        action: 'token.rotate',
        subject: record.id,
        details: { grace_seconds: graceSeconds, previous_expires_at: previousExpiresAt },
      },
    );
    if (done) return { record: rotated, secret };
    current = await find(); // changed meanwhile, which need not have been a rotation
  }
}
