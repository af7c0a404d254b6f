// `libretto policy check`: faults of a policy, remarks on it, and what it would change. Exit code 1 for a faulty
// policy.

import type { JsonValue } from '../../../build/contract/json.ts';
import type { PolicyCheck } from '../../../proxy/policy/admin/change-policy.ts';
import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { counted, printChanges, printJson, printLines, printNotes, printProblems } from '../../io/output.ts';
import { differenceLines, issueLine, remarkLine } from '../../text/policy-text.ts';
import { readPolicyInput, runPolicyCommand, type PolicyCommand } from './policy-command.ts';

export function run(context: Context, given: CommandInput): Promise<number> {
  const [file] = given.operands;
  return runPolicyCommand(context, given, async (command) => {
    const read = await inputOf(command, file);
    const found: PolicyCheck =
      'fault' in read
        ? { issues: [{ path: '', message: read.fault }], remarks: [], difference: [] }
        : await command.policy.check(read.json);
    if (command.json) printJson(context.stdout, found);
    else print(context, found, file === undefined);
    return found.issues.length === 0 ? 0 : 1;
  });
}

/** The given file, or the policy of this registry. */
async function inputOf(
  { context, config, policy }: PolicyCommand,
  file: string | undefined,
): Promise<{ readonly json: JsonValue } | { readonly fault: string }> {
  if (file !== undefined) return readPolicyInput(file, context);
  if (config.policy.value !== undefined) return readPolicyInput(config.policy.value, context);
  const { rules, exceptions } = await policy.get();
  return { json: JSON.parse(JSON.stringify({ rules, exceptions })) as JsonValue };
}

function print(context: Context, { issues, remarks, difference }: PolicyCheck, isOwn: boolean): void {
  if (issues.length > 0) {
    printProblems(context.stdout, [`The policy has ${counted(issues.length, 'fault')}:`]);
    printLines(
      context.stdout,
      issues.map((issue) => `  ${issueLine(issue)}.`),
    );
    return;
  }
  printNotes(
    context.stdout,
    remarks.map((remark) => `${remarkLine(remark)}.`),
  );
  if (difference.length === 0)
    printLines(context.stdout, [
      isOwn ? 'The policy can be used.' : 'The policy can be used. It is the one in effect.',
    ]);
  else
    printChanges(context.stdout, [
      `The policy can be used. It has ${counted(difference.length, 'difference')} from the one in effect:`,
      ...differenceLines(difference),
    ]);
}
