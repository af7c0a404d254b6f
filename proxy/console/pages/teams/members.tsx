// The page that adds people to a team, and the question before one is removed from it.

import { RegistryError } from '../../../../build/contract/errors.ts';
import type { UserRecord } from '../../../auth/user.ts';
import type { TeamRecord } from '../../../teams/team.ts';
import { Form } from '../../components/form.tsx';
import { PageHead } from '../../components/page-head.tsx';
import type { PageView, SignedInRequest } from '../../frame/definitions.ts';
import type { Pages } from '../../frame/pages.ts';
import { fieldFault, withLineFaults, type FormState } from '../../request/form-fields.ts';
import { membersOf, teamOf, teamPath, teamsFor, teamTrail, type TeamPageServices } from './services.ts';
import { MembersField } from './team-fields.tsx';

export function registerMembers(pages: Pages, services: TeamPageServices): void {
  pages.form({
    path: '/teams/:id/members/add',
    operation: 'addTeamMembers',
    show: async (request, state) => addView(request, await teamOf(services, request), state),
    submit: async (request, fields) => {
      const people = fields.lines('members');
      if (people.length === 0) throw fieldFault('members', 'Write at least one email address.');
      return {
        to: teamPath(await teamsFor(services, request).addMembers(request.param('id'), people)),
        notice: 'added',
      };
    },
  });
  pages.form({
    path: '/teams/:id/members/:user/remove',
    operation: 'removeTeamMember',
    show: async (request, state) => {
      const team = await teamOf(services, request);
      return removalView(team, await memberOf(services, request, team), state);
    },
    submit: async (request) => {
      const [id, member] = [request.param('id'), request.param('user')];
      return { to: teamPath(await teamsFor(services, request).removeMembers(id, [member])), notice: 'left' };
    },
  });
}

/** Throws NOT_FOUND. */
async function memberOf(services: TeamPageServices, request: SignedInRequest, team: TeamRecord): Promise<UserRecord> {
  const found = (await membersOf(services, team)).find(({ id }) => id === request.param('user'));
  if (found !== undefined) return found;
  throw new RegistryError('NOT_FOUND', { message: `Nobody with this id is in the team ${team.name}.` });
}

function addView({ asksPassword }: SignedInRequest, team: TeamRecord, posted: FormState): PageView {
  const title = `Add people to ${team.name}`;
  return {
    title,
    section: 'teams',
    content: (
      <>
        <PageHead
          title={title}
          sentence="They see the packages of the team with their next request."
          trail={teamTrail(team)}
        />
        <Form
          state={withLineFaults(posted, ['members'])}
          submit="Add to the team"
          cancel={teamPath(team)}
          asksPassword={asksPassword}
        >
          <MembersField required />
        </Form>
      </>
    ),
  };
}

function removalView(team: TeamRecord, { email }: UserRecord, state: FormState): PageView {
  const title = `Remove ${email} from ${team.name}?`;
  return {
    title,
    section: 'teams',
    content: (
      <>
        <PageHead
          title={title}
          sentence="With the next request they no longer see its packages, unless another of their teams has them."
          trail={teamTrail(team)}
        />
        <Form {...{ state }} submit="Remove from the team" isDanger cancel={teamPath(team)} />
      </>
    ),
  };
}
