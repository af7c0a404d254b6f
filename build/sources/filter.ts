// Selects the versions of a source that are published under the limits of libretto.json. The same versions and limits
// always give the same selection. Pure. A constraint selects as in Satis' `require`: a branch matches only by its own
// name or its alias (PackageSelection.php, selectLinks).

import { matches, parseConstraint } from '../contract/constraint.ts';
import type { Constraint } from '../contract/constraint-model.ts';
import { parseStability, type Stability } from '../contract/stability.ts';
import { normalizeVersion, type NormalizedVersion } from '../contract/version.ts';
import { matchAnyName, matchName } from '../shared/patterns/package-pattern.ts';
import { patternsOf, type FilterOptions } from './options.ts';
import type { Quarantine } from '../contract/quarantine.ts';
import type { Release } from './release.ts';

export interface Filter {
  /** false: no limit at all */
  readonly limits: boolean;
  /** true: constraints are among the limits, so that the aliases of branches matter */
  readonly constrains: boolean;
  readonly admitsName: (name: string) => boolean;
  /** `alias`: the version the branch also goes by */
  readonly admits: (name: string, version: NormalizedVersion, alias?: NormalizedVersion) => boolean;
  /** name patterns, used to find the patterns that match no package */
  readonly patterns: readonly string[];
}

interface Range {
  readonly standsFor: (name: string) => boolean;
  readonly constraint: Constraint;
}

const stabilities: readonly Stability[] = ['stable', 'RC', 'beta', 'alpha', 'dev'];

/** Throws an Error for an invalid constraint; the reader of libretto.json checks them. */
export function createFilter(options: FilterOptions): Filter {
  const {
    only,
    except = {},
    versions = {},
    'minimum-stability': stability = 'dev',
    'minimum-stability-per-package': stabilityOf = {},
  } = options;
  const included = only === undefined ? () => true : matchAnyName(only);
  const [wanted, unwanted] = [rangesOf(versions), rangesOf(except)];
  const unwantedWhole = unwanted.filter(({ constraint }) => constraint.kind === 'anything');
  const admitsName = (name: string): boolean =>
    included(name) && !unwantedWhole.some(({ standsFor }) => standsFor(name));
  const ownStability = new Map(Object.entries(stabilityOf).map(([name, own]) => [name.toLowerCase(), own]));
  const lowestOf = (name: string): number => stabilities.indexOf(ownStability.get(name) ?? stability);
  return {
    limits:
      only !== undefined || wanted.length > 0 || unwanted.length > 0 || stability !== 'dev' || ownStability.size > 0,
    constrains: wanted.length > 0 || unwanted.length > unwantedWhole.length,
    admitsName,
    admits: (name, version, alias) => {
      const within = (constraint: Constraint): boolean =>
        matches(constraint, version) || (alias !== undefined && matches(constraint, alias));
      if (!admitsName(name) || stabilities.indexOf(parseStability(version)) > lowestOf(name)) return false;
      if (unwanted.some(({ standsFor, constraint }) => standsFor(name) && within(constraint))) return false;
      return wanted.every(({ standsFor, constraint }) => !standsFor(name) || within(constraint));
    },
    patterns: patternsOf(options),
  };
}

function rangesOf(limits: Readonly<Record<string, string>>): readonly Range[] {
  return Object.entries(limits).map(([pattern, text]) => {
    const parsed = parseConstraint(text);
    if ('refusal' in parsed) throw new Error(`the constraint ${parsed.refusal}`);
    return { standsFor: matchName(pattern), constraint: parsed.constraint };
  });
}

export interface Filtered {
  readonly releases: readonly Release[];
  readonly quarantined: readonly Quarantine[];
  /** patterns that match no package of the source */
  readonly idle: readonly string[];
}

/**
 * `aliases`: of branches, null for an unreadable alias. A release with an unknown alias stays, because the filter must
 * not withdraw a wanted version.
 */
export function filterReleases(
  found: Omit<Filtered, 'idle'>,
  filter: Filter,
  aliases: ReadonlyMap<Release, NormalizedVersion | null>,
): Filtered {
  const releases = found.releases.filter((release) => {
    const alias = aliases.get(release);
    return alias === null ? filter.admitsName(release.name) : filter.admits(release.name, release.normalized, alias);
  });
  const quarantined = found.quarantined.filter(({ name, version }) => {
    const normalized = version === null ? undefined : normalizeVersion(version);
    return name === null || (normalized === undefined ? filter.admitsName(name) : filter.admits(name, normalized));
  });
  const names = new Set([...found.releases, ...found.quarantined].flatMap(({ name }) => name ?? []));
  return { releases, quarantined, idle: filter.patterns.filter((pattern) => ![...names].some(matchName(pattern))) };
}
