// `libretto policy set`: stores a policy, and prints what it changes.

import type { PolicyCheck } from '../../../proxy/policy/admin/change-policy.ts';
import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { counted, printChanges, printJson, printLines, printNotes } from '../../io/output.ts';
import { differenceLines, remarkLine } from '../../text/policy-text.ts';
import { policyInput, runPolicyCommand } from './policy-command.ts';

export function run(context: Context, { flags, operands }: CommandInput): Promise<number> {
  const wanted = flags['ifRevision'];
  return runPolicyCommand(
    context,
    { flags, operands },
    async ({ policy, json }) => {
      const given = policyInput(operands[0] ?? '', context);
      const before = typeof wanted === 'string' ? wanted : (await policy.get()).revision;
      const checked = await policy.check(given);
      const { revision } = await policy.replace(given, before, context.actor);
      if (json) printJson(context.stdout, { revision, difference: checked.difference, remarks: checked.remarks });
      else print(context, checked, revision);
      return 0;
    },
    { makes: true, area: 'all' },
  );
}

function print({ summary, stderr }: Context, { difference, remarks }: PolicyCheck, revision: string): void {
  printNotes(
    stderr,
    remarks.map((remark) => `${remarkLine(remark)}.`),
  );
  if (difference.length === 0) printLines(summary, [`The registry already has this policy, revision ${revision}.`]);
  else
    printChanges(summary, [
      `The policy is stored as revision ${revision}, with ${counted(difference.length, 'change')}:`,
      ...differenceLines(difference),
    ]);
}
