// Which of all packages a view sees. Most are decided by their names; of the others the published versions are looked at, a few packages at a time, so that
// requests in between get their turn.

import type { PackageName } from '../../build/contract/name.ts';
import { whenReady } from '../eventually.ts';
import type { ReleaseFilter, View } from '../views/view.ts';
import type { TreeFiles } from './tree-files.ts';

const packagesAtOnce = 16;
/** names that are decided without a look at versions, before others get their turn */
const namesAtOnce = 256;

/** In the order they are given. */
export async function seenNames(names: readonly PackageName[], view: View, files: Pick<TreeFiles, 'releases'>, epoch: number): Promise<readonly PackageName[]> {
  const seen: PackageName[] = [];
  let unsure: { readonly name: PackageName; readonly filter: ReleaseFilter }[] = [];
  const settle = async (): Promise<void> => {
    const looked = unsure.map(({ name, filter }) => filter === 'all' || whenReady(files.releases(name, epoch), (releases) => releases?.isSeen(filter) ?? false));
    // mostly they are in memory, and thousands of promises would cost more than looking
    const found = looked.some((one) => one instanceof Promise) ? await Promise.all(looked) : looked;
    for (const [at, { name }] of unsure.entries()) if (found[at] === true) seen.push(name);
    unsure = [];
    await new Promise(setImmediate);
  };
  let looks = 0;
  for (const name of names) {
    const filter = view.filterOf(name);
    if (filter === 'none') continue;
    unsure.push({ name, filter });
    if (filter !== 'all') looks += 1;
    if (looks < packagesAtOnce && unsure.length < namesAtOnce) continue;
    await settle();
    looks = 0;
  }
  await settle();
  return seen;
}
