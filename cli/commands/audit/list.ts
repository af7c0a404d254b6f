// `libretto audit list`: the newest events, or those that fit.

import type { AuditEvent } from '../../../proxy/state/audit.ts';
import { readAuditLog, type AuditFilter } from '../../../proxy/state/audit-log.ts';
import type { StateStore } from '../../../proxy/core/state/state-store.ts';
import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { instantFlag } from '../../io/instant-flag.ts';
import { withState } from './existing-state.ts';
import { formatTable, printable, printJson, printLines } from '../../io/output.ts';
import { parseWholeNumber } from '../../config/setting-values.ts';
import { UsageError } from '../../io/usage-error.ts';

export function run(context: Context, given: CommandInput): Promise<number> {
  const { flags } = given;
  const limit = flags['limit'] === undefined ? 50 : parseWholeNumber(flags['limit'], 1, 100_000);
  if (limit === undefined)
    throw new UsageError(`--limit is ${JSON.stringify(flags['limit'])}; allowed: a whole number from 1 to 100000.`);
  const filter = filterOf(flags);
  return withState(context, given, async (state) => {
    const events = await newest(state, filter, limit);
    if (flags['json'] === true) printJson(context.stdout, { events });
    else if (events.length > 0)
      printLines(
        context.stdout,
        formatTable(['SEQ', 'TIME', 'ACTOR', 'ACTION', 'SUBJECT', 'DETAILS'], events.map(rowOf)),
      );
    else printLines(context.remarks, ['There is no such event in the audit log.']);
    return 0;
  });
}

async function newest(state: StateStore, filter: AuditFilter, limit: number): Promise<AuditEvent[]> {
  const events: AuditEvent[] = [];
  let before: number | undefined;
  do {
    const page = await readAuditLog(state, filter, { limit: limit - events.length, before });
    events.push(...page.events);
    before = page.before;
  } while (before !== undefined && events.length < limit);
  return events;
}

function rowOf({ seq, time, actor, action, subject, details }: AuditEvent): string[] {
  return [String(seq), time.replace(/\.\d+Z$/, 'Z'), actor, action, subject, JSON.stringify(details)].map(printable);
}

function filterOf(flags: CommandInput['flags']): AuditFilter {
  const text = (name: string): string | undefined => (typeof flags[name] === 'string' ? flags[name] : undefined);
  return {
    actor: text('actor'),
    action: text('action'),
    subject: text('subject'),
    sinceMs: instantFlag('since', text('since')),
    untilMs: instantFlag('until', text('until')),
  };
}
