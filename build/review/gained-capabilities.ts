// Which capabilities the releases of a package gained, and with which release each came. A release that only keeps what
// a release below brought has gained nothing; but what that release brought is still undecided with it. So nobody gets
// a capability past a review by a second release. Pure.

import { compareNormalized } from '../contract/ordering.ts';
import type { NormalizedVersion } from '../contract/version.ts';
import { capabilityKey, type Capability } from './capabilities.ts';

export interface Release {
  readonly version: string;
  readonly normalized: NormalizedVersion;
  readonly capabilities: readonly Capability[];
  /** when this registry had it first, epoch milliseconds; 0: before anybody looked */
  readonly arrivedMs: number;
  /** when it was withdrawn, epoch milliseconds; absent: it is there */
  readonly leftMs?: number;
  /** true for what its record had before its tag moved; absent: it has not moved */
  readonly had?: ((capability: Capability) => boolean) | undefined;
}

/** A capability of a release, with the release that brought it. One object for all releases that keep it. */
export interface Gained<Of extends Release = Release> {
  readonly capability: Capability;
  /** this release, or one below it since which all releases in between have it */
  readonly broughtBy: Of;
  /** the release that `broughtBy` was compared with, which has not got it; undefined: there was none */
  readonly before: Of | undefined;
}

export interface ReleaseGains<Of extends Release = Release> {
  readonly release: Of;
  readonly gained: readonly Gained<Of>[];
}

interface Known<Of extends Release> {
  readonly release: Of;
  /** by the key of the capability; undefined: the first release had it */
  readonly gained: ReadonlyMap<string, Gained<Of> | undefined>;
}

/**
 * What each release has gained since the first release of its package, by normalized version. A release is compared with
 * the last one below it that had arrived before, or else the first one above it: what arrives later changes nothing about
 * it. What was withdrawn before it arrived does not count; what it replaced does. A moved release has also gained what
 * its former record had not, even if a release below has it. The first release of the package has gained nothing. A
 * later one with nothing to compare it with has gained all it can do: every tag of the package moved. `releases`:
 * without dev versions, in any order. `firstMs`: when the package first arrived.
 */
export function gainedByRelease<Of extends Release>(
  releases: readonly Of[],
  firstMs: number,
): ReadonlyMap<NormalizedVersion, ReleaseGains<Of>> {
  const found = new Map<NormalizedVersion, ReleaseGains<Of>>();
  /** in the order of versions */
  let known: Known<Of>[] = [];
  const hasLeft = releases.some(({ leftMs }) => leftMs !== undefined);
  for (const release of releases.toSorted(byArrival)) {
    if (hasLeft) known = known.filter((one) => (one.release.leftMs ?? Infinity) >= release.arrivedMs);
    const at = placeOf(release.normalized, known);
    const gained = gainedSince(known[at - 1] ?? known[at], release, firstMs);
    known.splice(at, 0, { release, gained });
    found.set(release.normalized, { release, gained: [...gained.values()].filter((one) => one !== undefined) });
  }
  return found;
}

function gainedSince<Of extends Release>(
  near: Known<Of> | undefined,
  release: Of,
  firstMs: number,
): Known<Of>['gained'] {
  return new Map(
    release.capabilities.map((capability) => {
      const key = capabilityKey(capability);
      // each has a source, so that alone is nothing new
      const isOld = release.arrivedMs <= firstMs || capability.kind === 'source';
      const isNear = near === undefined ? isOld : near.gained.has(key);
      const isKnown = isNear && release.had?.(capability) !== false;
      const before = near?.gained.has(key) === true ? undefined : near?.release;
      return [key, isKnown ? near?.gained.get(key) : { capability, broughtBy: release, before }];
    }),
  );
}

function byArrival(one: Release, other: Release): number {
  return one.arrivedMs - other.arrivedMs || compareNormalized(one.normalized, other.normalized);
}

/** How many of these are below the version. */
function placeOf(normalized: NormalizedVersion, known: readonly Known<Release>[]): number {
  let [from, to] = [0, known.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    const one = known[middle];
    if (one !== undefined && compareNormalized(one.release.normalized, normalized) < 0) from = middle + 1;
    else to = middle;
  }
  return from;
}

export interface CapabilityDifference {
  readonly gained: readonly Capability[];
  readonly lost: readonly Capability[];
}

/** Between two releases of a package. */
export function differenceOf(before: readonly Capability[], after: readonly Capability[]): CapabilityDifference {
  return { gained: without(after, before), lost: without(before, after) };
}

function without(all: readonly Capability[], others: readonly Capability[]): readonly Capability[] {
  const known = new Set(others.map(capabilityKey));
  return all.filter((one) => !known.has(capabilityKey(one)));
}
