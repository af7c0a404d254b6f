// Compiles a policy, so that a request finds the rules about a package with a few look-ups. Pure.

import { createHash } from 'node:crypto';
import { parseConstraint } from '../../../build/contract/constraint.ts';
import type { NormalizedVersion } from '../../../build/contract/version.ts';
import { groupBy } from '../../../build/shared/collections/group-by.ts';
import { matchAnyName } from '../../../build/shared/patterns/package-pattern.ts';
import { compileConstraint } from '../../core/views/fast-matches.ts';
import {
  endOfException,
  type PolicyDocument,
  type PolicyException,
  type Rule,
  type RuleOf,
  type VersionRule,
} from '../model/policy-document.ts';
import { conditionOf, type PackageCondition } from './conditions.ts';
import type { PackageOrigin } from './facts.ts';
import type { ReviewDecision } from '../records/review-decisions.ts';

export interface CompiledException {
  readonly given: PolicyException;
  readonly isOf: (name: string) => boolean;
  readonly contains: (normalized: string) => boolean;
  /** epoch milliseconds */
  readonly untilMs: number;
}

export interface CompiledRule {
  readonly given: VersionRule;
  readonly concerns: (name: string, origin: PackageOrigin) => boolean;
  readonly condition: PackageCondition;
  readonly exceptions: readonly CompiledException[];
}

export interface SourceRule {
  readonly given: RuleOf<'source'>;
  readonly concerns: (name: string, origin: PackageOrigin) => boolean;
}

export interface ComposerRule {
  readonly given: RuleOf<'composer'>;
  readonly allows: (version: NormalizedVersion) => boolean;
}

export interface CompiledPolicy {
  /** equal for equal policies */
  readonly key: string;
  readonly document: PolicyDocument;
  readonly rules: readonly CompiledRule[];
  readonly sources: readonly SourceRule[];
  readonly composer: readonly ComposerRule[];
  /** about held releases, in the order of time */
  readonly decisions: readonly ReviewDecision[];
}

/** `document`: as the parser returns it. */
export function compilePolicy(document: PolicyDocument, decisions: readonly ReviewDecision[] = []): CompiledPolicy {
  const exceptions = document.exceptions.map(compileException);
  const byPackage = groupBy(decisions, (one) => one.package);
  const decisionsOf = (name: string): readonly ReviewDecision[] => byPackage.get(name) ?? [];
  const said = JSON.stringify(decisions.length === 0 ? document : [document, decisions]);
  return {
    key: createHash('sha256').update(said).digest('base64url').slice(0, 22),
    document,
    rules: document.rules.filter(isVersionRule).map((given) => ({
      given,
      concerns: concernOf(given, given.rule === 'required' ? 'private' : given.origin),
      condition: conditionOf(given, decisionsOf),
      exceptions: exceptions.filter((one) => one.given.rule === given.name),
    })),
    sources: document.rules
      .filter((rule) => rule.rule === 'source')
      .map((given) => ({ given, concerns: concernOf(given, 'private') })),
    composer: document.rules
      .filter((rule) => rule.rule === 'composer')
      .map((given) => ({ given, allows: rangeOf(given.versions) })),
    decisions,
  };
}

function isVersionRule(rule: Rule): rule is VersionRule {
  return rule.rule !== 'composer' && rule.rule !== 'source';
}

function concernOf(
  { packages, except }: Pick<VersionRule, 'packages' | 'except'>,
  origin: PackageOrigin | undefined,
): (name: string, origin: PackageOrigin) => boolean {
  const isOf = packages === undefined ? () => true : matchAnyName(packages);
  const isExcept = except === undefined ? () => false : matchAnyName(except);
  return (name, own) => (origin === undefined || origin === own) && isOf(name) && !isExcept(name);
}

function compileException(given: PolicyException): CompiledException {
  const contains = given.versions === undefined ? () => true : rangeOf(given.versions);
  return {
    given,
    isOf: matchAnyName(given.packages),
    contains: (normalized) => contains(normalized as NormalizedVersion),
    untilMs: endOfException(given),
  };
}

function rangeOf(text: string): (version: NormalizedVersion) => boolean {
  const parsed = parseConstraint(text);
  if ('refusal' in parsed) throw new Error(`a constraint of the policy cannot be used: ${parsed.refusal}`);
  return compileConstraint(parsed.constraint);
}
