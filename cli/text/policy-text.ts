// Describes the rules and exceptions of a policy, and what differs between two policies. Pure.

import type { PolicyDifference } from '../../proxy/policy/model/policy-difference.ts';
import type { PolicyException, Rule } from '../../proxy/policy/model/policy-document.ts';
import type { PolicyIssue } from '../../proxy/policy/model/parse-policy.ts';
import { listed, scopeWords, soughtWords } from '../../proxy/policy/model/rule-words.ts';
import { formatTable } from '../io/output.ts';

/** A table of all rules; those of settings come first. */
export function ruleTable(ofSettings: readonly Rule[], rules: readonly Rule[]): readonly string[] {
  const rowOf = (rule: Rule, from: string): readonly string[] => [
    rule.name,
    rule.action,
    soughtWords(rule),
    scopeWords(rule),
    from,
  ];
  return formatTable(
    ['RULE', 'ACTION', 'LOOKS FOR', 'CONCERNS', 'FROM'],
    [...ofSettings.map((rule) => rowOf(rule, 'settings')), ...rules.map((rule) => rowOf(rule, 'policy'))],
  );
}

export function exceptionTable(exceptions: readonly PolicyException[], nowText: string): readonly string[] {
  return formatTable(
    ['EXCEPTION FROM', 'PACKAGES', 'VERSIONS', 'UNTIL', 'OWNER', 'REASON'],
    exceptions.map(({ rule, packages, versions, until, owner, reason }) => [
      rule,
      listed(packages),
      versions ?? '*',
      until.slice(0, nowText.length) < nowText.slice(0, until.length) ? `${until} (ended)` : until,
      owner,
      reason,
    ]),
  );
}

/** One line for each difference, with a mark in front. */
export function differenceLines(difference: readonly PolicyDifference[]): readonly string[] {
  return difference.map((one) => {
    if ('exception' in one) return `  ${marks[one.change]} exception ${exceptionText(one.exception)}`;
    if (one.change === 'changed') return `  ~ rule ${one.rule.name}: ${changedKeys(one.before, one.rule)}`;
    if (one.change === 'moved') return `  ~ rule ${one.rule.name}: it has another place`;
    return `  ${marks[one.change]} rule ${one.rule.name}: ${one.rule.action}, ${soughtWords(one.rule)}, ${scopeWords(one.rule)}`;
  });
}

const marks = { added: '+', removed: '-' } as const;

export function exceptionText({ rule, packages, versions, until, owner }: PolicyException): string {
  return `from ${rule} for ${listed(packages)}${versions === undefined ? '' : ` ${versions}`} until ${until} (${owner})`;
}

function changedKeys(before: Rule, after: Rule): string {
  const [old, now] = [before, after] as readonly Rule[] as readonly Readonly<Record<string, unknown>>[];
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keys]
    .filter((key) => JSON.stringify(old?.[key]) !== JSON.stringify(now?.[key]))
    .map((key) => `${key} ${valueText(old?.[key])} → ${valueText(now?.[key])}`)
    .join(', ');
}

function valueText(value: unknown): string {
  return value === undefined ? 'none' : typeof value === 'string' ? value : JSON.stringify(value);
}

/** `rules[2].severity must be …` */
export function issueLine({ path, message }: PolicyIssue): string {
  return path === '' ? `The policy ${message}` : `${path} ${message}`;
}

/** A remark is a sentence about what stands at its place. */
export function remarkLine({ path, message }: PolicyIssue): string {
  return path === '' ? message : `${path}: ${message}`;
}
