// Decisions about the releases that are held or staged. With four eyes another person than the publisher approves, or two
// people where no person published.

import { noAdvisories } from '../../../build/contract/advisory-lists.ts';
import { RegistryError } from '../../../build/contract/errors.ts';
import type { PackageName } from '../../../build/contract/name.ts';
import { normalizeVersion } from '../../../build/contract/version.ts';
import { shortText } from '../../../build/shared/text/short-text.ts';
import type { ArtifactRecord } from '../../artifacts/artifact.ts';
import type { Artifacts } from '../../artifacts/artifacts.ts';
import { readArtifactOf } from '../../artifacts/read-published-from.ts';
import type { Actor, ChangeParts } from '../../state/audit.ts';
import { CurrentPolicy, noOutsideLists } from '../apply/current-policy.ts';
import type { PolicyReader } from '../apply/policy-reader.ts';
import { compilePolicy } from '../judge/compile-policy.ts';
import { decidersOf } from '../judge/held-releases.ts';
import {
  lastDecision,
  removeDecision,
  standingDecisions,
  storeDecision,
  type DecisionDetails,
  type ReviewDecision,
} from '../records/review-decisions.ts';
import { findPackage } from './explain-version.ts';
import { heldIn, type HeldRelease } from './held-in-package.ts';
import { approvedOnce, hasFourEyes, mayDecide, stagedReleases, type HeldParts } from './held-list.ts';

export interface DecidingParts extends Pick<ChangeParts, 'store' | 'now'>, Omit<HeldParts, 'artifactsOf' | 'store'> {
  readonly reader: PolicyReader;
  readonly artifactsOf: (actor: Actor) => Artifacts;
  /** false: this server has no data folder */
  readonly hasBuilder: boolean;
}

export interface Deciding {
  readonly name: string;
  readonly version: string;
  readonly decision: ReviewDecision['decision'];
  readonly reason: string;
  /** the archive that the person saw; undefined: the present one */
  readonly reference?: string | undefined;
}

/**
 * Throws NOT_FOUND for a release that nothing holds, and CONFLICT if it has another archive meanwhile or needs another
 * person. An approved staged release is published before this resolves: a repeated call completes an interrupted one.
 */
export async function decideHeld(parts: DecidingParts, asked: Deciding, actor: Actor): Promise<HeldRelease> {
  const { store, hasBuilder, now } = parts;
  const held = await findHeld(parts, asked);
  const { name, normalized: version, reference, staged } = held;
  if (asked.reference !== undefined && asked.reference !== reference)
    throw new RegistryError('CONFLICT', {
      message: `${name} ${held.version} has another archive meanwhile: ${reference}. Look at it again.`,
    });
  if (staged !== undefined && !hasBuilder)
    throw new RegistryError('NOT_AVAILABLE', {
      message: 'This server has no data folder. Decide at a server that has one, or on the host of the registry.',
    });
  const { decision, reason } = asked;
  const archive = { package: name, version, reference };
  const standing = await standingDecisions(store, archive);
  // its upload is being published or removed, or that was interrupted
  if (staged !== undefined && standing.last !== undefined && standing.last.at >= staged.created_at) {
    if (standing.last.decision !== decision) throw decided(standing.last, held.version);
    await carryOut(parts, staged, standing.last, actor);
    return held;
  }
  // who looked at the release, and names its archive, did not see the decision of somebody else
  if (asked.reference !== undefined && standing.last !== undefined && standing.last.by !== actor)
    throw decided(standing.last, held.version, again);
  const details = await detailsOf(parts, held, { asked, first: standing.first }, actor);
  const at = new Date(now()).toISOString();
  const made = { ...archive, decision, reason, by: actor, ...firstOf(details), at };
  if (!(await storeDecision(store, made, { ...details, ...standing }, actor))) {
    const { last } = await standingDecisions(store, archive);
    if (last !== undefined && last.at !== standing.last?.at)
      throw decided(last, held.version, staged === undefined ? again : undefined);
    return decideHeld(parts, asked, actor); // another person approved first
  }
  if (details.isFirst) return approvedOnce(held, actor);
  if (staged !== undefined) await carryOut(parts, staged, made, actor);
  return held;
}

async function carryOut(
  { store, artifactsOf }: DecidingParts,
  staged: ArtifactRecord,
  made: ReviewDecision,
  actor: Actor,
): Promise<void> {
  try {
    if (made.decision === 'approved') await artifactsOf(actor).approve(staged);
    else await artifactsOf(actor).discard(staged, made.reason);
  } catch (error) {
    // so that somebody can decide otherwise: the same error comes again where its ZIP is lost
    if (error instanceof RegistryError) await removeDecision(store, made, actor);
    throw error;
  }
}

/** `advice`: default: for what was staged, or is offered now. */
function decided(
  { decision, at, reason, package: name, ...of }: ReviewDecision,
  version: string,
  advice: string = afterwards[decision],
): RegistryError {
  return new RegistryError('CONFLICT', {
    message: `${decidersOf(of)} ${decision} ${name} ${version} at ${at} ("${shortText(reason, 200) ?? ''}"). ${advice}`,
    details: { decision, by: of.by, at },
  });
}

const again = 'If this is wrong, decide again with `libretto policy`, or without `reference`.';
const afterwards = {
  approved: 'To take it back, withdraw the version.',
  rejected: 'To publish it nevertheless, upload it as a new version.',
} as const;

async function detailsOf(
  parts: DecidingParts,
  held: HeldRelease,
  { asked: { decision }, first }: { readonly asked: Deciding; readonly first: ReviewDecision | undefined },
  actor: Actor,
): Promise<DecisionDetails> {
  const content = { ...held, version_normalized: held.normalized };
  const publisher = held.origin === 'private' ? (await readArtifactOf(parts.store, content))?.created_by : undefined;
  const people = publisher === undefined ? {} : { published_by: publisher };
  if (decision === 'rejected' || !(await hasFourEyes(parts))) return { isFirst: false, people };
  if (publisher === actor)
    throw new RegistryError('CONFLICT', {
      message: 'You published this release, so another person has to approve it (setting publishing.four_eyes).',
    });
  if (publisher !== undefined && isPerson(publisher)) return { isFirst: false, people };
  if (first === undefined || !(await mayDecide(parts.store, first.by))) return { isFirst: true, people };
  if (first.by !== actor) return { isFirst: false, people: { ...people, first_approved_by: first.by } };
  throw new RegistryError('CONFLICT', {
    message: 'You approved this release already. Another person has to approve it, too (setting publishing.four_eyes).',
  });
}

function firstOf({ people: { first_approved_by: first } }: DecisionDetails): Pick<ReviewDecision, 'first_by'> {
  return first === undefined ? {} : { first_by: first };
}

/** On the host of the registry the account counts. */
function isPerson(actor: string): boolean {
  return /^(?:user|cli):/.test(actor);
}

/** The rules as if nobody had decided anything: at the time 0 they hold all that they ever held. */
function undecided({ compiled }: CurrentPolicy): CurrentPolicy {
  return new CurrentPolicy(compilePolicy(compiled.document), noAdvisories, noOutsideLists);
}

/** Also a release that waits no more: a later decision replaces an earlier one, and an approved one can be rejected. */
async function findHeld(parts: DecidingParts, asked: Deciding): Promise<HeldRelease> {
  const { reader, packages, store, now } = parts;
  const { name, version, decision } = asked;
  const isStaged = (one: ArtifactRecord): boolean => one.name === name && one.version === version;
  const [waits] = await stagedReleases(parts, isStaged, now());
  if (waits !== undefined) return waits;
  const policy = await reader.current(now());
  const known = await findPackage(packages, name as PackageName);
  if (known !== undefined) {
    const isAsked = (one: HeldRelease): boolean => one.version === version;
    const held =
      heldIn(known, policy, now()).held.find(isAsked) ??
      (decision === 'rejected' ? heldIn(known, undecided(policy), 0).held.find(isAsked) : undefined);
    if (held !== undefined) return held;
  }
  const last = await lastDecision(store, { package: name, version: normalizeVersion(version) ?? version });
  if (last !== undefined && (asked.reference ?? last.reference) === last.reference) throw decided(last, version);
  throw new RegistryError('NOT_FOUND', {
    message: `No rule holds ${name} ${version}. \`libretto policy held\` lists what is held.`,
  });
}
