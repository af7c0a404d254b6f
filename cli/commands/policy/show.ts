// `libretto policy show`: the rules in effect, and the exceptions from them.

import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { printJson, printLines, printProblems } from '../../io/output.ts';
import { PolicyFileError } from '../../policy/policy-file.ts';
import { exceptionTable, ruleTable } from '../../text/policy-text.ts';
import { runPolicyCommand } from './policy-command.ts';

/** Returns the fault of the policy file, and throws any other error. */
function faultOf(error: unknown): PolicyFileError {
  if (error instanceof PolicyFileError) return error;
  throw error;
}

export function run(context: Context, given: CommandInput): Promise<number> {
  return runPolicyCommand(context, given, async ({ policy, json }) => {
    const view = await policy.get().catch(faultOf);
    if (view instanceof PolicyFileError) {
      printProblems(context.stderr, [
        `What is in effect cannot be known here: ${view.message}`,
        'A running server keeps the last good policy: GET /api/policy shows it. Correct the file; ' +
          '`libretto policy check` names each fault with its place.',
      ]);
      return 1;
    }
    if (json) {
      printJson(context.stdout, view);
      return 0;
    }
    const { rules, rules_of_settings: ofSettings, exceptions, revision, file } = view;
    if (rules.length + ofSettings.length > 0) printLines(context.stdout, ruleTable(ofSettings, rules));
    if (exceptions.length > 0)
      printLines(context.stdout, ['', ...exceptionTable(exceptions, context.now().toISOString())]);
    printLines(context.remarks, [
      rules.length + ofSettings.length === 0
        ? 'There is no rule: every version is offered. `libretto policy set FILE` stores a policy.'
        : '',
      file === null ? `The policy is in the state, revision ${revision}.` : `The policy is in the file ${file}.`,
    ]);
    return 0;
  });
}
