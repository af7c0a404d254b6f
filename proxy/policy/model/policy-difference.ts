// The difference between two policies: rules and exceptions that were added, removed or changed. Pure.

import type { PolicyDocument, PolicyException, Rule } from './policy-document.ts';

export type PolicyDifference =
  | { readonly change: 'added' | 'removed'; readonly rule: Rule }
  | { readonly change: 'changed'; readonly rule: Rule; readonly before: Rule }
  | { readonly change: 'moved'; readonly rule: Rule }
  | { readonly change: 'added' | 'removed'; readonly exception: PolicyException };

export function differenceOf(before: PolicyDocument, after: PolicyDocument): readonly PolicyDifference[] {
  const [known, wanted] = [byName(before.rules), byName(after.rules)];
  const rules = after.rules.flatMap((rule): readonly PolicyDifference[] => {
    const former = known.get(rule.name);
    if (former === undefined) return [{ change: 'added', rule }];
    return textOf(former) === textOf(rule) ? [] : [{ change: 'changed', rule, before: former }];
  });
  const removed = before.rules
    .filter(({ name }) => !wanted.has(name))
    .map((rule): PolicyDifference => ({ change: 'removed', rule }));
  return [
    ...rules,
    ...removed,
    ...movedRules(before.rules, after.rules),
    ...exceptionsOf(after.exceptions, before.exceptions, 'added'),
    ...exceptionsOf(before.exceptions, after.exceptions, 'removed'),
  ];
}

/** The order decides which rule a message names first. */
function movedRules(before: readonly Rule[], after: readonly Rule[]): readonly PolicyDifference[] {
  const [known, wanted] = [byName(before), byName(after)];
  const kept = after.filter(({ name }) => known.has(name));
  const former = before.filter(({ name }) => wanted.has(name));
  return kept.flatMap((rule, at) => (former[at]?.name === rule.name ? [] : [{ change: 'moved' as const, rule }]));
}

function exceptionsOf(
  all: readonly PolicyException[],
  others: readonly PolicyException[],
  change: 'added' | 'removed',
): readonly PolicyDifference[] {
  const known = new Set(others.map(textOf));
  return all.filter((one) => !known.has(textOf(one))).map((exception) => ({ change, exception }));
}

function byName(rules: readonly Rule[]): ReadonlyMap<string, Rule> {
  return new Map(rules.map((rule) => [rule.name, rule]));
}

/** Equal for equal values, in any order of their keys. */
function textOf(value: Rule | PolicyException): string {
  return JSON.stringify(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}
