// The pages about teams, for admins.

import { readUsers } from '../../../auth/user-records.ts';
import type { UserRecord } from '../../../auth/user.ts';
import type { TeamDocument } from '../../../teams/operations.ts';
import { readPackageRule } from '../../../teams/package-rule.ts';
import { listTeams } from '../../../teams/team-roster.ts';
import type { PageView, SignedInRequest } from '../../frame/definitions.ts';
import type { Pages } from '../../frame/pages.ts';
import { nameActor } from '../name-actor.ts';
import { teamOf, type TeamPageServices } from './services.ts';
import { registerTeamForms } from './team-forms.tsx';
import { TeamList } from './team-list.tsx';
import { TeamPage } from './team-page.tsx';

export function registerTeamPages(pages: Pages, services: TeamPageServices): void {
  registerTeamForms(pages, services);
  pages.page({
    path: '/teams',
    operation: 'listTeams',
    notices: { removed: 'The team is removed.' },
    show: (request) => showList(services, request),
  });
  pages.page({
    path: '/teams/:id',
    operation: 'getTeam',
    notices: {
      first:
        'The team is made. The setting people.packages is now teams: people without a team see no packages. ' +
        'Tokens that people made before see what they saw: look at them under Tokens.',
      made: 'The team is made.',
      saved: 'The changes are saved.',
      added: 'They are in the team now.',
      left: 'The person is no longer in the team.',
    },
    show: (request) => showOne(services, request),
  });
}

async function showList(services: TeamPageServices, request: SignedInRequest): Promise<PageView> {
  const [teams, { rule }] = await Promise.all([listTeams(services.state), readPackageRule(services.state)]);
  return { title: 'Teams', section: 'teams', content: <TeamList {...{ teams, rule }} nowMs={request.nowMs} /> };
}

async function showOne(services: TeamPageServices, request: SignedInRequest): Promise<PageView> {
  const team = await teamOf(services, request);
  const [members, author] = await Promise.all([
    membersOf(services, team),
    nameActor(services.state, team.created_by, request),
  ]);
  return {
    title: team.name,
    section: 'teams',
    content: <TeamPage {...{ team, members, author }} nowMs={request.nowMs} />,
  };
}

/** By their addresses; with their names and roles. */
async function membersOf({ state }: TeamPageServices, { members }: TeamDocument): Promise<readonly UserRecord[]> {
  const users = (await readUsers(state)).filter((user) => members.some(({ id }) => id === user.id));
  return users.toSorted((one, other) => (one.email < other.email ? -1 : 1));
}
