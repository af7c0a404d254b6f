// The page of a team: its packages, its members, and what an admin can do about it.

import type { Child } from 'hono/jsx';
import type { UserRecord } from '../../../auth/user.ts';
import type { TeamDocument } from '../../../teams/operations.ts';
import { Badge } from '../../components/badge.tsx';
import { Fact } from '../../components/fact.tsx';
import { ButtonLink } from '../../components/form.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { A } from '../../components/place.tsx';
import { formatCount } from '../../components/quantity.ts';
import { Table, type Column } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { teamPath, teamsTrail } from './services.ts';

export interface TeamPageProps {
  readonly team: TeamDocument;
  readonly members: readonly UserRecord[];
  /** you, an e-mail address */
  readonly author: string;
  readonly nowMs: number;
}

export function TeamPage({ team, members, author, nowMs }: TeamPageProps): Child {
  const path = teamPath(team);
  return (
    <>
      <PageHead
        title={team.name}
        sentence={`${formatCount(members.length, 'member')}. Changes count from the next request of a member.`}
        trail={teamsTrail}
        actions={
          <>
            <ButtonLink to={`${path}/edit`} icon="pencil">
              Edit
            </ButtonLink>
            <ButtonLink to={`${path}/remove`} icon="trash-2" kind="danger">
              Remove
            </ButtonLink>
          </>
        }
      />
      <div class="two-columns">
        <section class="stack-tight">
          <div class="row">
            <h2>Members</h2>
            <ButtonLink to={`${path}/members/add`} icon="user-plus" kind="small" class="button small row-end">
              Add people
            </ButtonLink>
          </div>
          {members.length === 0 ? (
            <p class="soft">Nobody is in this team.</p>
          ) : (
            <Table caption="Members" columns={columnsOf(path)} rows={members} />
          )}
        </section>
        <aside class="stack">
          <Facts {...{ team, author, nowMs }} />
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
          <A to={`/people/${id}`} class="main-link breaks">
            {email}
          </A>
          {name === null ? null : <span class="soft small">{name}</span>}
        </div>
      ),
    },
    {
      label: 'Role',
      cell: ({ role }) => (role === 'admin' ? <Badge icon="eye">admin, sees all</Badge> : role),
    },
    {
      label: 'Actions',
      cell: ({ id }) => <A to={`${path}/members/${id}/remove`}>Remove from the team</A>,
    },
  ];
}

function Facts({ team, author, nowMs }: Omit<TeamPageProps, 'members'>): Child {
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
          <Time at={team.created_at} nowMs={nowMs} /> by {author}
        </Fact>
        <Fact label="Changed">
          <Time at={team.updated_at} nowMs={nowMs} />
        </Fact>
        <Fact label="Id">
          <code>{team.id}</code>
        </Fact>
      </dl>
    </section>
  );
}
