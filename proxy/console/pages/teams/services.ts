// What the pages about teams need, and small questions that several of them ask.

import { getTeam, type TeamDocument, type TeamServices } from '../../../teams/operations.ts';
import type { SignedInRequest } from '../../frame/definitions.ts';
import { callFor } from '../../frame/operation-form.tsx';

export type TeamPageServices = TeamServices;

export const teamsTrail = [{ label: 'Teams', to: '/teams' }];

/** The team that the path names. Throws NOT_FOUND. */
export function teamOf(services: TeamPageServices, request: SignedInRequest): Promise<TeamDocument> {
  return callFor(services, request, getTeam, { id: request.param('id') });
}

export function teamPath({ id }: Pick<TeamDocument, 'id'>): string {
  return `/teams/${id}`;
}

export function teamTrail(team: Pick<TeamDocument, 'id' | 'name'>): readonly { label: string; to: string }[] {
  return [...teamsTrail, { label: team.name, to: teamPath(team) }];
}
