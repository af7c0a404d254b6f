// The record of a new token with its rows, for the commit that makes it.

import type { Actor } from '../state/audit.ts';
import type { StateChange } from '../core/state/state-store.ts';
import { noLimits } from '../core/views/token-limits.ts';
import type { RandomBytes } from '../../build/shared/text/base62.ts';
import type { Secret } from '../../build/shared/text/secret.ts';
import { parseExpiry, standardExpiry } from './expiry.ts';
import { mintToken } from '../core/tokens/token-format.ts';
import { mintTokenId, tokenHashKey, tokenKey, type TokenRecord } from '../core/tokens/token.ts';
import { assertUseful, checkedFields, type TokenDraft } from './token-fields.ts';

export interface NewToken extends Pick<StateChange, 'conditions' | 'puts'> {
  readonly record: TokenRecord;
  readonly secret: Secret;
}

/** Throws TokenError for a faulty draft. */
export function newToken(
  { now, randomBytes, actor }: { readonly now: () => number; readonly randomBytes: RandomBytes; readonly actor: Actor },
  draft: TokenDraft,
): NewToken {
  const nowMs = now();
  const fields = checkedFields({ expiresAt: parseExpiry(standardExpiry, nowMs), ...draft }, nowMs);
  const { description = '', limit = null, expires_at = null, ...limits } = fields;
  const { secret, hash } = mintToken(draft.kind, randomBytes);
  const id = draft.id ?? mintTokenId(randomBytes);
  const record: TokenRecord = {
    id,
    description,
    kind: draft.kind,
    limit,
    created_at: new Date(nowMs).toISOString(),
    created_by: actor,
    ...(draft.person === undefined ? {} : { person: draft.person }),
    expires_at,
    revoked_at: null,
    ...noLimits,
    ...limits,
    hash,
    previous_hash: null,
    previous_expires_at: null,
  };
  assertUseful(record);
  return {
    record,
    secret,
    conditions: [
      { key: tokenKey(id), revision: null },
      { key: tokenHashKey(hash), revision: null },
    ],
    puts: [
      { key: tokenKey(id), value: { ...record } },
      { key: tokenHashKey(hash), value: id },
    ],
  };
}
