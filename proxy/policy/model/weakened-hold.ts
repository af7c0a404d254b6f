// Whether a changed policy may hold less: with four eyes nobody decides that alone. Pure. It compares the rules, not
// what they hold now: withdrawn and superseded archives are held too, and stand in no list.

import { decisiveKinds } from '../../../build/review/capabilities.ts';
import type { PolicyDocument, Rule, RuleOf } from './policy-document.ts';

type HoldingRule = RuleOf<'capability'> & { readonly action: 'block' };

/** True for a rule that holds releases until time or a person decides. */
export function isHolding(rule: Rule): rule is HoldingRule {
  return rule.rule === 'capability' && rule.action === 'block';
}

/** The name of the first rule that holds releases in `before`, and may hold fewer in `after`; undefined: none. */
export function weakenedHold(before: PolicyDocument, after: PolicyDocument): string | undefined {
  const exceptions = new Set(before.exceptions.map((one) => JSON.stringify(one)));
  return before.rules
    .filter(isHolding)
    .find(
      (rule) =>
        !after.rules.some((one) => isHolding(one) && one.name === rule.name && holdsAsMuch(one, rule)) ||
        after.exceptions.some((one) => one.rule === rule.name && !exceptions.has(JSON.stringify(one))),
    )?.name;
}

/** Every field of `now` is as wide as in `old`. */
function holdsAsMuch(now: HoldingRule, old: HoldingRule): boolean {
  const { kinds = decisiveKinds } = now;
  return (
    (now.packages === undefined || old.packages?.every((one) => now.packages?.includes(one)) === true) &&
    (now.except ?? []).every((one) => old.except?.includes(one)) &&
    (now.origin === undefined || now.origin === old.origin) &&
    (now.stability === undefined || now.stability === old.stability) &&
    (old.kinds ?? decisiveKinds).every((one) => kinds.includes(one)) &&
    (now.days === undefined || (old.days !== undefined && old.days <= now.days)) &&
    (now.since === undefined || (old.since !== undefined && Date.parse(now.since) <= Date.parse(old.since))) &&
    (now.archives !== 'serve' || old.archives === 'serve')
  );
}
