// The filters above the audit log. A form with GET, so that its address can be sent to others.

import type { Child } from 'hono/jsx';
import type { UserRecord } from '../../../auth/user.ts';
import { auditPath, type AuditQuery } from './audit-query.ts';
import { actionVerbs } from './event-words.ts';
import { A } from '../../components/place.tsx';

interface AuditFiltersProps {
  readonly query: AuditQuery;
  /** offered while one types who it was */
  readonly users: readonly Pick<UserRecord, 'email'>[];
}

export function AuditFilters({ query, users }: AuditFiltersProps): Child {
  const isFiltered = auditPath({ ...query, before: undefined }) !== '/audit';
  return (
    <form class="filters" data-live>
      <WhoFilter who={query.who} users={users} />
      <ActionFilter chosen={query.action} />
      <Field name="subject" label="About">
        <input id="subject" name="subject" value={query.subject} placeholder="Id or email" autocomplete="off" />
      </Field>
      <Field name="from" label="From (UTC)">
        <input type="date" id="from" name="from" value={query.from} />
      </Field>
      <Field name="to" label="To (UTC)">
        <input type="date" id="to" name="to" value={query.to} />
      </Field>
      <button class="button">Filter</button>
      {isFiltered ? <A to="/audit">Show all</A> : null}
    </form>
  );
}

function WhoFilter({ who, users }: { readonly who: string } & Pick<AuditFiltersProps, 'users'>): Child {
  return (
    <Field name="who" label="Who">
      <input id="who" name="who" value={who} list="people" placeholder="Name or id" autocomplete="off" />
      <datalist id="people">
        {users.map(({ email }) => (
          <option value={email} />
        ))}
      </datalist>
    </Field>
  );
}

function ActionFilter({ chosen }: { readonly chosen: string }): Child {
  return (
    <Field name="action" label="Action">
      <select id="action" name="action">
        <option value="">any</option>
        {actionsWith(chosen).map(([action, verb]) => (
          <option value={action} selected={action === chosen}>
            {verb}
          </option>
        ))}
      </select>
    </Field>
  );
}

/** The chosen action may be one that this version does not know. */
function actionsWith(chosen: string): readonly (readonly [string, string])[] {
  const known = Object.entries(actionVerbs);
  return chosen === '' || Object.hasOwn(actionVerbs, chosen) ? known : [...known, [chosen, chosen]];
}

interface FieldProps {
  readonly name: string;
  readonly label: string;
  readonly children?: Child;
}

function Field({ name, label, children }: FieldProps): Child {
  return (
    <div class="field">
      <label for={name}>{label}</label>
      {children}
    </div>
  );
}
