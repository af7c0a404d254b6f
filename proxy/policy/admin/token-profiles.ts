// The tokens that a policy may concern: their status, their last use, and what they see.

import type { ReadPersonStatus } from '../../core/tokens/person.ts';
import type { TokenUses } from '../../core/tokens/token-uses.ts';
import {
  parseTokenRecord,
  tokenKeyPrefix,
  tokenStatus,
  type TokenId,
  type TokenRecord,
} from '../../core/tokens/token.ts';
import type { StateStore } from '../../core/state/state-store.ts';
import { compileAccess } from '../../core/views/compile-access.ts';
import type { View } from '../../core/views/view.ts';

export interface TokenProfile {
  readonly id: TokenId;
  readonly status: ReturnType<typeof tokenStatus>;
  /** epoch milliseconds; undefined: never */
  readonly lastUsedMs: number | undefined;
  /** What it sees; undefined: nothing, since its person may not sign in. A `view` undefined: everything. */
  readonly access: () => Promise<{ readonly view: View | undefined } | undefined>;
}

export interface TokenProfileOptions {
  readonly store: Pick<StateStore, 'get' | 'range'>;
  readonly uses: Pick<TokenUses, 'of'>;
  readonly personStatus: ReadPersonStatus;
  /** epoch milliseconds */
  readonly now: () => number;
}

const views = 1000;

export async function readTokenProfiles({
  store,
  uses,
  personStatus,
  now,
}: TokenProfileOptions): Promise<readonly TokenProfile[]> {
  const records = (await store.range(tokenKeyPrefix)).map(({ value }) => parseTokenRecord(value));
  const used = await uses.of(records.map(({ id }) => id));
  const compile = compileAccess(views);
  const accessOf = async (record: TokenRecord): ReturnType<TokenProfile['access']> => {
    if (record.person === undefined) return { view: compile(record).view };
    const person = await personStatus(record.person);
    return person && { view: compile({ ...record, packages: person.packages }).view };
  };
  return records.map((record) => ({
    id: record.id,
    status: tokenStatus(record, now()),
    lastUsedMs: used.get(record.id)?.atMs,
    access: () => accessOf(record),
  }));
}
