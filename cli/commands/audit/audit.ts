// `libretto audit`: the commands about the audit log.

import { listAuditEvents, type AuditEventDocument, type AuditServices } from '../../../proxy/audit/operations.ts';
import { verifyAudit, type AuditHead } from '../../../proxy/state/audit.ts';
import { describeBreak, formatHead, parseHead } from '../../../proxy/state/audit-text.ts';
import { parseWholeNumber } from '../../config/setting-values.ts';
import type { CommandInput } from '../../io/command.ts';
import { instantFlag } from '../../io/instant-flag.ts';
import { counted, formatTable, printable, printJson, printLines, printProblems } from '../../io/output.ts';
import { UsageError } from '../../io/usage-error.ts';
import type { CommandModule } from '../command-parts.ts';
import { withState } from './existing-state.ts';
import { operationCommand, type Noun } from '../operation-command.ts';

const noun: Noun<AuditServices> = { name: 'audit', compose: ({ state }) => ({ services: { state } }) };

/** The newest events, or those that fit. */
export const list = operationCommand(noun, async ({ flags, all, json, context, print }) => {
  const limit = parseWholeNumber(flags['limit'], 1, 100_000);
  if (limit === undefined)
    throw new UsageError(`--limit is ${JSON.stringify(flags['limit'])}; allowed: a whole number from 1 to 100000.`);
  const events = await all(listAuditEvents, filterOf(flags), limit);
  if (events.length === 0 && !json) printLines(context.remarks, ['There is no such event in the audit log.']);
  else
    print({ events }, () => formatTable(['SEQ', 'TIME', 'ACTOR', 'ACTION', 'SUBJECT', 'DETAILS'], events.map(rowOf)));
});

function filterOf(flags: CommandInput['flags']) {
  const text = (name: string): string | undefined => (typeof flags[name] === 'string' ? flags[name] : undefined);
  const instant = (name: string): string | undefined => {
    const ms = instantFlag(name, text(name));
    return ms === undefined ? undefined : new Date(ms).toISOString();
  };
  return {
    actor: text('actor'),
    action: text('action'),
    subject: text('subject'),
    since: instant('since'),
    until: instant('until'),
  };
}

function rowOf({ seq, time, actor, action, subject, details }: AuditEventDocument): string[] {
  return [String(seq), time.replace(/\.\d+Z$/, 'Z'), actor, action, subject, JSON.stringify(details)].map(printable);
}

/** Walks the whole chain in the stored log. Exit code 1 names the first event that was changed. */
export const verify: CommandModule = {
  run: (context, given) => {
    const expected = headFlag(given.flags['head']);
    return withState(context, given, async (state) => {
      const verdict = await verifyAudit(state, expected);
      if (given.flags['json'] === true) printJson(context.stdout, verdict);
      else if (verdict.sound)
        printLines(context.stdout, [
          `The audit log is sound: ${counted(verdict.head.seq, 'event')}. Its head, to be kept elsewhere:`,
          formatHead(verdict.head),
        ]);
      else printProblems(context.stderr, [describeBreak(verdict)]);
      return verdict.sound ? 0 : 1;
    });
  },
};

function headFlag(given: unknown): AuditHead | undefined {
  if (given === undefined) return undefined;
  const head = parseHead(String(given));
  if (head !== undefined) return head;
  throw new UsageError(
    `--head is ${JSON.stringify(given)}; allowed: SEQ:HASH, as this command prints it and the server logs it.`,
  );
}
