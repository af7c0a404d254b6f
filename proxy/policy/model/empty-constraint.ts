// Finds constraints that no version satisfies, such as `>=3 <2`. It claims this only where it is proven. Pure.

import { matches, parseConstraint } from '../../../build/contract/constraint.ts';
import type { Comparison, Constraint } from '../../../build/contract/constraint-model.ts';
import type { NormalizedVersion } from '../../../build/contract/version.ts';

const plain = /^\d+\.\d+\.\d+\.\d+(?:-dev)?$/;
const branch = /^dev-/;
/** A branch that no constraint names, for `!=`. */
const anyBranch = 'dev-0123456789-of-no-constraint';

/**
 * True: no version satisfies it. False: one does, or it is not known. The versions are in one order, so it is enough to
 * try each bound, and one version between each two of them.
 */
export function isEmptyConstraint(text: string): boolean {
  const parsed = parseConstraint(text);
  if ('refusal' in parsed) return false;
  const bounds = comparisonsIn(parsed.constraint).map(({ version }) => version);
  // other bounds, such as 1.0.0.0-beta1, have neighbours that are not tried
  if (!bounds.every((bound) => plain.test(bound) || branch.test(bound))) return false;
  const tried = ['0.0.0.0-dev', '0.0.0.0', anyBranch, ...bounds.flatMap(around)];
  return !tried.some((version) => matches(parsed.constraint, version as NormalizedVersion));
}

/** Versions just below, at and just above a bound. */
function around(bound: string): readonly string[] {
  if (branch.test(bound)) return [bound];
  const numbers = bound.replace(/-dev$/, '');
  return [`${numbers}-dev`, `${numbers}-alpha1`, numbers, `${numbers}-patch1`];
}

function comparisonsIn(constraint: Constraint): readonly Comparison[] {
  if (constraint.kind === 'anything') return [];
  return constraint.kind === 'comparison' ? [constraint] : constraint.parts.flatMap(comparisonsIn);
}
