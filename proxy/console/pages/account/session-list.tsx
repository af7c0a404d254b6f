// The list of a person's sessions, on the account page.

import type { Child } from 'hono/jsx';
import type { SessionRecord } from '../../../auth/sessions.ts';
import { Badge } from '../../components/badge.tsx';
import { ButtonLink } from '../../components/form.tsx';
import { Table, type Column } from '../../components/table.tsx';
import { Time } from '../../components/values.tsx';

export interface SessionListProps {
  /** newest first */
  readonly sessions: readonly SessionRecord[];
  /** the session of this browser */
  readonly current: string;
}

export function SessionList({ sessions, current }: SessionListProps): Child {
  return (
    <section class="stack">
      <div class="row">
        <h2>Sessions</h2>
        {sessions.length < 2 ? null : (
          <span class="row-end">
            <ButtonLink
              to="/account/sessions/end-others"
              kind="small"
              icon="log-out"
              data-dialog
              label="End all others"
            />
          </span>
        )}
      </div>
      <Table caption="Your sessions" columns={columnsOf(current, sessions.length > 1)} rows={sessions} />
    </section>
  );
}

/** `hasOthers`: the list has sessions of other browsers, which can be ended. */
function columnsOf(current: string, hasOthers: boolean): readonly Column<SessionRecord>[] {
  return [
    {
      label: 'From',
      cell: ({ id, address }) => (
        <span class="row">
          {address}
          {id === current ? <Badge kind="good" label="this browser" /> : null}
        </span>
      ),
    },
    { label: 'Began', cell: ({ created_at }) => <Time at={created_at} /> },
    { label: 'Ends', cell: ({ expires_at }) => <Time at={expires_at} /> },
    ...(hasOthers ? [endColumn(current)] : []),
  ];
}

function endColumn(current: string): Column<SessionRecord> {
  return {
    label: 'Action',
    isPlain: true,
    cell: ({ id, address }) =>
      id === current ? null : (
        <ButtonLink
          to={`/account/sessions/${id}/end`}
          kind="small"
          aria-label={`End the session from ${address}`}
          data-dialog
          label="End"
        />
      ),
  };
}
