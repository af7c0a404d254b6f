// Which of a package's versions an advisory concerns. Pure.

import { matches, parseConstraint } from '../../../build/contract/constraint.ts';
import { normalizeVersion, type NormalizedVersion } from '../../../build/contract/version.ts';

/** True if one of these versions fits. A constraint that cannot be read may concern every version. */
export function affectsSome(constraint: string, labels: readonly string[]): boolean {
  const parsed = parseConstraint(constraint);
  if ('refusal' in parsed) return labels.length > 0;
  return labels.some((label) => matches(parsed.constraint, (normalizeVersion(label) ?? label) as NormalizedVersion));
}
