// `libretto policy explain`: what each rule says of one version, for all tokens or for one.

import { parsePackageName } from '../../../build/contract/name.ts';
import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { printJson, printLines } from '../../io/output.ts';
import { UsageError } from '../../io/usage-error.ts';
import { notAPackageName } from '../../text/name-and-version.ts';
import { explanationLines } from '../../text/policy-trial-text.ts';
import { runPolicyCommand } from './policy-command.ts';

export function run(context: Context, given: CommandInput): Promise<number> {
  const [text = '', version = ''] = given.operands;
  const token = given.flags['token'];
  return runPolicyCommand(context, given, async ({ policy, json }) => {
    const name = parsePackageName(text.toLowerCase());
    if (name === undefined) throw new UsageError(notAPackageName(text));
    const explained = await policy.explain(name, version, typeof token === 'string' ? token : undefined, {
      kind: 'operator',
      actor: context.actor,
    });
    if (json) printJson(context.stdout, explained);
    else printLines(context.stdout, explanationLines(explained));
    return 0;
  });
}
