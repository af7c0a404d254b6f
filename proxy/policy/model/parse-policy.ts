// Parses a policy, and names every fault with its place. Pure.

import type { z } from 'zod';
import type { JsonValue } from '../../../build/contract/json.ts';
import type { PolicyDocument, Rule } from './policy-document.ts';
import { policySchema, ruleSchema } from './policy-schema.ts';

export interface PolicyIssue {
  /** `rules[2].severity` */
  readonly path: string;
  readonly message: string;
}

export type ParsedPolicy = { readonly policy: PolicyDocument } | { readonly issues: readonly PolicyIssue[] };

/** `given`: the JSON of policy.json. */
export function parsePolicy(given: JsonValue | undefined): ParsedPolicy {
  const parsed = policySchema.safeParse(given, { error: faultMessage });
  if (!parsed.success) return { issues: parsed.error.issues.flatMap(issuesOf) };
  const { rules, exceptions = [] } = parsed.data;
  const issues = [
    ...sameNames(rules),
    ...reservedNames(rules),
    ...faultyAges(rules),
    ...unknownRules(rules, exceptions),
    ...ruledExceptions(rules, exceptions),
  ];
  return issues.length > 0 ? { issues } : { policy: { rules, exceptions } };
}

/** The policy in a text; the fault of a text that is not JSON is an issue too. */
export function parsePolicyText(text: string): ParsedPolicy {
  try {
    return parsePolicy(JSON.parse(text) as JsonValue);
  } catch (error) {
    return {
      issues: [{ path: '', message: `is not JSON: ${error instanceof Error ? error.message : String(error)}` }],
    };
  }
}

type ZodIssue = z.core.$ZodIssue;

function issuesOf(issue: ZodIssue): readonly PolicyIssue[] {
  const path = pathOf(issue.path);
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({
      path: pathOf([...issue.path, key]),
      message: `is not a key of ${ownerOf(issue.path)}. Correct its spelling, or remove it`,
    }));
  if (issue.code === 'invalid_union' && 'discriminator' in issue)
    return [{ path: `${path === '' ? '' : path}`, message: `must be one of ${kinds}` }];
  return [{ path, message: issue.message }];
}

/** Whose key a key at this place would be. */
function ownerOf([list]: readonly PropertyKey[]): string {
  return list === undefined ? 'the policy' : list === 'exceptions' ? 'an exception' : 'this rule';
}

const kinds = ruleSchema.options.map(({ shape }) => shape.rule.value).join(', ');

function pathOf(path: readonly PropertyKey[]): string {
  return path
    .map((part, at) => (typeof part === 'number' ? `[${part}]` : `${at === 0 ? '' : '.'}${String(part)}`))
    .join('');
}

function sameNames(rules: readonly Rule[]): readonly PolicyIssue[] {
  const known = new Map<string, number>();
  return rules.flatMap(({ name }, at) => {
    const first = known.get(name);
    if (first === undefined) {
      known.set(name, at);
      return [];
    }
    return [{ path: `rules[${at}].name`, message: `is the name of rules[${first}] too. Give each rule its own name` }];
  });
}

function reservedNames(rules: readonly Rule[]): readonly PolicyIssue[] {
  return rules.flatMap(({ name }, at) =>
    isOfSettings(name)
      ? [
          {
            path: `rules[${at}].name`,
            message:
              'must not start with mirroring. because the rules of the settings have such names. Write - for the .',
          },
        ]
      : [],
  );
}

function faultyAges(rules: readonly Rule[]): readonly PolicyIssue[] {
  return rules.flatMap((rule, at) =>
    rule.rule === 'age' && (rule.days === undefined) === (rule.seconds === undefined)
      ? [{ path: `rules[${at}]`, message: 'must have either `days` or `seconds`' }]
      : [],
  );
}

function unknownRules(rules: readonly Rule[], exceptions: PolicyDocument['exceptions']): readonly PolicyIssue[] {
  const names = new Set(rules.map(({ name }) => name));
  return exceptions.flatMap(({ rule }, at) =>
    names.has(rule) || isOfSettings(rule)
      ? []
      : [{ path: `exceptions[${at}].rule`, message: `names no rule${ruleNames([...names])}` }],
  );
}

function ruleNames(names: readonly string[]): string {
  return names.length === 0 ? ': the policy has none' : `. The rules are: ${names.join(', ')}`;
}

/** These rules say themselves whom they do not concern. */
const insteadOfException: Readonly<Partial<Record<Rule['rule'], string>>> = {
  source: 'Name the packages in `except` of the rule',
  composer: 'Name the tokens that it concerns in `tokens` of the rule, or allow more in its `versions`',
};

function ruledExceptions(rules: readonly Rule[], exceptions: PolicyDocument['exceptions']): readonly PolicyIssue[] {
  const kinds = new Map(rules.map(({ name, rule }) => [name, rule]));
  return exceptions.flatMap(({ rule }, at) => {
    const kind = kinds.get(rule);
    const instead = kind === undefined ? undefined : insteadOfException[kind];
    return instead === undefined
      ? []
      : [
          {
            path: `exceptions[${at}].rule`,
            message: `names a rule of the kind ${kind}, which has no exceptions. ${instead}`,
          },
        ];
  });
}

/** The rules that the settings `mirroring.*` make. */
export function isOfSettings(name: string): boolean {
  return name.startsWith('mirroring.');
}

// Plain sentences about faults of a policy. Pure.

const units: Readonly<Record<string, string>> = { array: ' entries', string: ' characters' };

/** Completes a sentence that starts with the place of the fault. undefined: the schema has its own sentence. */
function faultMessage(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined
        ? `is missing: it must be ${named(issue.expected)}`
        : `must be ${named(issue.expected)}`;
    case 'too_small':
      return issue.origin === 'string' || issue.origin === 'array'
        ? Number(issue.minimum) === 1
          ? 'must not be empty'
          : `must have at least ${String(issue.minimum)}${units[issue.origin]}`
        : `must be at least ${String(issue.minimum)}`;
    case 'too_big':
      return issue.origin === 'string' || issue.origin === 'array'
        ? `must have at most ${String(issue.maximum)}${units[issue.origin]}`
        : `must be at most ${String(issue.maximum)}`;
    case 'invalid_value':
      return `must be ${issue.values.map((value) => JSON.stringify(value)).join(' or ')}`;
    default:
      return undefined;
  }
}

function named(expected: string): string {
  return expected === 'array'
    ? 'a list'
    : expected === 'object'
      ? 'an object'
      : expected === 'int'
        ? 'a whole number'
        : `a ${expected}`;
}
