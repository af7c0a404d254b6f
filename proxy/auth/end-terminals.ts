// The end of all terminals of a person, in the commit that takes the account from somebody: its tokens are revoked, and
// codes that the person approved give none any more. The commit has the condition that the person is unchanged, so that
// no token is made beside it.

import type { JsonObject } from '../../build/contract/json.ts';
import type { StateStore } from '../core/state/state-store.ts';
import { personalTokens } from './personal-tokens.ts';
import { tokenKey } from '../core/tokens/token.ts';
import type { UserId } from '../core/tokens/person.ts';

/** The keys of the rows of terminals that the person approved, and that have no token yet. */
export type PendingTerminals = (id: UserId) => Promise<readonly string[]>;

export interface EndParts {
  readonly store: Pick<StateStore, 'range'>;
  readonly now: () => number;
  /** undefined: no terminal can be approved */
  readonly pendingTerminals?: PendingTerminals | undefined;
}

/** Parts of the commit. */
export interface EndedTerminals {
  readonly puts: readonly { readonly key: string; readonly value: JsonObject }[];
  readonly deletes: readonly string[];
  /** for the audit event: the ids of the tokens; empty if there are none */
  readonly details: JsonObject;
}

export async function endTerminals({ store, now, pendingTerminals }: EndParts, user: UserId): Promise<EndedTerminals> {
  const nowMs = now();
  const [tokens, deletes = []] = await Promise.all([personalTokens(store, user, nowMs), pendingTerminals?.(user)]);
  const revokedAt = new Date(nowMs).toISOString();
  return {
    puts: tokens.map((record) => ({ key: tokenKey(record.id), value: { ...record, revoked_at: revokedAt } })),
    deletes,
    details: tokens.length === 0 ? {} : { tokens_revoked: tokens.map(({ id }) => id) },
  };
}

export const noneEnded: EndedTerminals = { puts: [], deletes: [], details: {} };
