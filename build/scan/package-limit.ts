// `--only`: limits a build to some packages. All other packages stay as published, and the build remembers their
// pending work.

import type { PackageName } from '../contract/name.ts';
import { unknownSettings } from '../memory/manifest.ts';
import { listTreePackages, type TreeMemory } from '../memory/tree-memory.ts';
import type { Output } from '../output/output.ts';
import { BuildRefused } from '../contract/refusals.ts';
import { changedTree } from './lost-announcement.ts';
import type { ScannedSource } from './scan.ts';
import { matchAnyName, matchName } from '../shared/patterns/package-pattern.ts';

export interface PackageLimit {
  readonly patterns: readonly string[];
  readonly admits: (name: string) => boolean;
}

export function limitTo(patterns: readonly string[] | undefined): PackageLimit | undefined {
  return patterns === undefined ? undefined : { patterns, admits: matchAnyName(patterns) };
}

/**
 * True if the recovery of a list may leave packages unexamined: packages.json names them all, and no publication was
 * interrupted. The next build compares them.
 */
export function canBeLimited({ namesComplete, publication, serial, settings, leftovers }: TreeMemory): boolean {
  const isWhole = publication === undefined ? settings !== unknownSettings : serial === publication.serial;
  return namesComplete && isWhole && leftovers.length === 0;
}

/**
 * Throws BuildRefused if the tree differs from the last publication, because the build then has to examine all
 * packages.
 */
export async function refusePartialRepair(
  limit: PackageLimit | undefined,
  tree: TreeMemory,
  output: Output,
): Promise<void> {
  if (limit === undefined) return;
  const whole = tree.rootIntact && tree.serial === tree.publication?.serial;
  if (whole || (tree.serial === 0 && (await listTreePackages(output)).length === 0)) return;
  throw new BuildRefused(`${changedTree(tree)}. Build all packages first: \`libretto build\`.`);
}

/**
 * Throws BuildRefused for a pattern that matches no package, most likely a typing error. A source that cannot be read
 * may have the package, so the error is then omitted.
 */
export function refuseUnknownNames(
  limit: PackageLimit | undefined,
  tree: TreeMemory,
  scanned: readonly ScannedSource[],
): void {
  if (limit === undefined || scanned.some(({ outcome }) => outcome === 'failed')) return;
  const names = new Set<string>(tree.names);
  for (const source of scanned) for (const name of namesOf(source)) names.add(name);
  for (const pattern of limit.patterns) {
    if ([...names].some(matchName(pattern))) continue;
    throw new BuildRefused(`--only ${pattern}: no published package and no source of this build has that name.`);
  }
}

function namesOf(source: ScannedSource): readonly (PackageName | string)[] {
  if (source.outcome !== 'read') return Object.keys(source.remembered?.packages ?? {});
  return [...source.packages.keys(), ...source.quarantined.flatMap(({ name }) => name ?? [])];
}
