// What is stored of one mirrored package: the registries that it comes from, and its accepted archives. Sends no
// request.

import type { PackageName } from '../../build/contract/name.ts';
import { compareNormalized } from '../../build/contract/ordering.ts';
import type { PublishedVersion } from '../packages/published-package.ts';
import { entryOf } from './archives/accepted-package.ts';
import type { Mirror } from './mirror.ts';

export interface MirroredPackage {
  /** addresses of the registries that are asked for it, in their order */
  readonly registries: readonly string[];
  /** the versions whose archives are stored here, newest first */
  readonly kept: readonly PublishedVersion[];
  /** the number of records that cannot be read */
  readonly unreadable: number;
}

export async function readMirroredPackage(
  mirror: Pick<Mirror, 'settings' | 'archiveStore'>,
  name: PackageName,
): Promise<MirroredPackage> {
  const [{ compiled, belongs }, { records, unreadable }] = await Promise.all([
    mirror.settings(),
    mirror.archiveStore.inspect(name),
  ]);
  const belonging = belongs(name);
  const ids = new Set(belonging.to === 'upstreams' ? belonging.ids : []);
  return {
    registries: compiled.rules.upstreams.filter(({ id }) => ids.has(id)).map(({ url }) => url),
    kept: records
      .toSorted((a, b) => compareNormalized(b.normalized, a.normalized))
      .map((one) => ({ entry: entryOf(one), record: one.record })),
    unreadable: unreadable.length,
  };
}
