// The releases that a rule holds for what they can newly do, for people who decide about them. Computed from what is
// stored, as the server judges it; no request is sent.

import { noAdvisories } from '../../../build/contract/advisory-lists.ts';
import { RegistryError } from '../../../build/contract/errors.ts';
import { compareNormalized } from '../../../build/contract/ordering.ts';
import type { NormalizedVersion } from '../../../build/contract/version.ts';
import { describeCapability } from '../../../build/review/capabilities.ts';
import type { Actor, ChangeParts } from '../../state/audit.ts';
import { CurrentPolicy, noOutsideLists } from '../apply/current-policy.ts';
import type { PolicyReader } from '../apply/policy-reader.ts';
import { compilePolicy } from '../judge/compile-policy.ts';
import type { ReviewDecision } from '../judge/held-releases.ts';
import { judgePackage } from '../judge/judge.ts';
import { storeDecision } from '../records/review-decisions.ts';
import type { CandidatePackage, PackageSource } from './package-source.ts';
import type { HeldList } from './held-list.ts';
import type { HeldRelease } from './held-schema.ts';

const mostHeld = 1000;

/** In the order of the list, newest version of a package first. Rejects for a damaged package. */
export async function describeHeld(
  { reader, packages, now }: HeldParts,
  { releases }: HeldList,
): Promise<readonly HeldRelease[]> {
  const policy = await reader.current(now());
  const described: HeldRelease[] = [];
  for (const source of packages)
    for (const name of new Set(releases.flatMap((one) => (one.origin === source.origin ? one.name : [])))) {
      const known = described.length >= mostHeld ? undefined : await source.read(name);
      if (known !== undefined) described.push(...heldIn(known, policy, now()));
    }
  return described;
}

export interface HeldParts extends Pick<ChangeParts, 'store' | 'now'> {
  readonly reader: PolicyReader;
  readonly packages: readonly PackageSource[];
}

function heldIn(known: CandidatePackage, policy: CurrentPolicy, nowMs: number): readonly HeldRelease[] {
  const { name, origin, beside } = known;
  const gains = known.gains();
  const judge = judgePackage(
    policy.rules.about(name, origin, undefined).rules.filter(({ given }) => given.rule === 'capability'),
    policy.factsOf(name, origin, beside, () => gains),
  );
  const offered = known.versions.filter(({ isOffered, facts }) => isOffered && gains.has(facts.normalized));
  return offered
    .toSorted((one, other) => compareNormalized(normalizedOf(other), normalizedOf(one)))
    .flatMap(({ facts }) => {
      const found = judge(facts, nowMs).findings.find(
        ({ rule, exception }) => rule.action === 'block' && exception === undefined,
      );
      const gained = gains.get(facts.normalized);
      if (found === undefined || gained === undefined) return [];
      return {
        name,
        version: facts.version,
        origin,
        rule: found.rule.name,
        because: found.because,
        reference: gained.release.reference,
        arrived_at: new Date(gained.release.arrivedMs).toISOString(),
        gained: gained.gained.map(({ capability, broughtBy, before }) => ({
          ...capability,
          text: describeCapability(capability),
          brought_by: broughtBy.version,
          before: before?.version ?? null,
        })),
      };
    });
}

function normalizedOf({ facts }: CandidatePackage['versions'][number]): NormalizedVersion {
  return facts.normalized as NormalizedVersion;
}

export interface Deciding {
  readonly name: string;
  readonly version: string;
  readonly decision: ReviewDecision['decision'];
  readonly reason: string;
  /** the archive that the person saw; undefined: the present one */
  readonly reference?: string | undefined;
}

/** The rules as if nobody had decided anything: at the time 0 they hold all that they ever held. */
function undecided({ compiled }: CurrentPolicy): CurrentPolicy {
  return new CurrentPolicy(compilePolicy(compiled.document), noAdvisories, noOutsideLists);
}

/** Also rejects an approved release. Throws NOT_FOUND for one that no rule holds or held, and CONFLICT if it has another archive meanwhile. */
export async function decideHeld(parts: HeldParts, asked: Deciding, actor: Actor): Promise<HeldRelease> {
  const { reader, packages, now, store } = parts;
  const policy = await reader.current(now());
  for (const source of packages) {
    const known = await source.read(asked.name as CandidatePackage['name']);
    if (known === undefined) continue;
    const isAsked = ({ version }: HeldRelease): boolean => version === asked.version;
    const held =
      heldIn(known, policy, now()).find(isAsked) ??
      (asked.decision === 'rejected' ? heldIn(known, undecided(policy), 0).find(isAsked) : undefined);
    const facts = known.versions.find((one) => one.facts.version === asked.version)?.facts;
    if (held === undefined || facts === undefined) break;
    if (asked.reference !== undefined && asked.reference !== held.reference)
      throw new RegistryError('CONFLICT', {
        message: `${held.name} ${held.version} has another archive meanwhile: ${held.reference}. Look at it again.`,
      });
    const { reference } = held;
    const { decision, reason } = asked;
    const at = new Date(now()).toISOString();
    const made = { package: held.name, version: facts.normalized, reference, decision, reason, by: String(actor), at };
    await storeDecision(store, made, actor);
    return held;
  }
  throw new RegistryError('NOT_FOUND', {
    message: `No rule holds ${asked.name} ${asked.version}. \`libretto policy held\` lists what is held.`,
  });
}
