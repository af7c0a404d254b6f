// The page that changes a team, and the question before its removal.

import type { TeamRecord } from '../../../teams/team.ts';
import { Form } from '../../components/form.tsx';
import { PageHead } from '../../components/page-head.tsx';
import type { PageOutcome, PageView, SignedInRequest } from '../../frame/definitions.ts';
import type { Pages } from '../../frame/pages.ts';
import { FormFields, withLineFaults, type FormState } from '../../request/form-fields.ts';
import { teamOf, teamPath, teamsFor, teamTrail, type TeamPageServices } from './services.ts';
import { TokensStay } from './tokens-stay.tsx';
import { TeamNameField, PackagesField } from './team-fields.tsx';

export function registerEditingTeams(pages: Pages, services: TeamPageServices): void {
  pages.form({
    path: '/teams/:id/edit',
    operation: 'updateTeam',
    show: async (request, state) => editView(request, await teamOf(services, request), state),
    submit: (request, fields) => update(services, request, fields),
  });
  pages.form({
    path: '/teams/:id/remove',
    operation: 'deleteTeam',
    show: async (request, state) => removalView(request, await teamOf(services, request), state),
    submit: async (request) => {
      await teamsFor(services, request).remove(request.param('id'));
      return { to: '/teams', notice: 'removed' };
    },
  });
}

async function update(services: TeamPageServices, request: SignedInRequest, fields: FormFields): Promise<PageOutcome> {
  const record = await teamsFor(services, request).update(request.param('id'), {
    name: fields.text('name'),
    packages: fields.lines('packages'),
  });
  return { to: teamPath(record), notice: 'saved' };
}

function editView({ asksPassword }: SignedInRequest, team: TeamRecord, posted: FormState): PageView {
  const title = `Edit ${team.name}`;
  const fields = new FormFields(new URLSearchParams({ name: team.name, packages: team.packages.join('\n') }));
  const state = posted.isPosted ? posted : { ...posted, isPosted: true, fields };
  return {
    title,
    section: 'teams',
    content: (
      <>
        <PageHead
          title={title}
          sentence="The members see the new packages with their next request."
          trail={teamTrail(team)}
        />
        <Form
          state={withLineFaults(state, ['packages'])}
          submit="Save changes"
          cancel={teamPath(team)}
          asksPassword={asksPassword}
        >
          <TeamNameField />
          <PackagesField />
        </Form>
      </>
    ),
  };
}

function removalView({ asksPassword }: SignedInRequest, team: TeamRecord, state: FormState): PageView {
  const title = `Remove ${team.name}?`;
  return {
    title,
    section: 'teams',
    content: (
      <>
        <PageHead
          title={title}
          sentence="Its members no longer see its packages, unless another of their teams has them."
          trail={teamTrail(team)}
        />
        <p>
          <TokensStay />
        </p>
        <Form {...{ state, asksPassword }} submit="Remove the team" isDanger cancel={teamPath(team)} />
      </>
    ),
  };
}
