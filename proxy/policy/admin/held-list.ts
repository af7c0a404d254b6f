// The releases that the policy holds now, own and mirrored ones, of all packages. It reads what is stored here. A package
// whose files, rules and decisions are unchanged is not read again, so a look at thousands of packages costs little.

import type { PackageName } from '../../../build/contract/name.ts';
import { createTurns } from '../../../build/shared/concurrency/yielding.ts';
import { UnusableFile } from '../../../build/shared/files/unusable-file.ts';
import type { ReleaseFacts } from '../../core/views/view.ts';
import type { ApplicableRules } from '../apply/rule-finder.ts';
import type { CurrentPolicy } from '../apply/current-policy.ts';
import type { PackageOrigin } from '../judge/facts.ts';
import { blockOf, earlier, judgePackage } from '../judge/judge.ts';
import type { CandidatePackage, PackageSource } from './package-source.ts';
import type { StandingParts } from './package-standing.ts';

export interface HeldRelease {
  readonly name: PackageName;
  readonly origin: PackageOrigin;
  readonly version: string;
  readonly normalized: string;
  /** of its archive; empty: unknown */
  readonly reference: string;
  /** what views decide by */
  readonly release: ReleaseFacts;
  /** the name of the rule */
  readonly rule: string;
  /** completes a sentence */
  readonly because: string;
}

export interface HeldList {
  readonly releases: readonly HeldRelease[];
  /** the packages that were looked at: a damaged one is not among them */
  readonly examined: ReadonlySet<PackageName>;
}

interface Examined {
  readonly stamp: string | undefined;
  readonly policy: CurrentPolicy;
  readonly untilMs: number;
  readonly held: readonly HeldRelease[];
}

/** Every call looks again. Others get their turn in between. */
export function createHeldList({ reader, packages }: Pick<StandingParts, 'reader' | 'packages'>) {
  const known = new Map<string, Examined>();
  const examine = async (
    source: PackageSource,
    name: PackageName,
    policy: CurrentPolicy,
    nowMs: number,
  ): Promise<readonly HeldRelease[]> => {
    const key = `${source.origin} ${name}`;
    // before the files, so that a later change makes the result outdated
    const stamp = await source.stamp(name);
    const last = known.get(key);
    if (last?.policy === policy && last.stamp === stamp && nowMs < last.untilMs) return last.held;
    const found = await source.read(name);
    const { rules } = policy.rules.about(name, source.origin, undefined);
    const { held, untilMs } = found === undefined ? nothing : heldIn(found, rules, policy, nowMs);
    known.set(key, { stamp, policy, untilMs, held });
    return held;
  };
  return async (nowMs: number): Promise<HeldList> => {
    const policy = await reader.current(nowMs);
    const releases: HeldRelease[] = [];
    const examined = new Set<PackageName>();
    if (!policy.compiled.rules.some(isHolding)) known.clear();
    else {
      const turn = createTurns();
      for (const source of packages)
        for (const name of await source.names()) {
          if (!policy.rules.about(name, source.origin, undefined).rules.some(isHolding)) continue;
          await turn();
          const held = await examine(source, name, policy, nowMs).catch(undefinedIfUnusable);
          if (held !== undefined) examined.add(name);
          releases.push(...(held ?? []));
        }
    }
    return { releases, examined };
  };
}

function undefinedIfUnusable(error: unknown): undefined {
  if (!(error instanceof UnusableFile)) throw error;
}

const nothing: Pick<Examined, 'held' | 'untilMs'> = { held: [], untilMs: Number.POSITIVE_INFINITY };

function isHolding({ given: { rule, action } }: ApplicableRules['rules'][number]): boolean {
  return rule === 'capability' && action === 'block';
}

/** A release that another rule blocks waits for nobody. */
function heldIn(
  { name, origin, beside, versions, gains }: CandidatePackage,
  rules: ApplicableRules['rules'],
  policy: CurrentPolicy,
  nowMs: number,
): typeof nothing {
  const judge = judgePackage(rules, policy.factsOf(name, origin, beside, gains));
  let changesAtMs: number | undefined;
  const held = versions.flatMap(({ facts, release, isOffered }): readonly HeldRelease[] => {
    if (!isOffered) return [];
    const judgement = judge(facts, nowMs);
    changesAtMs = earlier(changesAtMs, judgement.changesAtMs);
    const block = blockOf(judgement);
    if (block?.isHeld !== true) return [];
    const { version, normalized } = facts;
    const reference = gains().get(normalized)?.release.reference ?? '';
    return [{ name, origin, version, normalized, reference, release, rule: block.rule.name, because: block.because }];
  });
  return { held, untilMs: changesAtMs ?? Number.POSITIVE_INFINITY };
}
