// The families of rows about teams.

import { parseUserRecord, userKey } from '../../proxy/auth/user.ts';
import { parseTeamRecord, teamKey } from '../../proxy/teams/team.ts';
import { parseTeamRoster } from '../../proxy/teams/team-roster.ts';
import { fits, parsed, type StateFamily } from './state-family.ts';

export const teamFamilies: readonly (readonly [string, StateFamily])[] = [
  ['team-roster', parsed(parseTeamRoster)],
  [
    'team',
    {
      isRow: (value, key) => teamKey(parseTeamRecord(value).id) === key,
      companions: (value) =>
        parseTeamRecord(value).members.map((id) => fits(userKey(id), parseUserRecord, (user) => user.id === id)),
    },
  ],
];
