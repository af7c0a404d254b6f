// What the publication of a ZIP would do, without any effect: the checks of the ZIP, and of the version it would
// become.

import type { Reference } from '../contract/digest.ts';
import type { PackageName } from '../contract/name.ts';
import { readableArtifacts } from './artifact-tree.ts';
import { examineStaged, type StagedArtifact } from './examine-staged.ts';
import { findExisting } from './find-existing.ts';
import type { RefusedArtifact } from './outcome.ts';

export interface PlannedArtifact {
  readonly outcome: 'planned';
  readonly name: PackageName;
  readonly version: string;
  readonly reference: Reference;
  /** SHA-256 of the whole ZIP, lower-case hex */
  readonly sha256: string;
  /** these very bytes are published already */
  readonly exists: boolean;
}

/** `dataDirectory`: absolute; undefined: only the ZIP is checked. */
export async function planArtifact(
  staged: StagedArtifact,
  dataDirectory: string | undefined,
): Promise<PlannedArtifact | RefusedArtifact> {
  const artifact = await examineStaged(staged);
  if ('outcome' in artifact) return artifact;
  const existing =
    dataDirectory === undefined ? undefined : await findExisting(artifact, readableArtifacts(dataDirectory));
  if (existing !== undefined && 'outcome' in existing) return existing;
  const { name, version, reference, sha256 } = artifact;
  return { outcome: 'planned', name, version, reference, sha256, exists: existing !== undefined };
}
