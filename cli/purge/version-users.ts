// Who used a version that a purge would remove, in lines for people: the last user first.

import { compareText } from '../../build/shared/text/compare-text.ts';
import { describeUsers, nameOfUser } from '../../proxy/usage/describe-users.ts';
import { parseUsageRow, usedPrefix } from '../../proxy/usage/usage-row.ts';
import type { Config } from '../config/config.ts';
import type { Context } from '../io/context.ts';
import { isLost } from '../state/lost-state.ts';
import { withStateIfAny } from '../state/open-state.ts';

interface Purged {
  readonly name: string;
  /** the labels that go */
  readonly versions: readonly string[];
}

/** Empty where nothing is counted by token, and while the state is out of reach. */
export async function versionUsers({ name, versions }: Purged, config: Config, context: Context): Promise<string[]> {
  const nowMs = context.now().getTime();
  return withStateIfAny(config, [], async (state) => {
    const used = (await state.range(usedPrefix(name))).flatMap(({ value }) => {
      const row = parseUsageRow(value);
      const days = versions.flatMap((version) => row?.versions[version]?.last ?? []);
      return row === undefined || days.length === 0 ? [] : [{ who: row.who, last: days.toSorted().at(-1) ?? '' }];
    });
    const sorted = used.toSorted((one, other) => compareText(other.last, one.last));
    const caller = { kind: 'operator', actor: context.actor } as const;
    const named = await describeUsers(
      state,
      sorted.map(({ who }) => who),
      { caller, nowMs },
    );
    return sorted.map(({ last }, at) => `  ${nameOfUser(named[at] ?? null)}, last on ${last}`);
  }).catch((error: unknown) => {
    if (!isLost(error)) throw error;
    return [];
  });
}
