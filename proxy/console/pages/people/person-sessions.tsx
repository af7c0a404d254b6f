// Where a person is signed in.

import type { Child } from 'hono/jsx';
import type { SessionRecord } from '../../../auth/sessions.ts';
import type { UserView } from '../../../auth/user.ts';
import { ButtonLink } from '../../components/form.tsx';
import { Table, type Column } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { personPath } from './shown-person.ts';

interface PersonSessionsProps {
  readonly user: UserView;
  /** newest first */
  readonly sessions: readonly SessionRecord[];
  readonly nowMs: number;
}

export function PersonSessions({ user, sessions, nowMs }: PersonSessionsProps): Child {
  return (
    <section class="stack-tight">
      <h2>Sessions</h2>
      {sessions.length === 0 ? (
        <p class="soft">This person is not signed in anywhere.</p>
      ) : (
        <Table caption={`Sessions of ${user.email}`} columns={columnsOf(user, nowMs)} rows={sessions} />
      )}
    </section>
  );
}

function columnsOf(user: UserView, nowMs: number): readonly Column<SessionRecord>[] {
  return [
    { label: 'From', cell: ({ address }) => <code>{address}</code> },
    { label: 'Began', cell: ({ created_at }) => <Time at={created_at} nowMs={nowMs} /> },
    { label: 'Ends', cell: ({ expires_at }) => <Time at={expires_at} nowMs={nowMs} /> },
    {
      label: 'Action',
      isPlain: true,
      cell: ({ id, address }) => (
        <ButtonLink
          to={`${personPath(user)}/sessions/${id}/end`}
          kind="small"
          aria-label={`End the session from ${address}`}
          data-dialog
        >
          End
        </ButtonLink>
      ),
    },
  ];
}
