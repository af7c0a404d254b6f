// The list of a person's passkeys, on the account page.

import type { Child } from 'hono/jsx';
import type { PasskeyView } from '../../../auth/passkey.ts';
import { Badge } from '../../components/badge.tsx';
import { ButtonLink } from '../../components/form.tsx';
import { Table, type Column } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';

export interface PasskeyListProps {
  /** oldest first */
  readonly passkeys: readonly PasskeyView[];
  /** where this browser reached the console; undefined: by an IP address, where browsers have no passkeys */
  readonly host: string | undefined;
  readonly nowMs: number;
}

export function PasskeyList({ passkeys, host, nowMs }: PasskeyListProps): Child {
  return (
    <section class="stack">
      <div class="row">
        <h2>Passkeys</h2>
        {host === undefined ? null : (
          <span class="row-end">
            <ButtonLink to="/account/passkeys/new" kind="small" icon="key-round">
              Add a passkey
            </ButtonLink>
          </span>
        )}
      </div>
      {passkeys.length === 0 ? (
        <p>With a passkey you sign in by your finger, face or PIN. Nobody can learn it from you, as with a password.</p>
      ) : (
        <Table caption="Your passkeys" columns={columnsOf(host, nowMs)} rows={passkeys} />
      )}
      {host === undefined ? (
        <p class="soft small">Browsers have no passkeys for an IP address. Open the console by its host name.</p>
      ) : null}
    </section>
  );
}

function columnsOf(host: string | undefined, nowMs: number): readonly Column<PasskeyView>[] {
  return [
    {
      label: 'Name',
      cell: (passkey) => (
        <span class="row">
          {passkey.name}
          {passkey.host === host ? null : <Badge>only at {passkey.host}</Badge>}
        </span>
      ),
    },
    { label: 'Added', cell: ({ created_at }) => <Time at={created_at} nowMs={nowMs} /> },
    {
      label: 'Last used',
      cell: ({ last_used_at: last }) => (last === null ? 'never' : <Time at={last} nowMs={nowMs} />),
    },
    {
      label: 'Action',
      isPlain: true,
      cell: ({ id, name }) => (
        <span class="row">
          <ButtonLink to={`/account/passkeys/${id}/name`} kind="small" aria-label={`Rename the passkey ${name}`}>
            Rename
          </ButtonLink>
          <ButtonLink to={`/account/passkeys/${id}/remove`} kind="small" aria-label={`Remove the passkey ${name}`}>
            Remove
          </ButtonLink>
        </span>
      ),
    },
  ];
}
