// The list of people: who has an account, and in which state it is.

import type { Child } from 'hono/jsx';
import { readUsers } from '../../../auth/user-records.ts';
import { showUser, type UserDocument } from '../../../people/user-schema.ts';
import { Badge } from '../../components/badge.tsx';
import { ButtonLink } from '../../components/form.tsx';
import { MainLink } from '../../components/place.tsx';
import { formatCount, Time } from '../../components/values.tsx';
import { Table, type Column } from '../../components/table.tsx';
import type { Pages } from '../../frame/pages.ts';
import { personPath, statusKinds, type PeoplePageServices } from './services.ts';
import { headedPage } from '../../frame/headed-page.tsx';

export function registerPeopleList(pages: Pages, { state }: PeoplePageServices): void {
  pages.page({
    path: '/people',
    operation: 'listUsers',
    notices: { deleted: 'The account is deleted.' },
    show: async (request) => {
      const users = (await readUsers(state)).map(showUser);
      return headedPage(
        {
          section: 'people',
          title: 'People',
          sentence: 'Everyone who can sign in to this console and to the API.',
          actions: <ButtonLink to="/people/invite" kind="primary" icon="user-plus" label="Invite a person" />,
        },
        <>
          <p class="soft small">{formatCount(users.length, 'account')}</p>
          <Table caption="People" columns={columnsOf(request.caller.userId)} rows={users} />
        </>,
      );
    },
  });
}

/** `self`: the id of the visitor */
function columnsOf(self: string): readonly Column<UserDocument>[] {
  return [
    { label: 'Email', cell: (user) => <NameCell user={user} isSelf={user.id === self} /> },
    { label: 'Role', cell: (user) => <RoleCell user={user} /> },
    { label: 'State', cell: ({ status }) => <Badge kind={statusKinds[status]} label={status} /> },
    {
      label: 'Two-factor',
      cell: ({ two_factor_enabled: on }) =>
        on ? <Badge kind="good" icon="shield-check" label="on" /> : <span class="soft">off</span>,
    },
    {
      label: 'Last sign-in',
      cell: ({ last_login_at: at }) => <Time at={at} none={<span class="soft">never</span>} />,
    },
  ];
}

/** An admin changes the policy without a further right. */
function RoleCell({ user: { role, policy_editor: isEditor } }: { readonly user: UserDocument }): Child {
  return (
    <div class="stack-tight">
      <span>{role}</span>
      {isEditor ? <span class="soft small">changes the policy</span> : null}
    </div>
  );
}

function NameCell({ user, isSelf }: { readonly user: UserDocument; readonly isSelf: boolean }): Child {
  return (
    <div class="stack-tight">
      <span class="row">
        <MainLink to={personPath(user)} text={user.email} />
        {isSelf ? <Badge label="you" /> : null}
      </span>
      {user.name === null ? null : <span class="soft small">{user.name}</span>}
    </div>
  );
}
