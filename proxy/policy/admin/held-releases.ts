// Decisions about the releases that are held.

import { RegistryError } from '../../../build/contract/errors.ts';
import type { PackageName } from '../../../build/contract/name.ts';
import type { Actor, ChangeParts } from '../../state/audit.ts';
import type { PolicyReader } from '../apply/policy-reader.ts';
import type { ReviewDecision } from '../judge/held-releases.ts';
import { storeDecision } from '../records/review-decisions.ts';
import type { PackageSource } from './package-source.ts';
import { heldIn, type HeldRelease } from './held-list.ts';

export interface HeldParts extends Pick<ChangeParts, 'store' | 'now'> {
  readonly reader: PolicyReader;
  readonly packages: readonly PackageSource[];
}

export interface Deciding {
  readonly name: string;
  readonly version: string;
  readonly decision: ReviewDecision['decision'];
  readonly reason: string;
  /** the archive that the person saw; undefined: the present one */
  readonly reference?: string | undefined;
}

/** Throws NOT_FOUND for a release that no rule holds, and CONFLICT if it has another archive meanwhile. */
export async function decideHeld(parts: HeldParts, asked: Deciding, actor: Actor): Promise<HeldRelease> {
  const held = await findHeld(parts, asked);
  if (asked.reference !== undefined && asked.reference !== held.reference)
    throw new RegistryError('CONFLICT', {
      message: `${held.name} ${held.version} has another archive meanwhile: ${held.reference}. Look at it again.`,
    });
  const { name, normalized: version, reference } = held;
  const { decision, reason } = asked;
  const at = new Date(parts.now()).toISOString();
  await storeDecision(parts.store, { package: name, version, reference, decision, reason, by: actor, at }, actor);
  return held;
}

/** Also a release that waits no more: a later decision replaces an earlier one. */
async function findHeld({ reader, packages, now }: HeldParts, { name, version }: Deciding): Promise<HeldRelease> {
  const policy = await reader.current(now());
  for (const source of packages) {
    const known = await source.read(name as PackageName);
    if (known === undefined) continue;
    const held = heldIn(known, policy, now()).held.find((one) => one.version === version);
    if (held !== undefined) return held;
    break;
  }
  throw new RegistryError('NOT_FOUND', {
    message: `No rule holds ${name} ${version}. \`libretto policy held\` lists what is held.`,
  });
}
