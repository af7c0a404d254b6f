// The audit log, for admins: filters, and fifty events a page, newest first; and the register of its pages.

import type { Child } from 'hono/jsx';
import type { AuditEvent } from '../../../state/audit.ts';
import { readAuditLog, type AuditPage } from '../../../state/audit-log.ts';
import type { StateStore } from '../../../core/state/state-store.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { ButtonLink } from '../../components/form.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { formatNumber } from '../../components/quantity.ts';
import { Table, type Column } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import type { PageView, SignedInRequest } from '../../frame/definitions.ts';
import type { Pages } from '../../frame/pages.ts';
import { maxExported, registerAuditExport } from './audit-export.ts';
import { AuditFilters } from './audit-filters.tsx';
import { auditFilter, auditPath, parseAuditQuery, type AuditQuery } from './audit-query.ts';
import { nameAuthor, readEventNames, type EventNames } from './event-names.ts';
import { AuditSubject } from './audit-subject.tsx';
import { phrasesOf, verbOf } from './event-words.ts';
import { registerVerification } from './verify.tsx';

const eventsPerPage = 50;
const noEvents: AuditPage = { events: [], before: undefined };

export function registerAuditList(pages: Pages, state: Pick<StateStore, 'get' | 'range'>): void {
  pages.page({ path: '/audit', operation: 'listAuditEvents', show: (request) => showList(state, request) });
}

async function showList(
  state: Pick<StateStore, 'get' | 'range'>,
  { query: given, nowMs }: SignedInRequest,
): Promise<PageView> {
  const query = parseAuditQuery(given);
  const names = await readEventNames(state);
  const filter = auditFilter(query, names.users);
  const { before } = query;
  const page = filter === undefined ? noEvents : await readAuditLog(state, filter, { limit: eventsPerPage, before });
  return { title: 'Audit', section: 'audit', content: <AuditList {...{ query, names, page, nowMs }} /> };
}

interface AuditListProps {
  readonly query: AuditQuery;
  readonly names: EventNames;
  readonly page: AuditPage;
  readonly nowMs: number;
}

function AuditList({ query, names, page, nowMs }: AuditListProps): Child {
  return (
    <>
      <PageHead
        title="Audit"
        sentence="Every change and every refused sign-in, in a chain of hashes that shows later edits."
        actions={
          <ButtonLink to="/audit/verify" icon="shield-check">
            Verify the chain
          </ButtonLink>
        }
      />
      <AuditFilters query={query} users={names.users} />
      <div id="results" class="stack">
        <Files query={query} />
        {page.events.length === 0 ? (
          <NoEvents query={query} page={page} />
        ) : (
          <Table caption="Events" columns={columnsOf(names, nowMs)} rows={page.events} />
        )}
        <Older query={query} page={page} />
      </div>
    </>
  );
}

/** They stand among the results, so that they follow the filters while one types. */
function Files({ query }: Pick<AuditListProps, 'query'>): Child {
  const path = (as: string): string => auditPath({ ...query, before: undefined }, '/audit/export', { as });
  return (
    <div class="row">
      <p class="soft small">
        Newest first. The files hold what the filters find, at most the newest {formatNumber(maxExported)} events.
      </p>
      <ButtonLink to={path('csv')} icon="download" kind="small">
        CSV
      </ButtonLink>
      <ButtonLink to={path('jsonl')} icon="download" kind="small">
        JSON lines
      </ButtonLink>
    </div>
  );
}

/** A narrow filter may find nothing in the part of a long log that one page looks through. */
function NoEvents({ query, page: { before } }: Pick<AuditListProps, 'query' | 'page'>): Child {
  if (before !== undefined) return <p class="soft">No event fits in this part of the log. Older events follow.</p>;
  return (
    <EmptyState icon="scroll-text" title="No event fits" action={<ButtonLink to="/audit">Show all events</ButtonLink>}>
      {query.before === undefined ? 'Try another day, or remove a filter.' : 'There are no older events.'}
    </EmptyState>
  );
}

function Older({ query, page: { before } }: Pick<AuditListProps, 'query' | 'page'>): Child {
  if (before === undefined && query.before === undefined) return null;
  return (
    <nav class="pager" aria-label="Pages">
      {query.before === undefined ? (
        <span />
      ) : (
        <ButtonLink to={auditPath({ ...query, before: undefined })} icon="chevron-left">
          Newest
        </ButtonLink>
      )}
      {before === undefined ? (
        <span />
      ) : (
        <ButtonLink to={auditPath({ ...query, before })} icon="chevron-right">
          Older
        </ButtonLink>
      )}
    </nav>
  );
}

function columnsOf(names: EventNames, nowMs: number): readonly Column<AuditEvent>[] {
  return [
    { label: 'What', cell: (event) => <What event={event} names={names} /> },
    { label: 'Who', cell: ({ actor }) => nameAuthor(actor, names) },
    { label: 'When', cell: ({ time }) => <Time at={time} nowMs={nowMs} /> },
    { label: 'Event', isNumber: true, cell: ({ seq }) => seq },
  ];
}

function What({ event, names }: { readonly event: AuditEvent; readonly names: EventNames }): Child {
  const phrases = phrasesOf(event);
  return (
    <div class="stack-tight">
      <span>
        {verbOf(event)} <AuditSubject event={event} names={names} />
      </span>
      {phrases.length === 0 ? null : <span class="soft small prose">{phrases.join(' · ')}</span>}
    </div>
  );
}

export interface AuditPageServices {
  readonly state: Pick<StateStore, 'get' | 'range'>;
}

export function registerAuditPages(pages: Pages, { state }: AuditPageServices): void {
  registerAuditList(pages, state);
  registerAuditExport(pages, state);
  registerVerification(pages, state);
}
