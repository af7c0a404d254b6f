// Decisions about the releases that are held or staged. With four eyes another person than the publisher approves, or two
// people where no person published.

import { noAdvisories } from '../../../build/contract/advisory-lists.ts';
import { RegistryError } from '../../../build/contract/errors.ts';
import type { PackageName } from '../../../build/contract/name.ts';
import type { MaybeAsync } from '../../../build/shared/concurrency/maybe-async.ts';
import type { Artifacts } from '../../artifacts/artifacts.ts';
import { readArtifactOf } from '../../artifacts/read-published-from.ts';
import type { Actor, ChangeParts } from '../../state/audit.ts';
import { CurrentPolicy, noOutsideLists } from '../apply/current-policy.ts';
import type { PolicyReader } from '../apply/policy-reader.ts';
import { compilePolicy } from '../judge/compile-policy.ts';
import type { ReviewDecision } from '../judge/held-releases.ts';
import { firstApprovals, isAbout, storeDecision, type DecisionDetails } from '../records/review-decisions.ts';
import type { PackageSource } from './package-source.ts';
import { heldIn, waiting, type HeldRelease } from './held-list.ts';

export interface DecidingParts extends Pick<ChangeParts, 'store' | 'now'> {
  readonly reader: PolicyReader;
  readonly packages: readonly PackageSource[];
  readonly artifactsOf: (actor: Actor) => Artifacts;
  /** false: this server has no data folder */
  readonly hasBuilder: boolean;
  readonly fourEyes: () => MaybeAsync<boolean>;
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
  const { store, artifactsOf, hasBuilder, now } = parts;
  const held = await findHeld(parts, asked);
  if (asked.reference !== undefined && asked.reference !== held.reference)
    throw new RegistryError('CONFLICT', {
      message: `${held.name} ${held.version} has another archive meanwhile: ${held.reference}. Look at it again.`,
    });
  if (held.staged !== undefined && !hasBuilder)
    throw new RegistryError('NOT_AVAILABLE', {
      message: 'This server has no data folder. Decide at a server that has one, or on the host of the registry.',
    });
  const { name, normalized: version, reference } = held;
  const { decision, reason } = asked;
  const details = await detailsOf(parts, held, asked, actor);
  const at = new Date(now()).toISOString();
  const made = { package: name, version, reference, decision, reason, by: actor, at };
  await storeDecision(store, made, details, actor);
  if (details.isFirst) return { ...held, approvedBy: actor };
  if (held.staged !== undefined && decision === 'approved') await artifactsOf(actor).approve(held.staged);
  else if (held.staged !== undefined) await artifactsOf(actor).discard(held.staged, reason);
  return held;
}

async function detailsOf(
  { store, fourEyes }: DecidingParts,
  held: HeldRelease,
  { decision }: Deciding,
  actor: Actor,
): Promise<DecisionDetails> {
  const content = { ...held, version_normalized: held.normalized };
  const publisher = held.origin === 'private' ? (await readArtifactOf(store, content))?.created_by : undefined;
  const people = publisher === undefined ? {} : { published_by: publisher };
  if (decision === 'rejected' || !(await fourEyes())) return { isFirst: false, people };
  if (publisher === actor)
    throw new RegistryError('CONFLICT', {
      message: 'You published this release, so another person has to approve it (setting publishing.four_eyes).',
    });
  if (publisher !== undefined && isPerson(publisher)) return { isFirst: false, people };
  const first = (await firstApprovals(store)).find((one) => isAbout(one, held));
  if (first === undefined) return { isFirst: true, people };
  if (first.by !== actor) return { isFirst: false, people: { ...people, first_approved_by: first.by } };
  throw new RegistryError('CONFLICT', {
    message: 'You approved this release already. Another person has to approve it, too (setting publishing.four_eyes).',
  });
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
async function findHeld(
  { reader, packages, artifactsOf, now }: DecidingParts,
  { name, version, decision }: Deciding,
): Promise<HeldRelease> {
  const waits = (await artifactsOf('system:staging').staged()).find(
    (one) => one.name === name && one.version === version,
  );
  if (waits !== undefined) return waiting(waits, now());
  const policy = await reader.current(now());
  for (const source of packages) {
    const known = await source.read(name as PackageName);
    if (known === undefined) continue;
    const isAsked = (one: HeldRelease): boolean => one.version === version;
    const held =
      heldIn(known, policy, now()).held.find(isAsked) ??
      (decision === 'rejected' ? heldIn(known, undecided(policy), 0).held.find(isAsked) : undefined);
    if (held !== undefined) return held;
    break;
  }
  throw new RegistryError('NOT_FOUND', {
    message: `No rule holds ${name} ${version}. \`libretto policy held\` lists what is held.`,
  });
}
