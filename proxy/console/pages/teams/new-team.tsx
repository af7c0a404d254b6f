// The page that makes a team.

import { readPackageRule } from '../../../teams/package-rule.ts';
import { listTeams } from '../../../teams/team-roster.ts';
import { Form } from '../../components/form.tsx';
import { Notice } from '../../components/notice.tsx';
import { PageHead } from '../../components/page-head.tsx';
import type { PageOutcome, PageView, SignedInRequest } from '../../frame/definitions.ts';
import type { Pages } from '../../frame/pages.ts';
import { withLineFaults, type FormFields, type FormState } from '../../request/form-fields.ts';
import { teamPath, teamsFor, teamsTrail, type TeamPageServices } from './services.ts';
import { TokensStay } from './tokens-stay.tsx';
import { MembersField, TeamNameField, PackagesField } from './team-fields.tsx';

export function registerMakingTeams(pages: Pages, services: TeamPageServices): void {
  pages.form({
    path: '/teams/new',
    operation: 'createTeam',
    show: (request, state) => newView(services, request, state),
    submit: (request, fields) => create(services, request, fields),
  });
}

async function create(services: TeamPageServices, request: SignedInRequest, fields: FormFields): Promise<PageOutcome> {
  const { record, closes } = await teamsFor(services, request).create({
    name: fields.text('name'),
    packages: fields.lines('packages'),
    members: fields.lines('members'),
  });
  return { to: teamPath(record), notice: closes ? 'first' : 'made' };
}

async function newView(
  { state }: TeamPageServices,
  { asksPassword }: SignedInRequest,
  posted: FormState,
): Promise<PageView> {
  const [teams, { rule }] = await Promise.all([listTeams(state), readPackageRule(state)]);
  const title = 'New team';
  return {
    title,
    section: 'teams',
    content: (
      <>
        <PageHead
          title={title}
          sentence="Its members see its packages, and those of their other teams."
          trail={teamsTrail}
        />
        {teams.length === 0 && rule === 'all' ? (
          <Notice kind="warn">
            This is the first team. From then on, people without a team see no packages, except admins: the setting
            people.packages becomes teams. <TokensStay />
          </Notice>
        ) : null}
        <Form
          state={withLineFaults(posted, ['packages', 'members'])}
          submit="Make the team"
          cancel="/teams"
          asksPassword={asksPassword}
        >
          <TeamNameField />
          <PackagesField />
          <MembersField />
        </Form>
      </>
    ),
  };
}
