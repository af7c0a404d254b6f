// Describes the rules and exceptions of a policy, and what differs between two policies. Pure.

import { decisiveKinds } from '../../build/review/capabilities.ts';
import type { PolicyDifference } from '../../proxy/policy/model/policy-difference.ts';
import type { PolicyException, Rule } from '../../proxy/policy/model/policy-document.ts';
import type { PolicyIssue } from '../../proxy/policy/model/parse-policy.ts';
import { counted, formatTable } from '../io/output.ts';

const fewest = 3;

/** The end of the sentence "The rule is against …". */
export function againstText(rule: Rule): string {
  switch (rule.rule) {
    case 'advisories':
      return `advisories${rule.severity === undefined ? '' : `, at least ${rule.severity}`}`;
    case 'filter':
      return `versions in ${listed(rule.lists)}`;
    case 'age':
      return `versions younger than ${ageText(rule)}`;
    case 'license':
      return `licences other than ${listed(rule.allow)}`;
    case 'abandoned':
      return 'abandoned packages';
    case 'plugin':
      return rule.allow.length === 0 ? 'Composer plugins' : `Composer plugins other than ${listed(rule.allow)}`;
    case 'capability':
      return `releases that gained ${listed(rule.kinds ?? decisiveKinds)}, ${rule.days === undefined ? 'until approved' : `for ${counted(rule.days, 'day')}`}`;
    case 'required':
      return lackText(rule);
    case 'source':
      return 'the source in the metadata';
    case 'composer':
      return `Composer other than ${rule.versions}`;
  }
}

/** Dev versions have no signed tag, and so nobody asks them for one. */
function lackText({ fields }: Extract<Rule, { readonly rule: 'required' }>): string {
  const ofAll = fields.filter((field) => field !== 'signed-tag');
  return [
    ...(ofAll.length === 0 ? [] : [`versions without ${ofAll.join(' or ')}`]),
    ...(ofAll.length === fields.length ? [] : ['releases without signed-tag']),
  ].join(', ');
}

function ageText({ days, seconds }: Extract<Rule, { readonly rule: 'age' }>): string {
  const given = seconds ?? (days ?? 0) * 86_400;
  return given % 86_400 === 0 ? counted(given / 86_400, 'day') : `${given} seconds`;
}

/** Whom a rule concerns. */
export function scopeText(rule: Rule): string {
  if (rule.rule === 'composer') return rule.tokens === undefined ? 'all tokens' : listed(rule.tokens);
  const origin = 'origin' in rule ? rule.origin : rule.rule === 'abandoned' ? undefined : originOf(rule);
  return [
    rule.packages === undefined ? 'all packages' : listed(rule.packages),
    ...(rule.except === undefined ? [] : [`except ${listed(rule.except)}`]),
    ...(origin === undefined ? [] : [origin]),
    ...(rule.rule === 'source' || rule.stability === undefined ? [] : [rule.stability]),
    ...(rule.tokens === undefined ? [] : [`for ${listed(rule.tokens)}`]),
  ].join(', ');
}

function originOf({ rule }: Rule): string | undefined {
  return rule === 'required' || rule === 'source' ? 'private' : undefined;
}

function listed(texts: readonly string[]): string {
  return texts.length <= fewest
    ? texts.join(', ')
    : `${texts.slice(0, fewest - 1).join(', ')} and ${texts.length - fewest + 1} more`;
}

/** A table of all rules; those of settings come first. */
export function ruleTable(ofSettings: readonly Rule[], rules: readonly Rule[]): readonly string[] {
  const rowOf = (rule: Rule, from: string): readonly string[] => [
    rule.name,
    rule.action,
    againstText(rule),
    scopeText(rule),
    from,
  ];
  return formatTable(
    ['RULE', 'ACTION', 'AGAINST', 'FOR', 'FROM'],
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
    return `  ${marks[one.change]} rule ${one.rule.name}: ${one.rule.action}, ${againstText(one.rule)}, ${scopeText(one.rule)}`;
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
