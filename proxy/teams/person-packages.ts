// The packages that a person sees now, for their sessions and for their personal tokens. Teams and rule are read once
// for each generation of the state, so a change counts with the next request.

import { andThen, type MaybeAsync } from '../../build/shared/concurrency/maybe-async.ts';
import type { StateStore } from '../core/state/state-store.ts';
import { compileAccess } from '../core/views/compile-access.ts';
import { noLimits } from '../core/views/token-limits.ts';
import type { View } from '../core/views/view.ts';
import { packagesOf, type Person } from './packages-of.ts';
import { readPackageRule } from './package-rule.ts';
import { listTeams } from './team-roster.ts';

type Store = Pick<StateStore, 'get' | 'range'>;
type Answer = (person: Person) => readonly string[] | null;

/** The patterns of the packages that the person sees; null: all. */
export async function personPackages(store: Store, person: Person): Promise<readonly string[] | null> {
  return (await readAnswer(store))(person);
}

/** The view of a person; undefined: it sees all. Returns a plain value while the state is unchanged. */
export type PersonViews = (person: Person) => MaybeAsync<View | undefined>;

const mostViews = 1000;

export function createPersonViews(store: Store & Pick<StateStore, 'generation'>): PersonViews {
  const viewOf = compileAccess(mostViews);
  let known: { readonly generation: number; readonly answer: Answer } | undefined;
  const current = (): MaybeAsync<Answer> => {
    // read before the rows, so that any later commit makes this answer outdated
    const generation = store.generation();
    if (known?.generation === generation) return known.answer;
    return readAnswer(store).then((answer) => {
      known = { generation, answer };
      return answer;
    });
  };
  return (person) => {
    if (person.role === 'admin') return undefined;
    return andThen(current(), (answer) => viewOf({ ...noLimits, packages: answer(person) }).view);
  };
}

async function readAnswer(store: Store): Promise<Answer> {
  const [teams, { rule }] = await Promise.all([listTeams(store), readPackageRule(store)]);
  return (person) => packagesOf(person, teams, rule);
}
