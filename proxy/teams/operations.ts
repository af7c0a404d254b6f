// What can be done with teams: their fields, and the operations that API, commands and console call.

import { z } from 'zod';
import { readUsers } from '../auth/user-records.ts';
import type { StateStore } from '../core/state/state-store.ts';
import { actorSchema, idSchema, timeSchema } from '../registry/fields.ts';
import { operation, type Fixed } from '../registry/operation.ts';
import { pageOf, pageQuery, paginate } from '../registry/page.ts';
import type { Actor } from '../state/audit.ts';
import { readPackageRule } from './package-rule.ts';
import { fields, teamDraft, teamPatch } from './team-fields.ts';
import type { TeamRecord } from './team.ts';
import type { Teams } from './teams.ts';
import { ageOrder } from '../state/rows.ts';

export interface TeamServices {
  readonly teamsOf: (actor: Actor) => Teams;
  readonly state: Pick<StateStore, 'get' | 'range'>;
}

export const teamSchema = z
  .object({
    id: idSchema('tea', 'the team'),
    name: fields.name,
    packages: fields.packages,
    members: z
      .array(
        z.object({
          id: idSchema('usr', 'a member'),
          email: z
            .string()
            .nullable()
            .meta({ description: 'the email address; null: the user no longer exists', example: 'ada@example.org' }),
        }),
      )
      .meta({ description: 'the members. Admins see all packages, also as members' }),
    created_at: timeSchema('the team was made'),
    created_by: actorSchema('made the team'),
    updated_at: timeSchema('the team was last changed'),
  })
  .meta({ id: 'Team' });
export type TeamDocument = Fixed<z.output<typeof teamSchema>>;

const madeTeam = teamSchema
  .extend({
    people_packages: z.enum(['all', 'teams']).meta({
      description:
        'the setting `people.packages` now. The first team changes it from `all` to `teams`: people without a team then ' +
        'see no packages',
    }),
    changed_people_packages: z.boolean().meta({ description: 'true: this team has changed `people.packages`' }),
  })
  .meta({ id: 'MadeTeam' });

const tag = 'Teams';
const params = z.strictObject({ id: idSchema('tea', 'the team') });
const one = { tag, path: '/api/teams/{id}', params, answer: teamSchema } as const;
const refusals = ['NOT_FOUND', 'CONFLICT'] as const;

export const listTeams = operation({
  id: 'listTeams',
  method: 'get',
  path: '/api/teams',
  tag,
  summary: 'List teams',
  description: 'Oldest first.',
  query: pageQuery,
  answer: pageOf(teamSchema),
  answers: 'a page of teams',
  run: async ({ teamsOf, state }: TeamServices, query, { actor }) => {
    const { data, next_cursor } = paginate(await teamsOf(actor).list(), query, ageOrder);
    return { data: await show(state, data), next_cursor };
  },
});

export const createTeam = operation({
  id: 'createTeam',
  form: '/teams/new',
  method: 'post',
  path: '/api/teams',
  tag,
  summary: 'Make a team',
  description:
    'Its members see the packages of the team, in the console, in the API and with their personal tokens. The first team ' +
    'sets `people.packages` to `teams`: from then on, people without a team see no packages. Admins see all packages.',
  body: teamDraft,
  status: 201,
  answer: madeTeam,
  answers: 'the team, and the setting `people.packages`',
  errors: ['CONFLICT'],
  run: async ({ teamsOf, state }: TeamServices, draft, { actor }) => {
    const { record, closes } = await teamsOf(actor).create(draft);
    const { rule } = await readPackageRule(state);
    return { ...(await showOne(state, record)), people_packages: rule, changed_people_packages: closes };
  },
});

export const getTeam = operation({
  ...one,
  id: 'getTeam',
  method: 'get',
  summary: 'Get a team',
  description: 'With its packages and members.',
  answers: 'the team',
  errors: ['NOT_FOUND'],
  run: async ({ teamsOf, state }: TeamServices, { id }, { actor }) => showOne(state, await teamsOf(actor).get(id)),
});

export const updateTeam = operation({
  ...one,
  id: 'updateTeam',
  form: '/teams/:id/edit',
  method: 'patch',
  summary: 'Change a team',
  description: 'Only the given fields change. The members see the new packages with their next request.',
  body: teamPatch,
  answers: 'the changed team',
  errors: refusals,
  run: async ({ teamsOf, state }: TeamServices, { id, ...patch }, { actor }) =>
    showOne(state, await teamsOf(actor).update(id, patch)),
});

export const deleteTeam = operation({
  ...one,
  id: 'deleteTeam',
  form: '/teams/:id/remove',
  method: 'delete',
  summary: 'Remove a team',
  description: 'Refused with CONFLICT if a member would belong to no team and `people.packages` is `all`.',
  answers: 'the removed team',
  errors: refusals,
  run: async ({ teamsOf, state }: TeamServices, { id }, { actor }) => showOne(state, await teamsOf(actor).remove(id)),
});

/** What its removal takes away. */
export function removalOf({ members }: Pick<TeamDocument, 'members'>): string {
  const people = members.length === 1 ? '1 member' : `${members.length} members`;
  return `It takes its packages away from ${people} at once, unless another of their teams has them.`;
}

export const addTeamMembers = operation({
  ...one,
  id: 'addTeamMembers',
  form: '/teams/:id/members/add',
  method: 'post',
  path: '/api/teams/{id}/members',
  summary: 'Add members to a team',
  description: 'People who are members already stay members.',
  body: z
    .strictObject({ members: fields.members.min(1) })
    .meta({ id: 'TeamMembers', example: { members: ['ada@example.org'] } }),
  answers: 'the changed team',
  errors: refusals,
  run: async ({ teamsOf, state }: TeamServices, { id, members }, { actor }) =>
    showOne(state, await teamsOf(actor).addMembers(id, members)),
});

export const removeTeamMember = operation({
  ...one,
  id: 'removeTeamMember',
  form: '/teams/:id/members/:user/remove',
  method: 'delete',
  path: '/api/teams/{id}/members/{user}',
  summary: 'Remove a member from a team',
  description: 'The person loses the packages of the team with the next request, unless another team has them.',
  params: params.extend({ user: idSchema('usr', 'the member') }),
  answers: 'the changed team',
  errors: refusals,
  run: async ({ teamsOf, state }: TeamServices, { id, user }, { actor }) =>
    showOne(state, await teamsOf(actor).removeMembers(id, [user])),
});

export const teamOperations = [
  listTeams,
  createTeam,
  getTeam,
  updateTeam,
  deleteTeam,
  addTeamMembers,
  removeTeamMember,
];

/** With the addresses of the members. */
async function show(state: TeamServices['state'], records: readonly TeamRecord[]): Promise<readonly TeamDocument[]> {
  const emails = new Map<string, string>((await readUsers(state)).map(({ id, email }) => [id, email]));
  return records.map((record) => ({
    ...record,
    members: record.members.map((id) => ({ id, email: emails.get(id) ?? null })),
  }));
}

async function showOne(state: TeamServices['state'], record: TeamRecord): Promise<TeamDocument> {
  const [document] = await show(state, [record]);
  if (document === undefined) throw new Error('a team without its document');
  return document;
}
