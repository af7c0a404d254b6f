// The rows that take a removed user out of their teams, for the commit that removes the user.

import type { JsonObject } from '../../build/contract/json.ts';
import type { UserId } from '../core/tokens/person.ts';
import type { StateStore } from '../core/state/state-store.ts';
import { readTeamRoster, teamRosterKey } from './team-roster.ts';
import { teamKey } from './team.ts';

export interface TeamRemovals {
  readonly conditions: readonly { readonly key: string; readonly revision: number | null }[];
  readonly puts: readonly { readonly key: string; readonly value: JsonObject }[];
  /** the names of the teams, for the audit log */
  readonly teams: readonly string[];
}

/** A team that takes the user in meanwhile makes the commit fail. */
export async function leaveTeams(store: Pick<StateStore, 'get' | 'range'>, user: UserId): Promise<TeamRemovals> {
  const { teams, revision } = await readTeamRoster(store);
  const own = teams.filter(({ members }) => members.includes(user));
  return {
    conditions: [{ key: teamRosterKey, revision }],
    puts: [
      ...own.map((team) => ({
        key: teamKey(team.id),
        value: { ...team, members: team.members.filter((id) => id !== user) } as unknown as JsonObject,
      })),
      ...(own.length === 0 ? [] : [{ key: teamRosterKey, value: { teams: teams.length } }]),
    ],
    teams: own.map(({ name }) => name),
  };
}
