// Tries a policy on everything that is published or mirrored here: which versions, and which tokens, its rules concern.
// Packages are judged one after the other, so that requests get their turn in between.

import { createTurns } from '../../../build/shared/concurrency/yielding.ts';
import { compareText } from '../../../build/shared/text/compare-text.ts';
import type { CurrentPolicy } from '../apply/current-policy.ts';
import { judgePackage, rulesAbout, type RuleFinding, type PackageJudge } from '../judge/judge.ts';
import type { CandidatePackage, CandidateVersion, PackageSource } from './package-source.ts';
import type { PolicyTest, TestedVersion } from './policy-views.ts';
import type { RecentUse } from './recent-use.ts';
import type { TokenVisibility } from './token-visibility.ts';
import type { Rule } from '../model/policy-document.ts';

const mostListed = 1000;

interface Counted {
  versions: number;
  used: number;
  /** equal sets of tokens are one array (TokenVisibility) */
  readonly tokens: Map<readonly string[], readonly string[]>;
}

/**
 * Collects what a trial of a policy finds: counts for each rule, and the versions that people use most. Its memory does
 * not grow with the number of versions.
 */
class TestedVersions {
  examined = 0;
  readonly #rules: readonly Rule[];
  readonly #counts: ReadonlyMap<string, Counted>;
  #listed: TestedVersion[] = [];

  constructor(rules: readonly Rule[]) {
    this.#rules = rules;
    this.#counts = new Map(rules.map(({ name }) => [name, { versions: 0, used: 0, tokens: new Map() }]));
  }

  /** `seenBy`: the tokens that see the version. */
  add(
    { name, tokens: named }: Pick<Rule, 'name' | 'tokens'>,
    version: Omit<TestedVersion, 'tokens'>,
    seenBy: readonly string[],
  ): void {
    const counted = this.#counts.get(name);
    if (counted === undefined) return;
    const tokens =
      counted.tokens.get(seenBy) ?? (named === undefined ? seenBy : seenBy.filter((id) => named.includes(id)));
    counted.tokens.set(seenBy, tokens);
    counted.versions += 1;
    if (version.used > 0) counted.used += 1;
    this.#listed.push({ ...version, tokens });
    if (this.#listed.length >= 4 * mostListed) this.#listed = this.#most();
  }

  result(): PolicyTest {
    return {
      versions: this.#most(),
      counts: this.#rules.map(({ name, action }) => {
        const { versions = 0, used = 0, tokens = new Map<never, readonly string[]>() } = this.#counts.get(name) ?? {};
        return { rule: name, action, versions, used, tokens: new Set([...tokens.values()].flat()).size };
      }),
      examined: this.examined,
    };
  }

  /** Used versions first, then by name; equal ones stay in the order in which they came. */
  #most(): TestedVersion[] {
    return this.#listed
      .toSorted((one, other) => other.used - one.used || compareText(one.name, other.name))
      .slice(0, mostListed);
  }
}

export interface Trial {
  readonly proposed: CurrentPolicy;
  readonly inEffect: CurrentPolicy;
  readonly packages: readonly PackageSource[];
  readonly uses: RecentUse;
  readonly sight: TokenVisibility;
  readonly nowMs: number;
}

const packagesAtOnce = 16;

export async function testPolicy(trial: Trial): Promise<PolicyTest> {
  const { proposed, packages, uses } = trial;
  // a package whose versions were all withdrawn is in no list, and lock files still install it
  const used = await uses.names();
  const found = new TestedVersions(proposed.compiled.document.rules);
  const turn = createTurns();
  for (const source of packages) {
    const names = [...new Set([...(await source.names()), ...used])];
    for (let from = 0; from < names.length; from += packagesAtOnce) {
      const concerned = names
        .slice(from, from + packagesAtOnce)
        .filter((name) => rulesOf(proposed, { name, origin: source.origin }).length > 0);
      const read = await Promise.all(concerned.map((name) => source.read(name)));
      await turn();
      for (const known of read) {
        if (known === undefined) continue;
        await tryOn(known, trial, found);
        await turn();
      }
    }
  }
  return found.result();
}

/** The rules about a package for any token. */
function rulesOf(
  { compiled }: CurrentPolicy,
  about: Pick<CandidatePackage, 'name' | 'origin'>,
): ReturnType<typeof rulesAbout> {
  return rulesAbout(compiled, about, () => true);
}

function judgeOf(policy: CurrentPolicy, { name, origin, beside, gains }: CandidatePackage): PackageJudge {
  return judgePackage(rulesOf(policy, { name, origin }), policy.factsOf(name, origin, beside, gains));
}

async function tryOn(known: CandidatePackage, trial: Trial, found: TestedVersions): Promise<void> {
  const { proposed, inEffect, uses, sight, nowMs } = trial;
  const [judge, former] = [judgeOf(proposed, known), judgeOf(inEffect, known)];
  const hit = known.versions
    .map((version) => ({ version, findings: holding(judge(version.facts, nowMs).findings) }))
    .filter(({ findings }) => findings.length > 0);
  found.examined += known.versions.filter(({ isOffered }) => isOffered).length;
  if (hit.length === 0) return;
  const [used, seenBy] = [await uses.of(known.name), sight.about(known.name)];
  for (const { version, findings } of hit) {
    const count = useOf(version, used);
    // nobody has asked for it: it is gone already
    if (!version.isOffered && count === 0) continue;
    if (!version.isOffered) found.examined += 1;
    const before = holding(former(version.facts, nowMs).findings);
    for (const finding of findings)
      found.add(finding.rule, testedVersion(known, version, finding, before, count), seenBy(version.release));
  }
}

function testedVersion(
  { name, origin }: CandidatePackage,
  { facts: { version } }: CandidateVersion,
  { rule, because }: RuleFinding,
  before: readonly RuleFinding[],
  used: number,
): Omit<TestedVersion, 'tokens'> {
  const already = before.some((one) => one.rule.name === rule.name && one.rule.action === rule.action);
  return { name, version, origin, rule: rule.name, action: rule.action, because, already, used };
}

function holding(findings: readonly RuleFinding[]): readonly RuleFinding[] {
  return findings.filter(({ exception }) => exception === undefined);
}

function useOf({ facts: { version, normalized } }: CandidateVersion, used: ReadonlyMap<string, number>): number {
  return used.get(version) ?? used.get(normalized) ?? 0;
}
