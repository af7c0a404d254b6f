// One person: their account, what an admin can do about it, and where they are signed in.

import type { Child } from 'hono/jsx';
import { isNamed } from '../../../auth/local-sign-in.ts';
import type { SessionRecord } from '../../../auth/sessions.ts';
import type { UserDocument } from '../../../people/user-schema.ts';
import { readPackageRule } from '../../../teams/package-rule.ts';
import { listTeams } from '../../../teams/team-roster.ts';
import { Badge } from '../../components/badge.tsx';
import { Fact } from '../../components/fact.tsx';
import { Notice } from '../../components/notice.tsx';
import { PageHead, A } from '../../components/place.tsx';
import type { Pages } from '../../frame/pages.ts';
import { PersonActions } from './person-actions.tsx';
import { findPerson, isOnlyAdmin, peopleTrail, personPath, statusKinds, type PeoplePageServices } from './services.ts';
import { ButtonLink } from '../../components/form.tsx';
import { formatCount, Time, useNow } from '../../components/values.tsx';
import { Table, type Column } from '../../components/table.tsx';
import type { PackageRule } from '../../../teams/packages-of.ts';
import type { TeamRecord } from '../../../teams/team.ts';

export function registerPerson(pages: Pages, services: PeoplePageServices): void {
  const { people, state } = services;
  pages.page({
    path: '/people/:id',
    operation: 'getUser',
    notices: {
      role: 'The role is changed. It counts from the next request.',
      policy: 'The person may change the policy from the next request.',
      'policy-ended': 'The person may no longer change the policy.',
      disabled: 'The account is disabled, and its sessions and terminals have ended.',
      enabled: 'The account is enabled.',
      'two-factor': 'Two-factor authentication is off for this account, and its sessions and terminals have ended.',
      'session-ended': 'The session has ended.',
    },
    show: async (request) => {
      const user = await findPerson(services, request);
      const [sessions, isOnly, teams, { rule }] = await Promise.all([
        people.sessions.list(user.id),
        isOnlyAdmin(services, user),
        listTeams(state),
        readPackageRule(state),
      ]);
      const own = teams.filter(({ members }) => members.some((id) => id === user.id));
      const { caller } = request;
      return {
        title: user.email,
        section: 'people',
        content: (
          <Person
            {...{ user, sessions, isOnly, rule }}
            hasUseOfPassword={isNamed(people.localSignIn, user.email)}
            teams={own}
            isSelf={caller.userId === user.id}
          />
        ),
      };
    },
  });
}

interface PersonProps extends PersonTeamsProps {
  readonly user: UserDocument;
  /** newest first */
  readonly sessions: readonly SessionRecord[];
  /** true: nobody else is an active admin */
  readonly isOnly: boolean;
  /** false: the setting localSignIn names others */
  readonly hasUseOfPassword: boolean;
  /** true: the visitor's own account */
  readonly isSelf: boolean;
}

function Person({ user, sessions, isOnly, hasUseOfPassword, isSelf, teams, rule }: PersonProps): Child {
  return (
    <>
      <PageHead
        title={user.email}
        sentence={
          <span class="row">
            <Badge kind={statusKinds[user.status]} label={user.status} />
            {user.role}
            {user.name === null ? null : ` · ${user.name}`}
          </span>
        }
        trail={peopleTrail}
      />
      {isOnly ? (
        <Notice kind="info">
          This is the only active admin, so the account stays an active admin. Make another person an admin first.
        </Notice>
      ) : null}
      {isSelf ? (
        <Notice kind="info">
          This is your own account. Password and two-factor authentication are on <A to="/account">your account page</A>
          .
        </Notice>
      ) : null}
      <div class="two-columns">
        <div class="stack">
          <PersonActions user={user} isOnly={isOnly} hasUseOfPassword={hasUseOfPassword} />
          <PersonTeams {...{ user, teams, rule }} />
          <PersonSessions user={user} sessions={sessions} />
        </div>
        <aside class="stack">
          <PersonFacts user={user} />
        </aside>
      </div>
    </>
  );
}

// The facts about a person's account.

function PersonFacts({ user }: { readonly user: UserDocument }): Child {
  const { last_login_at: last, invitation_expires_at: invitation, two_factor_enabled: hasTwoFactor } = user;
  return (
    <section class="panel stack-tight">
      <dl class="facts">
        <Fact label="Two-factor">
          {hasTwoFactor ? `on, ${formatCount(user.recovery_codes_left, 'recovery code')} left` : 'off'}
        </Fact>
        {user.passkeys === 0 ? null : <Fact label="Passkeys">{user.passkeys}</Fact>}
        {user.policy_editor ? <Fact label="Rights beside the role">changes the policy</Fact> : null}
        <Fact label="Last sign-in">{last === null ? 'never' : <Time at={last} />}</Fact>
        <Fact label="Account created" value={<Time at={user.created_at} />} />
        {invitation === null ? null : (
          <Fact
            label={Date.parse(invitation) > useNow() ? 'The open link ends' : 'The open link ended'}
            value={<Time at={invitation} />}
          />
        )}
        <Fact label="Id" value={<code>{user.id}</code>} />
      </dl>
      <div class="row">
        <ButtonLink to={`/audit?who=user:${user.id}`} kind="small" icon="scroll-text" label="What they did" />
      </div>
    </section>
  );
}

// Where a person is signed in.

interface PersonSessionsProps {
  readonly user: UserDocument;
  /** newest first */
  readonly sessions: readonly SessionRecord[];
}

function PersonSessions({ user, sessions }: PersonSessionsProps): Child {
  return (
    <section class="stack-tight">
      <h2>Sessions</h2>
      <Table
        caption={`Sessions of ${user.email}`}
        columns={columnsOf(user)}
        rows={sessions}
        empty="This person is not signed in anywhere."
      />
    </section>
  );
}

function columnsOf(user: UserDocument): readonly Column<SessionRecord>[] {
  return [
    { label: 'From', cell: ({ address }) => <code>{address}</code> },
    { label: 'Began', cell: ({ created_at }) => <Time at={created_at} /> },
    { label: 'Ends', cell: ({ expires_at }) => <Time at={expires_at} /> },
    {
      label: 'Action',
      isPlain: true,
      cell: ({ id, address }) => (
        <ButtonLink
          to={`${personPath(user)}/sessions/${id}/end`}
          kind="small"
          aria-label={`End the session from ${address}`}
          data-dialog
          label="End"
        />
      ),
    },
  ];
}

// The teams of a person, and what they see.

interface PersonTeamsProps {
  readonly user: Pick<UserDocument, 'role'>;
  /** those of the person */
  readonly teams: readonly TeamRecord[];
  readonly rule: PackageRule;
}

function PersonTeams({ user, teams, rule }: PersonTeamsProps): Child {
  return (
    <section class="stack-tight">
      <h2>Teams</h2>
      <p class="soft">{visibilityText(user.role === 'admin', teams.length > 0, rule)}</p>
      {teams.length === 0 ? null : (
        <ul class="stack-tight">
          {teams.map(({ id, name, packages }) => (
            <li class="breaks">
              <A to={`/teams/${id}`}>{name}</A> <span class="soft small">{packages.slice(0, 5).join(', ')}</span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function visibilityText(isAdmin: boolean, hasTeams: boolean, rule: PackageRule): string {
  if (isAdmin) return 'An admin sees all packages, with and without teams.';
  if (hasTeams) return 'They see the packages of these teams.';
  return rule === 'all'
    ? 'They are in no team, and see all packages.'
    : 'They are in no team, and see no packages. Add them to a team on its page.';
}
