// `libretto policy hits`: the versions that rules have refused or noted in requests, each once.

import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { firstOf, formatTable, printJson, printLines } from '../../io/output.ts';
import { runPolicyCommand } from './policy-command.ts';

const mostShown = 200;

export function run(context: Context, given: CommandInput): Promise<number> {
  return runPolicyCommand(context, given, async ({ policy, json }) => {
    const hits = await policy.hits();
    if (json) printJson(context.stdout, { hits });
    else if (hits.length === 0) printLines(context.remarks, ['No request has met a rule of the policy yet.']);
    else
      printLines(
        context.stdout,
        firstOf(
          formatTable(
            ['FIRST REQUEST', 'RULE', 'ACTION', 'PACKAGE', 'VERSION', 'TOKEN', 'BECAUSE'],
            hits.map(({ at, rule, action, name, version, token, because }) => [
              at,
              rule,
              action,
              name ?? 'Composer',
              version,
              token ?? '-',
              because,
            ]),
          ),
          mostShown + 1,
        ),
      );
    return 0;
  });
}
