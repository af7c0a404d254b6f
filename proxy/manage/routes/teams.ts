// Teams over HTTP, for admins: the same service as `libretto team`.

import type { z } from 'zod';
import type { Actor } from '../../state/audit.ts';
import type { StateStore } from '../../core/state/state-store.ts';
import { readPackageRule } from '../../teams/package-rule.ts';
import { orderOf } from '../../teams/team-roster.ts';
import type { TeamRecord } from '../../teams/team.ts';
import type { Teams } from '../../teams/teams.ts';
import { actor, type Api, type ApiContext } from '../frame/api.ts';
import { paginate } from '../frame/page.ts';
import type { teamSchema } from '../schemas/team.ts';
import {
  addTeamMembers,
  createTeam,
  deleteTeam,
  getTeam,
  listTeams,
  removeTeamMember,
  updateTeam,
} from './team-operations.ts';

export interface TeamServices {
  readonly teamsOf: (actor: Actor) => Teams;
  readonly state: Pick<StateStore, 'get' | 'range'>;
}

export function registerTeams(api: Api, { teamsOf, state }: TeamServices): void {
  const teamsFor = (context: ApiContext): Teams => teamsOf(actor(context));
  api.openapi(listTeams, async (context) => {
    const { data, next_cursor } = paginate(await teamsFor(context).list(), context.req.valid('query'), orderOf);
    return context.json({ data: data.map(show), next_cursor }, 200);
  });
  api.openapi(createTeam, async (context) => {
    const { record } = await teamsFor(context).create(context.req.valid('json'));
    const { rule } = await readPackageRule(state);
    return context.json({ ...show(record), people_packages: rule }, 201);
  });
  api.openapi(getTeam, async (context) =>
    context.json(show(await teamsFor(context).get(context.req.valid('param').id)), 200),
  );
  api.openapi(updateTeam, async (context) => {
    const { id } = context.req.valid('param');
    return context.json(show(await teamsFor(context).update(id, context.req.valid('json'))), 200);
  });
  api.openapi(deleteTeam, async (context) =>
    context.json(show(await teamsFor(context).remove(context.req.valid('param').id)), 200),
  );
  api.openapi(addTeamMembers, async (context) => {
    const { id } = context.req.valid('param');
    return context.json(show(await teamsFor(context).addMembers(id, context.req.valid('json').members)), 200);
  });
  api.openapi(removeTeamMember, async (context) => {
    const { id, user } = context.req.valid('param');
    return context.json(show(await teamsFor(context).removeMembers(id, [user])), 200);
  });
}

/** The copies only drop `readonly`. */
function show({ packages, members, ...record }: TeamRecord): z.infer<typeof teamSchema> {
  return { ...record, packages: [...packages], members: [...members] };
}
