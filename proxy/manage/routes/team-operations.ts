// The operations on teams as the OpenAPI document describes them.

import { z } from 'zod';
import { operation } from '../frame/api.ts';
import { answering, body } from '../frame/json-content.ts';
import { pageOf, pageQuery } from '../frame/page.ts';
import { idSchema } from '../schemas/id.ts';
import { createdTeam, teamDraft, teamMembers, teamPatch, teamSchema } from '../schemas/team.ts';

const tags = ['Teams'];
const params = z.strictObject({ id: idSchema('tea', 'the team') });

export const listTeams = operation({
  operationId: 'listTeams',
  method: 'get',
  path: '/api/teams',
  tags,
  summary: 'List teams',
  description: 'Oldest first.',
  request: { query: pageQuery },
  responses: { 200: answering(pageOf(teamSchema), 'a page of teams') },
});

export const createTeam = operation({
  operationId: 'createTeam',
  method: 'post',
  path: '/api/teams',
  tags,
  summary: 'Make a team',
  description:
    'Its members see the packages of the team, in the console, in the API and with their personal tokens. The first team ' +
    'sets `people.packages` to `teams`: from then on, people without a team see no packages. Admins see all packages.',
  request: { body: body(teamDraft) },
  responses: { 201: answering(createdTeam, 'the team, and the setting `people.packages`') },
  errors: ['CONFLICT'],
});

export const getTeam = operation({
  operationId: 'getTeam',
  method: 'get',
  path: '/api/teams/{id}',
  tags,
  summary: 'Get a team',
  description: 'With its packages and members.',
  request: { params },
  responses: { 200: answering(teamSchema, 'the team') },
  errors: ['NOT_FOUND'],
});

export const updateTeam = operation({
  operationId: 'updateTeam',
  method: 'patch',
  path: '/api/teams/{id}',
  tags,
  summary: 'Change a team',
  description: 'Only the given fields change. The members see the new packages with their next request.',
  request: { params, body: body(teamPatch) },
  responses: { 200: answering(teamSchema, 'the changed team') },
  errors: ['NOT_FOUND', 'CONFLICT'],
});

export const deleteTeam = operation({
  operationId: 'deleteTeam',
  method: 'delete',
  path: '/api/teams/{id}',
  tags,
  summary: 'Remove a team',
  description: 'Refused with CONFLICT if a member would belong to no team and `people.packages` is `all`.',
  request: { params },
  responses: { 200: answering(teamSchema, 'the removed team') },
  errors: ['NOT_FOUND', 'CONFLICT'],
});

export const addTeamMembers = operation({
  operationId: 'addTeamMembers',
  method: 'post',
  path: '/api/teams/{id}/members',
  tags,
  summary: 'Add members to a team',
  description: 'People who are members already stay members.',
  request: { params, body: body(teamMembers) },
  responses: { 200: answering(teamSchema, 'the changed team') },
  errors: ['NOT_FOUND', 'CONFLICT'],
});

export const removeTeamMember = operation({
  operationId: 'removeTeamMember',
  method: 'delete',
  path: '/api/teams/{id}/members/{user}',
  tags,
  summary: 'Remove a member from a team',
  description: 'The person loses the packages of the team with the next request, unless another team has them.',
  request: { params: params.extend({ user: idSchema('usr', 'the member') }) },
  responses: { 200: answering(teamSchema, 'the changed team') },
  errors: ['NOT_FOUND', 'CONFLICT'],
});
