// Explains what the policy says of one version, rule by rule.

import { RegistryError } from '../../../build/contract/errors.ts';
import type { PackageName } from '../../../build/contract/name.ts';
import { normalizeVersion, type NormalizedVersion } from '../../../build/contract/version.ts';
import { filterOf, passes } from '../../core/views/view.ts';
import type { CurrentPolicy } from '../apply/current-policy.ts';
import { decidersOf, decisionsOn, holdOf } from '../judge/held-releases.ts';
import type { ReviewDecision } from '../records/review-decisions.ts';
import { blockOf, judgePackage, refusalOf, type RuleFinding } from '../judge/judge.ts';
import type { VersionRule } from '../model/policy-document.ts';
import { howToDecide } from '../model/words.ts';
import { formerReference, type CandidatePackage, type CandidateVersion, type PackageSource } from './package-source.ts';
import type { TokenProfile } from './token-profiles.ts';
import type { ExplainedVersion } from './policy-views.ts';

export interface Question {
  readonly name: PackageName;
  readonly version: string;
  /** undefined: a token that no rule names, and that sees everything */
  readonly token: TokenProfile | undefined;
  readonly nowMs: number;
}

/** Throws NOT_FOUND for an unknown version, or one that the token does not see. */
export async function explainVersion(
  policy: CurrentPolicy,
  packages: readonly PackageSource[],
  { name, version: wanted, token, nowMs }: Question,
): Promise<Omit<ExplainedVersion, 'malware'>> {
  const known = await findPackage(packages, name);
  const version = known === undefined ? undefined : findVersion(known, wanted);
  if (known === undefined || version === undefined)
    throw notFound(
      known === undefined
        ? `This registry has no package ${name}.`
        : `${name} has no version ${wanted} in this registry.`,
    );
  if (token !== undefined) await assertSeen(token, name, wanted, version);
  const { origin } = known;
  const { rules } = policy.rules.about(name, origin, token?.id);
  const judgement = judgePackage(rules, policy.factsOf(name, origin, known.beside, known.gains))(version.facts, nowMs);
  const against = new Set(judgement.findings.map(({ rule }) => rule.name));
  const passed = rules.flatMap(({ given }) => (against.has(given.name) ? [] : [given]));
  const refused = refusalOf(judgement, version.stored) !== undefined;
  return {
    name,
    version: version.facts.version,
    origin,
    outcome: refused ? 'blocked' : version.isOffered && blockOf(judgement) === undefined ? 'offered' : 'served',
    findings: judgement.findings.map(({ rule, because, exception, isHeld }) => ({
      rule: rule.name,
      action: rule.action,
      because,
      held: isHeld && rule.action === 'block',
      exception: exception ?? null,
    })),
    passed: passed.map(({ name: rule }) => rule),
    former_reference: formerReference(known.versions, version) ?? null,
    ...decisionsIn(policy, known, version, { passed, findings: judgement.findings, nowMs }),
  };
}

/** The labels of a package that the policy keeps from a token, whether or not it sees them. */
export async function withheldVersions(
  policy: CurrentPolicy,
  packages: readonly PackageSource[],
  { name, token, nowMs }: Omit<Question, 'version'>,
): Promise<ReadonlySet<string>> {
  const known = await findPackage(packages, name);
  if (known === undefined) return new Set();
  const { rules } = policy.rules.about(name, known.origin, token?.id);
  const judge = judgePackage(rules, policy.factsOf(name, known.origin, known.beside, known.gains));
  const isOffered = (version: CandidateVersion): boolean => {
    const judgement = judge(version.facts, nowMs);
    return version.isOffered && blockOf(judgement) === undefined && refusalOf(judgement, version.stored) === undefined;
  };
  const offered = new Set(known.versions.filter(isOffered).map(({ facts }) => facts.version));
  return new Set(known.versions.map(({ facts }) => facts.version).filter((version) => !offered.has(version)));
}

interface Judged {
  readonly passed: readonly VersionRule[];
  readonly findings: readonly RuleFinding[];
  readonly nowMs: number;
}

/** Who approved what a rule would hold, or rejected what it holds. */
function decisionsIn(
  { compiled }: CurrentPolicy,
  { name, gains }: CandidatePackage,
  { facts }: CandidateVersion,
  { passed, findings, nowMs }: Judged,
): Pick<ExplainedVersion, 'approval' | 'rejection'> {
  const decisions = compiled.decisions.filter((one) => one.package === name);
  if (decisions.length === 0) return { approval: null, rejection: null };
  const { normalized, reference = '' } = facts;
  const on = decisionsOn({ normalized: normalized as NormalizedVersion, reference }, gains(), decisions);
  const find = (decision: ReviewDecision['decision']): ExplainedVersion['approval'] => {
    const found = on.find((one) => one.decision === decision);
    return found === undefined ? null : { by: decidersOf(found), at: found.at, reason: found.reason };
  };
  const wouldHold = (rule: VersionRule): boolean =>
    rule.rule === 'capability' && holdOf(rule, gains(), [], normalized, nowMs) !== undefined;
  return {
    approval: passed.some(wouldHold) ? find('approved') : null,
    rejection: findings.some(({ rule }) => rule.rule === 'capability') ? find('rejected') : null,
  };
}

/** True if only holds keep it out, which end by time or by a person's decision. */
export function isHeld({ findings }: Pick<ExplainedVersion, 'findings'>): boolean {
  const blocks = findings.filter(({ action, exception }) => action === 'block' && exception === null);
  return blocks.length > 0 && blocks.every(({ held }) => held);
}

/** A sentence for people: what clients get. */
export function outcomeText(
  explained: Pick<ExplainedVersion, 'name' | 'version' | 'outcome' | 'findings'> &
    Partial<Pick<ExplainedVersion, 'former_reference'>>,
): string {
  const { name, version, outcome, former_reference: former } = explained;
  switch (outcome) {
    case 'offered':
      return `${name} ${version} is offered${former ? `, with its former archive ${former}: its tag moved` : ''}.`;
    case 'blocked':
      return isHeld(explained)
        ? `${name} ${version} is held: the metadata omits it, and its archive is refused.`
        : `${name} ${version} is blocked: the metadata omits it, and its archive is refused.`;
    case 'staged':
      return `${name} ${version} is staged: no client sees it until a person approves it. ${howToDecide(explained)}`;
    case 'served':
      return isHeld(explained)
        ? `${name} ${version} is held: the metadata omits it. Its archive is still sent, for lock files.`
        : `${name} ${version} is not offered: the metadata omits it. Its archive is still sent, for lock files.`;
  }
}

/** Who approved or rejected it. `undefined`: in the answer of an older server. */
export function decisionTexts({
  approval,
  rejection,
}: Partial<Pick<ExplainedVersion, 'approval' | 'rejection'>>): readonly string[] {
  return [
    ...(approval ? [`${approval.by} approved it on ${approval.at}: ${approval.reason}`] : []),
    ...(rejection ? [`${rejection.by} rejected it on ${rejection.at}: ${rejection.reason}`] : []),
  ];
}

export async function findPackage(
  packages: readonly PackageSource[],
  name: PackageName,
): Promise<CandidatePackage | undefined> {
  for (const source of packages) {
    const known = await source.read(name);
    if (known !== undefined) return known;
  }
  return undefined;
}

function findVersion({ versions }: CandidatePackage, wanted: string): CandidateVersion | undefined {
  const normalized = normalizeVersion(wanted);
  return (
    versions.find(({ facts }) => facts.version === wanted) ??
    versions.find(({ facts }) => facts.normalized === normalized)
  );
}

async function assertSeen(
  token: TokenProfile,
  name: string,
  wanted: string,
  { release }: CandidateVersion,
): Promise<void> {
  const access = await token.access();
  if (access === undefined || !passes(filterOf(access.view, name), release))
    throw notFound(`The token ${token.id} does not see ${name} ${wanted}, and gets the answer 404 for it.`);
}

export function notFound(message: string): RegistryError {
  return new RegistryError('NOT_FOUND', { message });
}
