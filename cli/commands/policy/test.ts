// `libretto policy test`: tries a policy on everything that is published or mirrored here. Nothing changes.

import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { printJson, printLines } from '../../io/output.ts';
import { trialLines } from '../../text/policy-trial-text.ts';
import { policyInput, runPolicyCommand } from './policy-command.ts';

export function run(context: Context, given: CommandInput): Promise<number> {
  return runPolicyCommand(context, given, async ({ policy, json }) => {
    const found = await policy.test(policyInput(given.operands[0] ?? '', context));
    if (json) printJson(context.stdout, found);
    else printLines(context.stdout, trialLines(found));
    return 0;
  });
}
