// One person: their account, what an admin can do about it, and where they are signed in.

import type { Child } from 'hono/jsx';
import { isNamed } from '../../../auth/local-sign-in.ts';
import type { People } from '../../../auth/people.ts';
import type { SessionRecord } from '../../../auth/sessions.ts';
import type { UserView } from '../../../auth/user.ts';
import type { StateStore } from '../../../core/state/state-store.ts';
import { readPackageRule } from '../../../teams/package-rule.ts';
import { listTeams } from '../../../teams/team-roster.ts';
import { Badge } from '../../components/badge.tsx';
import { Notice } from '../../components/notice.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { A } from '../../components/place.tsx';
import type { Pages } from '../../frame/pages.ts';
import { PersonActions } from './person-actions.tsx';
import { PersonFacts } from './person-facts.tsx';
import { PersonSessions } from './person-sessions.tsx';
import { PersonTeams, type PersonTeamsProps } from './person-teams.tsx';
import { findPerson, isOnlyAdmin, statusKinds } from './shown-person.ts';

export function registerPerson(pages: Pages, people: People, state: Pick<StateStore, 'get' | 'range'>): void {
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
      const user = await findPerson(people, request);
      const [sessions, isOnly, teams, { rule }] = await Promise.all([
        people.sessions.list(user.id),
        isOnlyAdmin(people, request, user),
        listTeams(state),
        readPackageRule(state),
      ]);
      const own = teams.filter(({ members }) => members.some((id) => id === user.id));
      const { nowMs, caller } = request;
      return {
        title: user.email,
        section: 'people',
        content: (
          <Person
            {...{ user, sessions, isOnly, rule, nowMs }}
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
  readonly user: UserView;
  /** newest first */
  readonly sessions: readonly SessionRecord[];
  /** true: nobody else is an active admin */
  readonly isOnly: boolean;
  /** false: the setting localSignIn names others */
  readonly hasUseOfPassword: boolean;
  /** true: the visitor's own account */
  readonly isSelf: boolean;
  readonly nowMs: number;
}

function Person({ user, sessions, isOnly, hasUseOfPassword, isSelf, teams, rule, nowMs }: PersonProps): Child {
  return (
    <>
      <PageHead
        title={user.email}
        sentence={
          <span class="row">
            <Badge kind={statusKinds[user.status]}>{user.status}</Badge>
            {user.role}
            {user.name === null ? null : ` · ${user.name}`}
          </span>
        }
        trail={[{ label: 'People', to: '/people' }]}
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
          <PersonSessions user={user} sessions={sessions} nowMs={nowMs} />
        </div>
        <aside class="stack">
          <PersonFacts user={user} nowMs={nowMs} />
        </aside>
      </div>
    </>
  );
}
