// Lists the packages that were published once and are published no longer (I9). The announcement names these packages.
// A process that reads the tree from a static server then knows every name that is or was private here.

import { parsePackageName, type PackageName } from '../contract/name.ts';
import { recordsOnDisk } from '../history/read-history.ts';
import { readMemory, rememberedIds } from '../memory/source-memory.ts';
import type { TreeMemory } from '../memory/tree-memory.ts';
import type { PackagesOutcome } from './outcome.ts';
import type { Output } from '../output/output.ts';

/** Names that were published before, and are not in packages.json after this publication; sorted. */
export async function withdrawnPackages(
  tree: TreeMemory,
  output: Output,
  { names, changes }: PackagesOutcome,
): Promise<readonly PackageName[]> {
  const listed = new Set(names);
  const before = tree.publication?.withdrawn;
  const isWhole = before !== undefined && !tree.interrupted && tree.damage.length === 0;
  const known = [...(before ?? []), ...tree.names, ...(isWhole ? [] : await namesOnRecord(tree, output))];
  const coming = changes.indexes.flatMap(({ path }) => nameOfIndex(path));
  return [...new Set([...known, ...coming])].filter((name) => !listed.has(name)).toSorted();
}

/** After damage, any file that names a package may be the last one with that name. */
async function namesOnRecord({ announced }: TreeMemory, output: Output): Promise<readonly PackageName[]> {
  const records = await recordsOnDisk(output);
  const memories = await Promise.all((await rememberedIds(output)).map((id) => readMemory(output, id)));
  return [
    ...[...announced.purged, ...announced.withheld].map(({ name }) => name),
    ...records.flatMap(({ packages }) => packages.map(({ name }) => name)),
    ...memories.flatMap((memory) =>
      Object.keys(memory?.packages ?? {}).flatMap((name) => parsePackageName(name) ?? []),
    ),
    ...(await indexedNames(output)),
  ];
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
