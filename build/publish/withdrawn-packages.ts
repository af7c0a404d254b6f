// Lists the packages that were published once and are published no longer (I9). The announcement names these packages.
// A process that reads the tree from a static server then knows every name that is or was private here.

import { parsePackageName, type PackageName } from '../contract/name.ts';
import type { TreeMemory } from '../memory/tree-memory.ts';
import type { PackagesOutcome } from './outcome.ts';
import type { Output } from '../output/output.ts';

/** Names that have a serving index, or stood in packages.json, and are not in packages.json after this publication; sorted. */
export async function withdrawnPackages(
  tree: TreeMemory,
  output: Output,
  { names, changes }: PackagesOutcome,
): Promise<readonly PackageName[]> {
  const listed = new Set(names);
  const before = tree.interrupted || tree.damage.length > 0 ? undefined : tree.publication?.withdrawn;
  // if the announcement is lost, packages.json may be the last file with a name
  const last = tree.publication === undefined ? tree.names : [];
  const known = before === undefined ? [...(await indexedNames(output)), ...last] : [...before, ...tree.names];
  const coming = changes.indexes.flatMap(({ path }) => nameOfIndex(path));
  return [...new Set([...known, ...coming])].filter((name) => !listed.has(name)).toSorted();
}

/** Both sorted. */
export function sameNames(one: readonly PackageName[], other: readonly PackageName[] | undefined): boolean {
  return other?.length === one.length && one.every((name, index) => name === other[index]);
}

/** Every package that has a serving index. */
export async function indexedNames(output: Pick<Output, 'list'>): Promise<readonly PackageName[]> {
  return (await output.list('index', '')).flatMap(nameOfIndex);
}

function nameOfIndex(path: string): readonly PackageName[] {
  const name = path.endsWith('.json') ? parsePackageName(path.slice(0, -'.json'.length)) : undefined;
  return name === undefined ? [] : [name];
}
