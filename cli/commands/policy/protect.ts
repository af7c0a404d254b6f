// `libretto policy protect`: adds the rule that holds releases which can newly do something.

import type { JsonValue } from '../../../build/contract/json.ts';
import type { Rule } from '../../../proxy/policy/model/policy-document.ts';
import { isHolding } from '../../../proxy/policy/model/weakened-hold.ts';
import { parseWholeNumber } from '../../config/setting-values.ts';
import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { printChanges, printJson, printLines } from '../../io/output.ts';
import { UsageError } from '../../io/usage-error.ts';
import { differenceLines } from '../../text/policy-text.ts';
import { refusePolicyFile, runPolicyCommand } from './policy-command.ts';

const standardDays = 7;
const standardName = 'capability';

export function run(context: Context, given: CommandInput): Promise<number> {
  const dryRun = given.flags['dryRun'] === true;
  const rule = ruleOf(given.flags, context.now());
  return runPolicyCommand(
    context,
    given,
    async ({ config, policy, json }) => {
      refusePolicyFile(config, `Add this rule there: ${JSON.stringify(rule)}`);
      const { rules, exceptions, revision } = await policy.get();
      const known = rules.find((one) => protectsAll(one));
      const name = freeName(rules.map((one) => one.name));
      const proposed = { rules: [...rules, { ...rule, name }], exceptions } as unknown as JsonValue;
      const difference = known === undefined ? (await policy.check(proposed)).difference : [];
      const now = (known ?? dryRun) ? revision : (await policy.replace(proposed, revision, context.actor)).revision;
      if (json) printJson(context.stdout, { dry_run: dryRun, revision: now, difference });
      else if (known !== undefined)
        printLines(context.summary, [`The rule ${known.name} protects already. Nothing was changed.`]);
      else
        printChanges(dryRun ? context.stdout : context.summary, [
          dryRun ? 'This change would be made:' : 'The policy has this change:',
          ...differenceLines(difference),
          'Published releases that are here now are accepted. Of a mirrored package, all releases in the first document ' +
            'that the registry reads from now on are accepted. `libretto policy held` lists what is held.',
        ]);
      return 0;
    },
    dryRun ? { area: 'all' } : { makes: true, area: 'all' },
  );
}

/** A rule that only warns, or is about some packages, does not protect the others. */
function protectsAll(rule: Rule): boolean {
  const fields = Object.keys(rule).filter(
    (field) => !['name', 'rule', 'action', 'days', 'since', 'message'].includes(field),
  );
  return isHolding(rule) && fields.length === 0;
}

function freeName(taken: readonly string[]): string {
  let name: string = standardName;
  for (let number = 2; taken.includes(name); number += 1) name = `${standardName}-${number}`;
  return name;
}

function ruleOf({ days, untilApproved }: CommandInput['flags'], now: Date) {
  if (days !== undefined && untilApproved === true)
    throw new UsageError('--days and --until-approved exclude each other. Choose one of them.');
  const held = parseWholeNumber(days ?? standardDays, 1, 365);
  if (held === undefined)
    throw new UsageError(`--days is ${JSON.stringify(days)}; allowed: a whole number from 1 to 365.`);
  return {
    name: standardName,
    rule: 'capability',
    action: 'block',
    ...(untilApproved === true ? {} : { days: held }),
    since: `${now.toISOString().slice(0, 19)}Z`, // the time of a publication has no milliseconds
  };
}
