// The filters above the audit log. A form with GET, so that its address can be sent to others.

import type { Child } from 'hono/jsx';
import type { UserRecord } from '../../../auth/user.ts';
import { auditPath, type AuditQuery } from './audit-query.ts';
import { actionVerbs } from './event-words.ts';
import { TextFilter } from '../../components/filters.tsx';
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
      <TextFilter name="subject" label="About" value={query.subject} placeholder="Id or email" />
      <TextFilter type="date" name="from" label="From (UTC)" value={query.from} />
      <TextFilter type="date" name="to" label="To (UTC)" value={query.to} />
      <button class="button">Filter</button>
      {isFiltered ? <A to="/audit">Show all</A> : null}
    </form>
  );
}

function WhoFilter({ who, users }: { readonly who: string } & Pick<AuditFiltersProps, 'users'>): Child {
  return (
    <TextFilter name="who" label="Who" value={who} list="people" placeholder="Name or id">
      <datalist id="people">
        {users.map(({ email }) => (
          <option value={email} />
        ))}
      </datalist>
    </TextFilter>
  );
}

function ActionFilter({ chosen }: { readonly chosen: string }): Child {
  return (
    <div class="field">
      <label for="action">Action</label>
      <select id="action" name="action">
        <option value="">any</option>
        {actionsWith(chosen).map(([action, verb]) => (
          <option value={action} selected={action === chosen}>
            {verb}
          </option>
        ))}
      </select>
    </div>
  );
}

/** The chosen action may be one that this version does not know. */
function actionsWith(chosen: string): readonly (readonly [string, string])[] {
  const known = Object.entries(actionVerbs);
  return chosen === '' || Object.hasOwn(actionVerbs, chosen) ? known : [...known, [chosen, chosen]];
}
