// `libretto audit verify`: walks the whole chain. Exit code 1 names the first event that was changed.

import { verifyAudit, type AuditHead } from '../../../proxy/state/audit.ts';
import type { Given } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { withState } from './existing-state.ts';
import { counted, printJson, printLines, printProblems } from '../../io/output.ts';
import { UsageError } from '../../io/usage-error.ts';

export function run(context: Context, given: Given): Promise<number> {
  const expected = headFlag(given.flags['head']);
  return withState(context, given, async (state) => {
    const verdict = await verifyAudit(state, expected);
    if (given.flags['json'] === true) printJson(context.stdout, verdict);
    else if (verdict.sound)
      printLines(context.stdout, [
        `The audit log is sound: ${counted(verdict.head.seq, 'event')}. Its head, to be kept elsewhere:`,
        `${verdict.head.seq}:${verdict.head.hash}`,
      ]);
    else
      printProblems(context.stderr, [
        `The audit log is broken at event ${verdict.seq}: ${verdict.reason}. Earlier events are intact. ` +
          'Compare the log with a backup of the state to find the change.',
      ]);
    return verdict.sound ? 0 : 1;
  });
}

function headFlag(given: unknown): AuditHead | undefined {
  if (given === undefined) return undefined;
  const [, seq, hash] = /^(\d{1,12}):([0-9a-f]{64})$/.exec(String(given)) ?? [];
  if (seq !== undefined && hash !== undefined) return { seq: Number(seq), hash };
  throw new UsageError(
    `--head is ${JSON.stringify(given)}; allowed: SEQ:HASH, as this command prints it and the server logs it.`,
  );
}
