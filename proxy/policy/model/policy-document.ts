// The policy of a registry: rules about versions, and exceptions from them. These are the types of policy.json.

import type { z } from 'zod';
import type { Fixed } from '../../registry/operation.ts';
import type { exceptionSchema, ruleSchema } from './policy-schema.ts';

export type Rule = Fixed<z.output<typeof ruleSchema>>;
export type RuleKind = Rule['rule'];
export type RuleOf<Kind extends RuleKind> = Extract<Rule, { readonly rule: Kind }>;
/** The rules that decide about versions; the others decide about clients, and about a field of the metadata. */
export type VersionRule = Exclude<Rule, { readonly rule: 'composer' | 'source' }>;
export type Action = Rule['action'];
export type PolicyException = Fixed<z.output<typeof exceptionSchema>>;

export interface PolicyDocument {
  readonly rules: readonly Rule[];
  readonly exceptions: readonly PolicyException[];
}

export const noPolicy: PolicyDocument = { rules: [], exceptions: [] };

/** When an exception ends, epoch milliseconds: a day ends with its last moment in UTC. */
export function endOfException({ until }: Pick<PolicyException, 'until'>): number {
  return until.length === 'YYYY-MM-DD'.length ? Date.parse(until) + 86_400_000 : Date.parse(until);
}
