// Lists the contents of this registry that the added tombstones of a recovery purge. A row for a published version
// removes the version's archive permanently. Reads the tree and changes nothing.

import { lookUpPurged, type PurgedVersion } from '../contract/purged.ts';
import type { IndexState } from '../contract/serving-index.ts';
import type { Output } from '../output/output.ts';
import { contentsHere } from './same-bytes.ts';

export interface RecoveredPurge {
  readonly name: string;
  readonly version: string;
  readonly version_normalized: string;
  readonly reference: string;
  /**
   * the state before the recovery; `unknown`: no intact record lists the published versions, so the version counts as
   * published
   */
  readonly state: IndexState | 'mirrored' | 'unknown';
}

export async function recoveredPurges(
  output: Output,
  added: readonly PurgedVersion[],
): Promise<readonly RecoveredPurge[]> {
  const { of, blocks } = lookUpPurged(added);
  const purges: RecoveredPurge[] = [];
  for (const name of new Set(added.map((row) => row.name))) {
    const contents = await contentsHere(output, name);
    const found =
      contents?.filter(
        ({ version_normalized: normalized, reference }) => blocks(name, { normalized, reference }) !== undefined,
      ) ?? (of(name) ?? []).map((row) => ({ ...row, state: 'unknown' as const }));
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
