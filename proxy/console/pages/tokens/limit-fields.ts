// The limits of a token as fields of a form: one pattern a line, and rows of rules about versions. Pure.

import {
  limitNames,
  noLimits,
  parseLimits,
  uselessConstraints,
  type TokenLimits,
} from '../../../core/views/token-limits.ts';
import type { FormFields, Issue } from '../../request/form-fields.ts';

/** One row: which versions of matching packages are seen. */
export interface LimitRule {
  readonly pattern: string;
  readonly versions: string;
}

export const ruleFields = { pattern: 'rule_packages', versions: 'rule_versions' } as const;

/** The rules that were typed, without empty rows. */
export function rulesOf(fields: FormFields): readonly LimitRule[] {
  const versions = fields.column(ruleFields.versions);
  return fields
    .column(ruleFields.pattern)
    .map((pattern, at) => ({ pattern, versions: versions[at] ?? '' }))
    .filter(({ pattern, versions }) => pattern !== '' || versions !== '');
}

export type FieldLimits = { readonly limits: TokenLimits } | { readonly issues: readonly Issue[] };

/** The limits in their canonical form, or every fault in them. */
export function limitsOfFields(fields: FormFields): FieldLimits {
  const rules = rulesOf(fields);
  const doubled = rules.filter(({ pattern }, at) => rules.findIndex((rule) => rule.pattern === pattern) < at);
  const parsed = parseLimits({
    packages: listOf(fields, 'packages'),
    constraints:
      rules.length === 0 ? null : Object.fromEntries(rules.map(({ pattern, versions }) => [pattern, versions])),
    stability: fields.optional('stability') ?? null,
    not_after: fields.optional('not_after') ?? null,
    networks: listOf(fields, 'networks'),
  });
  const limits = 'limits' in parsed ? { ...noLimits, ...parsed.limits } : noLimits;
  const issues = [
    ...('issues' in parsed ? parsed.issues : uselessConstraints(limits)),
    ...doubled.map(({ pattern }) => ({
      path: pathOfRule(pattern),
      message: `Two rules are about ${pattern}. Write both constraints into one rule, separated by a space.`,
    })),
  ];
  return issues.length > 0 ? { issues } : { limits };
}

export function fieldsOfLimits(limits: TokenLimits): readonly [string, string][] {
  const { packages, constraints, stability, not_after: notAfter, networks } = limits;
  return [
    ['packages', (packages ?? []).join('\n')],
    ...Object.entries(constraints ?? {}).flatMap(([pattern, versions]): [string, string][] => [
      [ruleFields.pattern, pattern],
      [ruleFields.versions, versions],
    ]),
    ['stability', stability ?? ''],
    ['not_after', notAfter === null ? '' : notAfter.replace(/T23:59:59\.999Z$/, '')],
    ['networks', (networks ?? []).join('\n')],
  ];
}

/** The path of a rule's fault. */
export function pathOfRule(pattern: string): string {
  return `constraints.${pattern.slice(0, 80)}`;
}

/** True if the token is limited in any way. */
export function isLimited(limits: TokenLimits): boolean {
  return limitNames.some((name) => limits[name] !== null);
}

function listOf(fields: FormFields, name: string): readonly string[] | null {
  const lines = fields.lines(name);
  return lines.length === 0 ? null : lines;
}
