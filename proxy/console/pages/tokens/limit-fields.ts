// The limits of a token as fields of a form: a row a package with its versions, or a list with rows that limit versions.
// Pure.

import { noLimits, parseLimits, uselessConstraints, type TokenLimits } from '../../../core/views/token-limits.ts';
import { FormFields } from '../../request/form-fields.ts';
import type { FieldFault } from '../../../../build/contract/errors.ts';

/** One row: matching packages, and which of their versions are seen. Empty: all. */
export interface LimitRule {
  readonly pattern: string;
  readonly versions: string;
}

export const ruleFields = { pattern: 'rule_packages', versions: 'rule_versions' } as const;

/** The rows that were typed, without empty ones. A name may bring its versions: `acme/core:^2`, as lists print it. */
export function rulesOf(fields: FormFields): readonly LimitRule[] {
  const versions = fields.column(ruleFields.versions);
  return fields
    .column(ruleFields.pattern)
    .flatMap((pattern, at) => rowsIn(pattern, versions[at]))
    .filter(({ pattern, versions }) => pattern !== '' || versions !== '');
}

/** `acme/core:^2 acme/log`: two rows. */
function rowsIn(text: string, typed = ''): readonly LimitRule[] {
  return text.split(/\s+(?=[^\s/]+\/)/).map((one) => {
    const [pattern = '', ...constraint] = one.split(':');
    return { pattern: pattern.trim(), versions: `${constraint.join(':')} ${typed}`.trim() };
  });
}

export type FieldLimits = { readonly limits: TokenLimits } | { readonly issues: readonly FieldFault[] };

/**
 * The limits in their canonical form, or every fault in them. Each row is a package that the token sees. With a list of
 * packages, a row with versions only limits those.
 */
export function limitsOfFields(fields: FormFields): FieldLimits {
  const [rules, lines] = [rulesOf(fields), fields.lines('packages').flatMap((line) => rowsIn(line))];
  const seen = lines.length === 0 ? rules : [...lines, ...rules.filter(({ versions }) => versions === '')];
  const limiting = [...lines, ...rules].filter(({ versions }) => versions !== '');
  const parsed = parseLimits({
    packages:
      seen.length === 0 || seen.some(({ pattern }) => pattern === '*') ? null : seen.map(({ pattern }) => pattern),
    constraints:
      limiting.length === 0 ? null : Object.fromEntries(limiting.map(({ pattern, versions }) => [pattern, versions])),
    stability: fields.optional('stability') ?? null,
    not_after: fields.optional('not_after') ?? null,
    networks: listOf(fields, 'networks'),
  });
  const limits = 'limits' in parsed ? { ...noLimits, ...parsed.limits } : noLimits;
  const doubled = limiting.filter(({ pattern }, at) => limiting.findIndex((rule) => rule.pattern === pattern) < at);
  const issues = [
    ...('issues' in parsed ? inRows(parsed.issues, lines.length, seen) : uselessConstraints(limits)),
    ...doubled.map(({ pattern }) => ({
      path: pathOfRule(pattern),
      message: `Two rules are about ${pattern}. Write both constraints into one rule, separated by a space.`,
    })),
  ];
  return issues.length > 0 ? { issues } : { limits };
}

/** The fault of a pattern is at its row. With versions, its fault is among the constraints already. */
function inRows(issues: readonly FieldFault[], lines: number, seen: readonly LimitRule[]): readonly FieldFault[] {
  return issues.flatMap((issue) => {
    const at = Number(/^packages\.(\d+)$/.exec(issue.path)?.[1] ?? Number.NaN);
    const { pattern, versions } = seen[at] ?? { pattern: '', versions: '' };
    if (versions !== '') return [];
    return [at >= lines ? { ...issue, path: pathOfRule(pattern) } : issue];
  });
}

/** `packages` has the list, and each row limits the versions of some of them. */
export function fieldsOfLimits(limits: TokenLimits): readonly [string, string][] {
  const { packages, constraints, stability, not_after: notAfter, networks } = limits;
  return [
    ['packages', (packages ?? (constraints === null ? [] : ['*'])).join('\n')],
    ...Object.entries(constraints ?? {}).flatMap(([pattern, versions]) => rowFields(pattern, versions)),
    ['stability', stability ?? ''],
    ['not_after', notAfter === null ? '' : notAfter.replace(/T23:59:59\.999Z$/, '')],
    ['networks', (networks ?? []).join('\n')],
  ];
}

function rowFields(pattern: string, versions: string): readonly [string, string][] {
  return [
    [ruleFields.pattern, pattern],
    [ruleFields.versions, versions],
  ];
}

const mostRows = 10;

/** A short list becomes rows, unless a constraint is about more or less than one of its packages. */
export function asRows(values: URLSearchParams): URLSearchParams {
  const fields = new FormFields(values);
  const [names, rules] = [fields.lines('packages'), rulesOf(fields)];
  if (names.length > mostRows || !rules.every(({ pattern }) => names.includes(pattern))) return values;
  const moved = ['packages', ...Object.values(ruleFields)] as readonly string[];
  return new URLSearchParams([
    ...[...values].filter(([name]) => !moved.includes(name)),
    ...names.flatMap((name) => rowFields(name, rules.find(({ pattern }) => pattern === name)?.versions ?? '')),
  ]);
}

/** The path of a rule's fault. */
export function pathOfRule(pattern: string): string {
  return `constraints.${pattern.slice(0, 80)}`;
}

function listOf(fields: FormFields, name: string): readonly string[] | null {
  const lines = fields.lines(name);
  return lines.length === 0 ? null : lines;
}
