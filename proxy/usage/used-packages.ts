// The packages that a token used, the last used first: for the person whose token it is, and for those who manage it.

import { compareText } from '../../build/shared/text/compare-text.ts';
import type { StateStore } from '../core/state/state-store.ts';
import { lastUseOf, parseUsageRow, usedByKey, usedKey } from './usage-row.ts';
import { userOfToken } from './user-of-token.ts';

export interface UsedPackage {
  readonly name: string;
  /** a day in UTC */
  readonly last: string;
}

const mostPackages = 500;

/** For a token of a trusted publisher: what the jobs of its ref used. */
export async function usedPackages(
  state: Pick<StateStore, 'get' | 'range'>,
  token: string,
): Promise<readonly UsedPackage[]> {
  const user = await userOfToken(state, token);
  if (user === undefined) return [];
  const prefix = usedByKey(user.key, '');
  const names = (await state.range(prefix, { limit: mostPackages })).map(({ key }) => key.slice(prefix.length));
  const found = await Promise.all(
    names.map(async (name) => ({
      name,
      last: lastUseOf(parseUsageRow((await state.get(usedKey(name, user.key)))?.value)),
    })),
  );
  return found.toSorted((one, other) => compareText(other.last, one.last) || compareText(one.name, other.name));
}
