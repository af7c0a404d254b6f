// `libretto audit verify`: walks the whole chain. Exit code 1 names the first event that was changed.

import { verifyAudit, type AuditHead } from '../../../proxy/state/audit.ts';
import { describeBreak, formatHead, parseHead } from '../../../proxy/state/audit-text.ts';
import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { withState } from './existing-state.ts';
import { counted, printJson, printLines, printProblems } from '../../io/output.ts';
import { UsageError } from '../../io/usage-error.ts';

export function run(context: Context, given: CommandInput): Promise<number> {
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
}

function headFlag(given: unknown): AuditHead | undefined {
  if (given === undefined) return undefined;
  const head = parseHead(String(given));
  if (head !== undefined) return head;
  throw new UsageError(
    `--head is ${JSON.stringify(given)}; allowed: SEQ:HASH, as this command prints it and the server logs it.`,
  );
}
