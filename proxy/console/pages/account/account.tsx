// A person's own account at a glance: who they are, how they sign in, and where they are signed in.

import type { Child } from 'hono/jsx';
import { actorOf } from '../../../auth/caller.ts';
import type { People } from '../../../auth/people.ts';
import { showUser, type UserView } from '../../../auth/user.ts';
import { Badge } from '../../components/badge.tsx';
import { ButtonLink } from '../../components/form.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { counted } from '../../components/quantity.ts';
import { Time } from '../../components/time.tsx';
import type { Pages } from '../../frame/pages.ts';
import { MailPanel } from './mails.tsx';
import { SessionList, type SessionListProps } from './session-list.tsx';

export function registerAccount(pages: Pages, people: People): void {
  pages.page({
    path: '/account',
    operation: 'getMe',
    notices: {
      'name-changed': 'Your name is changed.',
      'password-changed': 'Your password is changed. Your sessions in other browsers have ended.',
      'two-factor-off': 'Two-factor authentication is off. Your sessions in other browsers have ended.',
      'mails-changed': 'The changes are saved. They count for mails from now on.',
      'session-ended': 'The session has ended.',
      'sessions-ended': 'Your sessions in other browsers have ended.',
    },
    show: async ({ caller, nowMs }) => {
      const { userId, sessionId } = caller;
      const user = showUser(await people.usersOf(actorOf(caller)).get(userId));
      const sessions = await people.sessions.list(userId);
      const hasMail = people.requestReset !== undefined;
      return {
        title: 'Your account',
        content: <Account {...{ user, hasMail, sessions, nowMs }} current={sessionId} />,
      };
    },
  });
}

interface AccountProps extends SessionListProps {
  readonly user: UserView;
  /** true: the registry sends mail */
  readonly hasMail: boolean;
}

function Account({ user, hasMail, ...sessions }: AccountProps): Child {
  return (
    <>
      <PageHead title="Your account" sentence={`You are signed in as ${user.role}.`} />
      <div class="two-columns">
        <SessionList {...sessions} />
        <aside class="stack">
          <Person user={user} nowMs={sessions.nowMs} />
          <TwoFactor user={user} />
          {hasMail ? <MailPanel user={user} /> : null}
        </aside>
      </div>
    </>
  );
}

function Person({ user, nowMs }: { readonly user: UserView; readonly nowMs: number }): Child {
  return (
    <section class="panel stack">
      <dl class="facts">
        <div>
          <dt>Email</dt>
          <dd>{user.email}</dd>
        </div>
        {user.name === null ? null : (
          <div>
            <dt>Name</dt>
            <dd>{user.name}</dd>
          </div>
        )}
        <div>
          <dt>Role</dt>
          <dd>{user.role}</dd>
        </div>
        <div>
          <dt>Account created</dt>
          <dd>
            <Time at={user.created_at} nowMs={nowMs} />
          </dd>
        </div>
      </dl>
      <div class="row">
        <ButtonLink to="/account/name" icon="pencil">
          Change the name
        </ButtonLink>
        <ButtonLink to="/account/password" icon="key-round">
          Change the password
        </ButtonLink>
      </div>
    </section>
  );
}

function TwoFactor({ user }: { readonly user: UserView }): Child {
  return (
    <section class="panel stack">
      <div class="stack-tight">
        <h2>Two-factor authentication</h2>
        <p>
          {user.two_factor_enabled ? (
            <Badge kind="good" icon="shield-check">
              on
            </Badge>
          ) : (
            <Badge>off</Badge>
          )}
        </p>
      </div>
      {user.two_factor_enabled ? (
        <>
          <p>Each sign-in asks for a code. {counted(user.recovery_codes_left, 'recovery code')} left.</p>
          <div class="row">
            <ButtonLink to="/account/recovery-codes">Renew recovery codes</ButtonLink>
            <ButtonLink to="/account/two-factor/off" kind="danger">
              Turn off
            </ButtonLink>
          </div>
        </>
      ) : (
        <>
          <p>With it, somebody who learns your password still cannot sign in.</p>
          <p>
            <ButtonLink to="/account/two-factor" icon="shield-check">
              Turn on
            </ButtonLink>
          </p>
        </>
      )}
    </section>
  );
}
