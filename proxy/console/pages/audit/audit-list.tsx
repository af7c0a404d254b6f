// The audit log, for admins: filters, and fifty events a page, newest first; as a file, CSV or JSON lines.

import type { Child } from 'hono/jsx';
import { type AuditEvent, verifyAudit, type AuditHead, type AuditVerdict } from '../../../state/audit.ts';
import { readAuditLog, type AuditPage, type AuditFilter } from '../../../state/audit-log.ts';
import type { StateStore } from '../../../core/state/state-store.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { ButtonLink, Form, TextField } from '../../components/form.tsx';
import { PageHead } from '../../components/place.tsx';
import { Turning } from '../../components/pager.tsx';
import { formatNumber, formatCount, Time } from '../../components/values.tsx';
import { Table, type Column } from '../../components/table.tsx';
import type { PageView, SignedInRequest, FileDownload } from '../../frame/definitions.ts';
import { headedPage } from '../../frame/headed-page.tsx';
import type { Pages } from '../../frame/pages.ts';
import { AuditFilters } from './audit-filters.tsx';
import { auditFilter, auditPath, parseAuditQuery, type AuditQuery } from './audit-query.ts';
import { nameAuthor, readEventNames, type EventNames } from './event-names.ts';
import { AuditSubject } from './audit-subject.tsx';
import { phrasesOf, verbOf } from './event-words.ts';
import { describeBreak, formatHead, parseHead } from '../../../state/audit-text.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import { Notice } from '../../components/notice.tsx';
import { emptyForm, fieldFault, type FormFields, type FormState } from '../../request/form-fields.ts';
import { csvLine } from '../../../../build/shared/text/csv-line.ts';

type Reader = Pick<StateStore, 'get' | 'range'>;

/** Events in one file, at the most. */
const maxExported = 10_000;
const atOnce = 500;

async function exportEvents(state: Reader, { query }: SignedInRequest): Promise<FileDownload> {
  const filter = auditFilter(parseAuditQuery(query), (await readEventNames(state)).users);
  const { events, isWhole } = filter === undefined ? { events: [], isWhole: true } : await readMost(state, filter);
  const part = isWhole ? '' : `-newest-${maxExported}`;
  return query.get('as') === 'jsonl'
    ? file(
        `audit${part}.jsonl`,
        'application/jsonl; charset=utf-8',
        events.map((event) => JSON.stringify(event)),
      )
    : file(`audit${part}.csv`, 'text/csv; charset=utf-8', [header, ...events.map(eventLine)]);
}

interface Exported {
  /** newest first */
  readonly events: readonly AuditEvent[];
  /** false: older events were left out */
  readonly isWhole: boolean;
}

async function readMost(state: Reader, filter: AuditFilter): Promise<Exported> {
  const events: AuditEvent[] = [];
  let before: number | undefined;
  do {
    const limit = Math.min(atOnce, maxExported - events.length);
    const page = await readAuditLog(state, filter, { limit, before });
    events.push(...page.events);
    before = page.before;
  } while (before !== undefined && events.length < maxExported);
  return { events, isWhole: before === undefined };
}

function file(name: string, type: string, lines: readonly string[]): FileDownload {
  return { file: { name, type, bytes: Buffer.from(lines.map((line) => `${line}\n`).join('')) } };
}

const header = 'seq,time,actor,action,subject,details,hash';

function eventLine({ seq, time, actor, action, subject, details, hash }: AuditEvent): string {
  return csvLine([String(seq), time, actor, action, subject, JSON.stringify(details), hash]);
}

// Verifying the chain of the audit log, as `libretto audit verify` does.

/** Throws INVALID_INPUT. */
function headIn(fields: FormFields): AuditHead | undefined {
  const text = fields.optional('head');
  const head = text === undefined ? undefined : parseHead(text);
  if (text !== undefined && head === undefined) throw fieldFault('head', 'Write the number, a colon and the hash.');
  return head;
}

function view(form: FormState, verdict: AuditVerdict | undefined): PageView {
  const sentence = 'Reads every event, and compares each hash with the events before it.';
  return headedPage(
    { section: 'audit', title: 'Verify the audit log', sentence, trail: [{ label: 'Audit', to: '/audit' }] },
    <>
      {verdict === undefined ? null : <Verdict verdict={verdict} />}
      <Form state={form} submit={verdict === undefined ? 'Verify the chain' : 'Verify again'} cancel="/audit">
        <TextField
          name="head"
          label="A head that you kept (optional)"
          hint="The log must still contain this event. Only a kept head shows a log that was rewritten as a whole."
          placeholder="1204:9f86d081…"
          autocomplete="off"
        />
      </Form>
    </>,
  );
}

function Verdict({ verdict }: { readonly verdict: AuditVerdict }): Child {
  if (!verdict.sound) return <Notice kind="bad">{describeBreak(verdict)}</Notice>;
  return (
    <>
      <Notice kind="good">The audit log is sound: {formatCount(verdict.head.seq, 'event')}.</Notice>
      <p>This is its head. Keep it in another place, and compare the log with it later:</p>
      <CodeBlock label="the head of the audit log" text={formatHead(verdict.head)} />
    </>
  );
}

const eventsPerPage = 50;
const noEvents: AuditPage = { events: [], before: undefined };

async function showList(state: Reader, { query: given }: SignedInRequest): Promise<PageView> {
  const query = parseAuditQuery(given);
  const names = await readEventNames(state);
  const filter = auditFilter(query, names.users);
  const { before } = query;
  const page = filter === undefined ? noEvents : await readAuditLog(state, filter, { limit: eventsPerPage, before });
  return { title: 'Audit', section: 'audit', content: <AuditList {...{ query, names, page }} /> };
}

interface AuditListProps {
  readonly query: AuditQuery;
  readonly names: EventNames;
  readonly page: AuditPage;
}

function AuditList({ query, names, page }: AuditListProps): Child {
  return (
    <>
      <PageHead
        title="Audit"
        sentence="Every change and every refused sign-in, in a chain of hashes that shows later edits."
        actions={<ButtonLink to="/audit/verify" icon="shield-check" label="Verify the chain" />}
      />
      <AuditFilters query={query} users={names.users} />
      <div id="results" class="stack">
        <Files query={query} />
        {page.events.length === 0 ? (
          <NoEvents query={query} page={page} />
        ) : (
          <Table caption="Events" columns={columnsOf(names)} rows={page.events} />
        )}
        <Turning
          first={query.before === undefined ? undefined : auditPath({ ...query, before: undefined })}
          next={page.before === undefined ? undefined : auditPath({ ...query, before: page.before })}
        />
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
      <ButtonLink to={path('csv')} icon="download" kind="small" label="CSV" />
      <ButtonLink to={path('jsonl')} icon="download" kind="small" label="JSON lines" />
    </div>
  );
}

/** A narrow filter may find nothing in the part of a long log that one page looks through. */
function NoEvents({ query, page: { before } }: Pick<AuditListProps, 'query' | 'page'>): Child {
  if (before !== undefined) return <p class="soft">No event fits in this part of the log. Older events follow.</p>;
  return (
    <EmptyState icon="scroll-text" title="No event fits" action={<ButtonLink to="/audit" label="Show all events" />}>
      {query.before === undefined ? 'Try another day, or remove a filter.' : 'There are no older events.'}
    </EmptyState>
  );
}

function columnsOf(names: EventNames): readonly Column<AuditEvent>[] {
  return [
    { label: 'What', cell: (event) => <What event={event} names={names} /> },
    { label: 'Who', cell: ({ actor }) => nameAuthor(actor, names) },
    { label: 'When', cell: ({ time }) => <Time at={time} /> },
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
  readonly state: Reader;
}

export function registerAuditPages(pages: Pages, { state }: AuditPageServices): void {
  const operation = 'listAuditEvents';
  pages.page({ path: '/audit', operation, show: (request) => showList(state, request) });
  pages.page({ path: '/audit/export', operation, show: (request) => exportEvents(state, request) });
  pages.form({
    path: '/audit/verify',
    operation,
    show: (_request, form) => view(form, undefined),
    submit: async (_request, fields) => view(emptyForm, await verifyAudit(state, headIn(fields))),
  });
}
