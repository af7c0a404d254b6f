// The pages about teams, for admins: their list, and one team with its members.

import { readUsers } from '../../../auth/user-records.ts';
import type { UserRecord } from '../../../auth/user.ts';
import type { TeamDocument } from '../../../teams/operations.ts';
import { readPackageRule } from '../../../teams/package-rule.ts';
import { listTeams } from '../../../teams/team-roster.ts';
import type { PageView, SignedInRequest } from '../../frame/definitions.ts';
import type { Pages } from '../../frame/pages.ts';
import { nameActor } from '../name-actor.ts';
import { teamOf, type TeamPageServices, teamPath, teamsTrail } from './services.ts';
import { registerTeamForms } from './team-forms.tsx';
import type { Child } from 'hono/jsx';
import { Notice } from '../../components/notice.tsx';
import { settingPage } from '../../../settings/setting-groups.ts';
import type { TeamRecord } from '../../../teams/team.ts';
import type { PackageRule } from '../../../teams/packages-of.ts';
import { Badge } from '../../components/badge.tsx';
import { Fact } from '../../components/fact.tsx';
import { ButtonLink } from '../../components/form.tsx';
import { PageHead, A, MainLink } from '../../components/place.tsx';
import { formatCount, formatNumber, Time } from '../../components/values.tsx';
import { Table, type Column } from '../../components/table.tsx';
import { shortly } from '../../components/page-words.ts';
import { listPage } from '../../frame/headed-page.tsx';

/** What people without a team see. */
function RuleNotice({ rule, hasTeams }: { readonly rule: PackageRule; readonly hasTeams: boolean }): Child {
  const setting = <A to={settingPage('people.packages')}>people.packages</A>;
  if (rule === 'teams')
    return <Notice kind="info">People without a team see no packages: the setting {setting} is teams.</Notice>;
  return (
    <Notice kind={hasTeams ? 'warn' : 'info'}>
      People without a team see all packages: the setting {setting} is all.
      {hasTeams ? '' : ' The first team sets it to teams.'}
    </Notice>
  );
}

const teamColumns: readonly Column<TeamRecord>[] = [
  {
    label: 'Name',
    cell: (team) => <MainLink to={teamPath(team)} text={team.name} breaks />,
  },
  { label: 'Packages', cell: ({ packages }) => <span class="breaks">{shortly(packages)}</span> },
  { label: 'Members', isNumber: true, cell: ({ members }) => formatNumber(members.length) },
  { label: 'Changed', cell: ({ updated_at: at }) => <Time at={at} /> },
];

interface TeamPageProps {
  readonly team: TeamDocument;
  readonly members: readonly UserRecord[];
  /** you, an e-mail address */
  readonly author: string;
}

function TeamPage({ team, members, author }: TeamPageProps): Child {
  const path = teamPath(team);
  return (
    <>
      <PageHead
        title={team.name}
        sentence={`${formatCount(members.length, 'member')}. Changes count from the next request of a member.`}
        trail={teamsTrail}
        actions={
          <>
            <ButtonLink to={`${path}/edit`} icon="pencil" label="Edit" />
            <ButtonLink to={`${path}/remove`} icon="trash-2" kind="danger" label="Remove" />
          </>
        }
      />
      <div class="two-columns">
        <section class="stack-tight">
          <div class="row">
            <h2>Members</h2>
            <ButtonLink
              to={`${path}/members/add`}
              icon="user-plus"
              kind="small"
              class="button small row-end"
              label="Add people"
            />
          </div>
          <Table caption="Members" columns={columnsOf(path)} rows={members} empty="Nobody is in this team." />
        </section>
        <aside class="stack">
          <Facts {...{ team, author }} />
        </aside>
      </div>
    </>
  );
}

function columnsOf(path: string): readonly Column<UserRecord>[] {
  return [
    {
      label: 'Email',
      cell: ({ id, email, name }) => (
        <div class="stack-tight">
          <MainLink to={`/people/${id}`} text={email} breaks />
          {name === null ? null : <span class="soft small">{name}</span>}
        </div>
      ),
    },
    {
      label: 'Role',
      cell: ({ role }) => (role === 'admin' ? <Badge icon="eye" label="admin, sees all" /> : role),
    },
    {
      label: 'Actions',
      cell: ({ id }) => <A to={`${path}/members/${id}/remove`}>Remove from the team</A>,
    },
  ];
}

function Facts({ team, author }: Omit<TeamPageProps, 'members'>): Child {
  return (
    <section class="panel">
      <dl class="facts">
        <Fact label="Packages">
          {team.packages.map((pattern) => (
            <div class="breaks">
              <code>{pattern}</code>
            </div>
          ))}
        </Fact>
        <Fact label="Made">
          <Time at={team.created_at} /> by {author}
        </Fact>
        <Fact label="Changed" value={<Time at={team.updated_at} />} />
        <Fact label="Id" value={<code>{team.id}</code>} />
      </dl>
    </section>
  );
}

export function registerTeamPages(pages: Pages, services: TeamPageServices): void {
  registerTeamForms(pages, services);
  pages.page({
    path: '/teams',
    operation: 'listTeams',
    notices: { removed: 'The team is removed.' },
    show: () => showList(services),
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

async function showList(services: TeamPageServices): Promise<PageView> {
  const [teams, { rule }] = await Promise.all([listTeams(services.state), readPackageRule(services.state)]);
  return listPage({
    section: 'teams',
    title: 'Teams',
    sentence: 'The members of a team see its packages. Admins see all packages.',
    hasRows: teams.length > 0,
    add: <ButtonLink to="/teams/new" icon="plus" kind="primary" label="Create team" />,
    notice: <RuleNotice rule={rule} hasTeams={teams.length > 0} />,
    table: <Table caption="Teams" columns={teamColumns} rows={teams} />,
    empty: {
      icon: 'network',
      title: 'No team yet',
      text: 'A team decides which packages its members see: in this console, in the API, and with their personal tokens.',
    },
  });
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
    content: <TeamPage {...{ team, members, author }} />,
  };
}

/** By their addresses; with their names and roles. */
async function membersOf({ state }: TeamPageServices, { members }: TeamDocument): Promise<readonly UserRecord[]> {
  const users = (await readUsers(state)).filter((user) => members.some(({ id }) => id === user.id));
  return users.toSorted((one, other) => (one.email < other.email ? -1 : 1));
}
