// Which contents of this registry the added tombstones of a recovery purge: a row of a published version removes its
// archive for good. Reads the tree, and changes nothing.

import { indexPath } from '../contract/paths.ts';
import { lookUpPurged, type PurgedVersion } from '../contract/purged.ts';
import { parsePackageIndex, type IndexState } from '../contract/serving-index.ts';
import type { Output } from '../output/output.ts';
import { parseOwnFile } from '../output/parse-own-file.ts';

export interface RecoveredPurge {
  readonly name: string;
  readonly version: string;
  readonly version_normalized: string;
  readonly reference: string;
  /** before the recovery; `unknown`: the serving index is damaged, so the version counts as one that is there */
  readonly state: IndexState | 'mirrored' | 'unknown';
}

export async function recoveredPurges(
  output: Pick<Output, 'read'>,
  added: readonly PurgedVersion[],
): Promise<readonly RecoveredPurge[]> {
  const { of, blocks } = lookUpPurged(added);
  const purges: RecoveredPurge[] = [];
  for (const name of new Set(added.map((row) => row.name))) {
    const path = indexPath(name);
    const text = await output.read('index', path);
    if (text === undefined) continue;
    const index = parseOwnFile(`index/${path}`, () => parsePackageIndex(text));
    const entries = index?.versions.filter(
      ({ version_normalized: normalized, reference }) => blocks(name, { normalized, reference }) !== undefined,
    );
    const found = entries ?? (of(name) ?? []).map((row) => ({ ...row, state: 'unknown' as const }));
    purges.push(
      ...found.map(({ version, version_normalized, reference, state }) => ({
        name,
        version,
        version_normalized,
        reference,
        state,
      })),
    );
  }
  return purges;
}
