// What the pages about teams need, and small questions that several of them ask.

import { actorOf } from '../../../auth/caller.ts';
import { readUsers } from '../../../auth/user-records.ts';
import type { UserRecord } from '../../../auth/user.ts';
import type { Actor } from '../../../state/audit.ts';
import type { StateStore } from '../../../core/state/state-store.ts';
import type { TeamRecord } from '../../../teams/team.ts';
import type { Teams } from '../../../teams/teams.ts';
import type { SignedInRequest } from '../../frame/definitions.ts';

export interface TeamPageServices {
  readonly teamsOf: (actor: Actor) => Teams;
  readonly state: Pick<StateStore, 'get' | 'range'>;
}

export const teamsTrail = [{ label: 'Teams', to: '/teams' }];

/** The teams on behalf of this visitor. */
export function teamsFor({ teamsOf }: TeamPageServices, { caller }: SignedInRequest): Teams {
  return teamsOf(actorOf(caller));
}

/** The team that the path names. Throws NOT_FOUND. */
export function teamOf(services: TeamPageServices, request: SignedInRequest): Promise<TeamRecord> {
  return teamsFor(services, request).get(request.param('id'));
}

export function teamPath({ id }: Pick<TeamRecord, 'id'>): string {
  return `/teams/${id}`;
}

export function teamTrail(record: Pick<TeamRecord, 'id' | 'name'>): readonly { label: string; to: string }[] {
  return [...teamsTrail, { label: record.name, to: teamPath(record) }];
}

/** The members, by their addresses. */
export async function membersOf(
  { state }: Pick<TeamPageServices, 'state'>,
  { members }: Pick<TeamRecord, 'members'>,
): Promise<readonly UserRecord[]> {
  const users = (await readUsers(state)).filter(({ id }) => members.includes(id));
  return users.toSorted((one, other) => (one.email < other.email ? -1 : 1));
}
