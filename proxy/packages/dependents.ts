// Which packages require a package. The index is made at the first question, and answers all later ones. Pure.

import type { PackageName } from '../../build/contract/name.ts';
import type { PackageSummary } from './package-summary.ts';

/** The packages that require `name` in one of their versions, in the order of `all`. */
export type DependentsOf = (name: string) => readonly PackageName[];

export function findDependents(all: ReadonlyMap<PackageName, PackageSummary>): DependentsOf {
  let index: ReadonlyMap<string, readonly PackageName[]> | undefined;
  return (name) => (index ??= indexDependents(all)).get(name) ?? [];
}

function indexDependents(all: ReadonlyMap<PackageName, PackageSummary>): ReadonlyMap<string, readonly PackageName[]> {
  const dependents = new Map<string, PackageName[]>();
  for (const { name, requires } of all.values())
    for (const one of requires) {
      const known = dependents.get(one);
      if (known === undefined) dependents.set(one, [name]);
      else known.push(name);
    }
  return dependents;
}
