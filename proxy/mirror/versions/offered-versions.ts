// The versions of a whole document as they may be offered. A document may have thousands of them: others get their turn
// in between.

import type { JsonObject } from '../../../build/contract/json.ts';
import type { PackageName } from '../../../build/contract/name.ts';
import { mapYielding } from '../../../build/shared/concurrency/yielding.ts';
import { offeredVersions, type CheckRecord, type Offered, type OfferedVersion } from './offered-version.ts';

/** Does the work of `offeredVersions`, and yields to other requests. */
export async function offeredVersionsYielding(
  name: PackageName,
  records: readonly JsonObject[],
  check: CheckRecord,
): Promise<Offered> {
  const versions = new Map<string, OfferedVersion>();
  const leftOut: Offered['leftOut'][number][] = [];
  await mapYielding(records, (record) => {
    const part = offeredVersions(name, [record], check);
    for (const version of part.versions)
      if (!versions.has(version.normalized)) versions.set(version.normalized, version);
    leftOut.push(...part.leftOut);
  });
  return { versions: [...versions.values()], leftOut };
}
