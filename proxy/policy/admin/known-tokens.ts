// The tokens that a policy may concern: their status, their last use, and what they see.

import { readStanding, type StandingRules } from '../../auth/person-packages.ts';
import type { TokenUses } from '../../auth/token-uses.ts';
import { parseTokenRecord, tokenKeyPrefix, tokenStatus, type TokenId, type TokenRecord } from '../../auth/token.ts';
import type { StateStore } from '../../state/state-store.ts';
import { compileAccess } from '../../views/compile-access.ts';
import type { View } from '../../views/view.ts';

export interface KnownToken {
  readonly id: TokenId;
  readonly status: ReturnType<typeof tokenStatus>;
  /** epoch milliseconds; undefined: never */
  readonly lastUsedMs: number | undefined;
  /** What it sees; undefined: nothing, since its person may not sign in. A `view` undefined: everything. */
  readonly access: () => Promise<{ readonly view: View | undefined } | undefined>;
}

export interface KnownTokensOptions {
  readonly store: Pick<StateStore, 'get' | 'range'>;
  readonly uses: Pick<TokenUses, 'of'>;
  readonly standing: StandingRules;
  /** epoch milliseconds */
  readonly now: () => number;
}

const views = 1000;

export async function readKnownTokens({
  store,
  uses,
  standing,
  now,
}: KnownTokensOptions): Promise<readonly KnownToken[]> {
  const records = (await store.range(tokenKeyPrefix)).map(({ value }) => parseTokenRecord(value));
  const used = await uses.of(records.map(({ id }) => id));
  const compile = compileAccess(views);
  const accessOf = async (record: TokenRecord): ReturnType<KnownToken['access']> => {
    if (record.person === undefined) return { view: compile(record).view };
    const person = await readStanding(store, record.person, standing);
    return person && { view: compile({ ...record, packages: person.packages }).view };
  };
  return records.map((record) => ({
    id: record.id,
    status: tokenStatus(record, now()),
    lastUsedMs: used.get(record.id)?.atMs,
    access: () => accessOf(record),
  }));
}
