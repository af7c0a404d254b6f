// The filtered events as a file: CSV for spreadsheets, JSON lines for programs.

import { csvLine } from '../../../../build/shared/text/csv-line.ts';
import type { AuditEvent } from '../../../state/audit.ts';
import { readAuditLog, type AuditFilter } from '../../../state/audit-log.ts';
import type { StateStore } from '../../../core/state/state-store.ts';
import type { FileDownload, SignedInRequest } from '../../frame/definitions.ts';
import type { Pages } from '../../frame/pages.ts';
import { auditFilter, parseAuditQuery } from './audit-query.ts';
import { readEventNames } from './event-names.ts';

/** Events in one file, at the most. */
export const maxExported = 10_000;
const atOnce = 500;

export function registerAuditExport(pages: Pages, state: Pick<StateStore, 'get' | 'range'>): void {
  pages.page({ path: '/audit/export', operation: 'listAuditEvents', show: (request) => exportEvents(state, request) });
}

async function exportEvents(
  state: Pick<StateStore, 'get' | 'range'>,
  { query }: SignedInRequest,
): Promise<FileDownload> {
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

async function readMost(state: Pick<StateStore, 'get' | 'range'>, filter: AuditFilter): Promise<Exported> {
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
