// Judges the versions of one package by the rules about it. Pure.

import type { PolicyException, VersionRule } from '../model/policy-document.ts';
import type { CompiledException, CompiledPolicy, CompiledRule } from './compile-policy.ts';
import type { VersionCondition } from './conditions.ts';
import type { PackageFacts, VersionFacts } from './facts.ts';

export interface RuleFinding {
  readonly rule: VersionRule;
  /** completes a sentence: `it is abandoned` */
  readonly because: string;
  /** the exception that holds now; undefined: none */
  readonly exception: PolicyException | undefined;
  /** true: the release waits until time or a person decides */
  readonly isHeld: boolean;
}

export interface PolicyJudgement {
  /** in the order of the rules */
  readonly findings: readonly RuleFinding[];
  /** when a finding may change by the clock, epoch milliseconds; undefined: never */
  readonly changesAtMs: number | undefined;
}

/** What every rule says of the versions of a package. */
export type PackageJudge = (version: VersionFacts, nowMs: number) => PolicyJudgement;

/** The rules about a package for one token; `token` undefined: the rules about all tokens. */
export function rulesAbout(
  { rules }: Pick<CompiledPolicy, 'rules'>,
  { name, origin }: Pick<PackageFacts, 'name' | 'origin'>,
  isOfToken: (tokens: readonly string[] | undefined) => boolean,
): readonly CompiledRule[] {
  return rules.filter(({ given, concerns }) => isOfToken(given.tokens) && concerns(name, origin));
}

export function judgePackage(rules: readonly CompiledRule[], facts: PackageFacts): PackageJudge {
  const conditions = rules.map(({ given, condition, exceptions }): RuleAbout => ({
    given,
    condition: condition(facts),
    // the one that ends last counts
    exceptions: exceptions.filter(({ isOf }) => isOf(facts.name)).toSorted((one, other) => other.untilMs - one.untilMs),
  }));
  return (version, nowMs) => {
    const findings: RuleFinding[] = [];
    let changesAtMs: number | undefined;
    for (const rule of conditions) {
      const found = findingOf(rule, version, nowMs);
      if (found === undefined) continue;
      findings.push(found.finding);
      changesAtMs = earlier(changesAtMs, found.changesAtMs);
    }
    return { findings, changesAtMs };
  };
}

/** A rule about one package. */
interface RuleAbout {
  readonly given: VersionRule;
  readonly condition: VersionCondition;
  /** those of the package */
  readonly exceptions: readonly CompiledException[];
}

function findingOf(
  { given, condition, exceptions }: RuleAbout,
  version: VersionFacts,
  nowMs: number,
): { readonly finding: RuleFinding; readonly changesAtMs: number | undefined } | undefined {
  if (given.stability !== undefined && (given.stability === 'dev') !== version.dev) return undefined;
  const hit = condition(version, nowMs);
  if (hit === undefined) return undefined;
  const exception = exceptions.find(({ untilMs, contains }) => nowMs < untilMs && contains(version.normalized));
  return {
    finding: { rule: given, because: hit.because, exception: exception?.given, isHeld: hit.isHeld === true },
    changesAtMs: earlier(hit.untilMs, exception?.untilMs),
  };
}

/** The finding that keeps a version out; undefined: it is offered. */
export function blockOf({ findings }: PolicyJudgement): RuleFinding | undefined {
  return findings.find(({ rule, exception }) => rule.action === 'block' && exception === undefined);
}

/** The finding that refuses an archive, also of a version in a lock file. `stored`: this registry has the archive. */
export function refusalOf({ findings }: PolicyJudgement, stored: boolean): RuleFinding | undefined {
  return findings.find(
    ({ rule, exception }) =>
      rule.action === 'block' && exception === undefined && !(stored && rule.archives === 'serve'),
  );
}

export function earlier(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.min(one, other);
}
