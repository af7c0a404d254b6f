// Whether a constraint that a withdrawn version satisfies is satisfied by another version. Pure.

import { matches, parseConstraint } from '../../build/contract/constraint.ts';
import type { Constraint } from '../../build/contract/constraint-model.ts';
import { isJsonObject } from '../../build/contract/json.ts';
import { parseStability, type Stability } from '../../build/contract/stability.ts';
import { normalizeVersion, type NormalizedVersion } from '../../build/contract/version.ts';
import type { PublishedVersion } from '../packages/published-package.ts';

/** A published version under its own number and under its branch alias. */
interface Candidate {
  readonly label: string;
  readonly stability: Stability;
  readonly numbers: readonly NormalizedVersion[];
}

export interface Remaining {
  /** the newest other version that satisfies the constraint and is at least as stable; null: none */
  readonly otherwise: string | null;
}

/** undefined: the withdrawn version does not satisfy the constraint, so nothing changes for its dependents. */
export type FindRemaining = (constraint: string) => Remaining | undefined;

const order: readonly Stability[] = ['stable', 'RC', 'beta', 'alpha', 'dev'];

/** `others`: the other published versions of its package, newest first. */
export function createFindRemaining(withdrawn: PublishedVersion, others: readonly PublishedVersion[]): FindRemaining {
  const gone = candidateOf(withdrawn);
  const rest = others
    .map(candidateOf)
    .filter(({ stability }) => order.indexOf(stability) <= order.indexOf(gone.stability));
  const known = new Map<string, Remaining | undefined>();
  return (text) => {
    if (!known.has(text)) known.set(text, find(text, gone, rest));
    return known.get(text);
  };
}

function find(text: string, gone: Candidate, rest: readonly Candidate[]): Remaining | undefined {
  const parsed = parseConstraint(text);
  if ('refusal' in parsed || !satisfies(gone, parsed.constraint)) return undefined;
  return { otherwise: rest.find((one) => satisfies(one, parsed.constraint))?.label ?? null };
}

function satisfies({ numbers }: Candidate, constraint: Constraint): boolean {
  return numbers.some((number) => matches(constraint, number));
}

function candidateOf({ entry: { version, version_normalized: normalized }, record }: PublishedVersion): Candidate {
  const extra = isJsonObject(record['extra']) ? record['extra'] : {};
  const aliases = isJsonObject(extra['branch-alias']) ? extra['branch-alias'] : {};
  const alias = aliases[version];
  const aliased = typeof alias === 'string' ? normalizeVersion(alias) : undefined;
  return {
    label: version,
    stability: parseStability(normalized),
    numbers: [normalized as NormalizedVersion, ...(aliased === undefined ? [] : [aliased])],
  };
}
