// Gives a token a new secret. The former secret stays valid for a while, so that its users can switch without a gap.
// Older secrets end immediately.

import type { ChangeParts } from '../state/audit.ts';
import type { StateChange } from '../core/state/state-store.ts';
import type { Secret } from '../../build/shared/text/secret.ts';
import { TokenError } from './token-error.ts';
import { assertChangeable } from './token-fields.ts';
import { mintToken, type TokenHash } from '../core/tokens/token-format.ts';
import { foreignSecretKey, tokenHashKey, tokenKey, type TokenRecord } from '../core/tokens/token.ts';

export interface Rotation {
  readonly record: TokenRecord;
  readonly secret: Secret;
}

/** The default: a day. */
export const standardGraceSeconds = 86_400;
/** Thirty days. */
export const longestGraceSeconds = 30 * 86_400;

type Options = ChangeParts;

/**
 * Throws TokenError TOKEN_REVOKED and GRACE_INVALID. Throws TOKEN_ROTATED after a concurrent rotation, because this one
 * would replace a secret before its first use. `replaced`: the hash that the caller has seen.
 */
export async function rotateToken(
  { store, now, randomBytes, actor }: Options,
  find: () => Promise<{ readonly record: TokenRecord; readonly revision: number }>,
  graceSeconds = standardGraceSeconds,
  replaced?: TokenHash,
): Promise<Rotation> {
  assertGrace(graceSeconds);
  let current = await find();
  const former = replaced ?? current.record.hash;
  const { secret, hash } = mintToken(current.record.kind, randomBytes);
  for (;;) {
    const { record, revision } = current;
    assertRotatable(record, former);
    assertChangeable(record);
    const hasGrace = graceSeconds > 0;
    const previousExpiresAt = hasGrace ? new Date(now() + graceSeconds * 1000).toISOString() : null;
    const rotated: TokenRecord = {
      ...record,
      hash,
      previous_hash: hasGrace ? former : null,
      previous_expires_at: previousExpiresAt,
    };
    const done = await store.commit(changeTo(rotated, record, revision), {
      actor,
      action: 'token.rotate',
      subject: record.id,
      details: { grace_seconds: graceSeconds, previous_expires_at: previousExpiresAt },
    });
    if (done) return { record: rotated, secret };
    current = await find(); // the token has changed, perhaps without a rotation
  }
}

function changeTo(rotated: TokenRecord, before: TokenRecord, revision: number): StateChange {
  const { id, hash, previous_hash: kept } = rotated;
  const ended = [before.previous_hash, before.hash].flatMap((former) =>
    former === null || former === kept ? [] : [former],
  );
  return {
    conditions: [
      { key: tokenKey(id), revision },
      { key: tokenHashKey(hash), revision: null },
    ],
    puts: [
      { key: tokenKey(id), value: { ...rotated } },
      { key: tokenHashKey(hash), value: id },
    ],
    deletes: ended.flatMap((former) => [tokenHashKey(former), foreignSecretKey(former)]),
  };
}

function assertGrace(seconds: number): void {
  if (Number.isSafeInteger(seconds) && seconds >= 0 && seconds <= longestGraceSeconds) return;
  throw new TokenError(
    'GRACE_INVALID',
    `The former secret may stay valid for 0 to ${longestGraceSeconds} seconds, which is thirty days; it is ` +
      `${seconds}.`,
  );
}

function assertRotatable({ id, revoked_at, hash }: TokenRecord, former: TokenRecord['hash']): void {
  if (revoked_at !== null)
    throw new TokenError('TOKEN_REVOKED', `The token ${id} was revoked on ${revoked_at} and stays so. Create another.`);
  if (hash !== former)
    throw new TokenError(
      'TOKEN_ROTATED',
      `Another request just gave the token ${id} a new secret. Repeat the request to replace it again.`,
    );
}
