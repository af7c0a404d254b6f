// The list of teams.

import type { Child } from 'hono/jsx';
import type { PackageRule } from '../../../teams/packages-of.ts';
import type { TeamRecord } from '../../../teams/team.ts';
import { settingPage } from '../../../settings/setting-groups.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { ButtonLink } from '../../components/form.tsx';
import { Notice } from '../../components/notice.tsx';
import { PageHead, A } from '../../components/place.tsx';
import { formatNumber, Time } from '../../components/values.tsx';
import { Table, type Column } from '../../components/table.tsx';
import { teamPath } from './services.ts';

interface TeamListProps {
  readonly teams: readonly TeamRecord[];
  readonly rule: PackageRule;
  readonly nowMs: number;
}

export function TeamList({ teams, rule, nowMs }: TeamListProps): Child {
  const add = <ButtonLink to="/teams/new" icon="plus" kind="primary" label="Create team" />;
  return (
    <>
      <PageHead
        title="Teams"
        sentence="The members of a team see its packages. Admins see all packages."
        actions={teams.length === 0 ? undefined : add}
      />
      <RuleNotice {...{ rule }} hasTeams={teams.length > 0} />
      {teams.length === 0 ? (
        <EmptyState icon="network" title="No team yet" action={add}>
          A team decides which packages its members see: in this console, in the API, and with their personal tokens.
        </EmptyState>
      ) : (
        <Table caption="Teams" columns={columnsOf(nowMs)} rows={teams} />
      )}
    </>
  );
}

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

function columnsOf(nowMs: number): readonly Column<TeamRecord>[] {
  return [
    {
      label: 'Name',
      cell: (team) => (
        <A to={teamPath(team)} class="main-link breaks">
          {team.name}
        </A>
      ),
    },
    { label: 'Packages', cell: ({ packages }) => <span class="breaks">{shortly(packages)}</span> },
    { label: 'Members', isNumber: true, cell: ({ members }) => formatNumber(members.length) },
    { label: 'Changed', cell: ({ updated_at: at }) => <Time at={at} nowMs={nowMs} /> },
  ];
}

function shortly(packages: readonly string[]): string {
  const left = packages.length - 3;
  return `${packages.slice(0, 3).join(', ')}${left > 0 ? ` and ${left} more` : ''}`;
}
