// Looks up the published version that an upload would become, and the reason why it may not.

import { lookUpPurged, type PurgedVersion } from '../contract/purged.ts';
import type { IndexEntry } from '../contract/serving-index.ts';
import { readPublication } from '../memory/tree-memory.ts';
import { createDiskOutput } from '../output/disk-output.ts';
import type { Output } from '../output/output.ts';
import { listPurged } from '../package/purged.ts';
import { findWithheld } from '../version-lists/withheld.ts';
import type { ReadableArtifacts } from './artifact-tree.ts';
import type { ExaminedArtifact } from './examine-staged.ts';
import { refused, type RefusedArtifact } from './outcome.ts';

export type IsRejected = (
  archive: Pick<ExaminedArtifact, 'name' | 'normalized'> & { readonly reference: string },
) => boolean;

/** The published entry with the same content, the reason of a refusal, or undefined for a new version. */
export async function findExisting(
  artifact: ExaminedArtifact,
  tree: ReadableArtifacts,
  isRejected: IsRejected = () => false,
): Promise<IndexEntry | RefusedArtifact | undefined> {
  const { name, version, normalized, reference } = artifact;
  const output = createDiskOutput(tree.dataDirectory);
  const tombstone = lookUpPurged(await listPurged(output)).blocks(name, { normalized, reference });
  if (tombstone !== undefined) return purged({ name, version, normalized }, tombstone);
  if ((await findWithheld(output, name, normalized)) !== undefined)
    return refused(
      'VERSION_EXISTS',
      `${name} ${version} was withdrawn by hand, and stays so. Publish another version, or run \`libretto ` +
        `package restore ${name} ${version}\` on the host.`,
      { name, version },
    );
  if (await isRolledBack(artifact, output))
    return refused(
      'VERSION_EXISTS',
      `${name} ${version} with this content was rolled back, and stays so. Publish another version, or run ` +
        '`libretto rollback --lift` on the host, which ends the rollback.',
      { name, version },
    );
  const entries = (await tree.entries(name)).filter((entry) => entry.version_normalized === normalized);
  const published = entries.find(({ state }) => state === 'published');
  return (
    refuseConflict(artifact, { entries, published, isRejected }, tree) ??
    (published?.reference === reference ? published : undefined)
  );
}

/** A build does not publish such a content, so an upload of it would change nothing. */
async function isRolledBack({ name, normalized, reference }: ExaminedArtifact, output: Output): Promise<boolean> {
  const held = (await readPublication(output))?.undone ?? [];
  return held.some((one) => one.name === name && one.version_normalized === normalized && one.reference === reference);
}

interface VersionEntries {
  /** all entries of the version */
  readonly entries: readonly IndexEntry[];
  readonly published: IndexEntry | undefined;
  readonly isRejected: IsRejected;
}

/** The refusal of an artifact that conflicts with the known entries of its version. */
function refuseConflict(
  { name, version, normalized, dev, reference }: ExaminedArtifact,
  { entries, published, isRejected }: VersionEntries,
  tree: ReadableArtifacts,
): RefusedArtifact | undefined {
  const known = published ?? entries[0];
  if (known === undefined) return undefined;
  const what = `${name} ${known.version}`;
  const about = { name, version: known.version, reference: known.reference };
  if (published !== undefined && published.source !== tree.source)
    return refused(
      'VERSION_EXISTS',
      `${what} is published by another source of this registry. Publish another version, or remove this ` +
        'version from the other source first.',
      about,
    );
  if (published !== undefined && published.version !== version)
    return refused(
      'VERSION_EXISTS',
      `${what} is already published, and Composer treats ${version} as the same version. Publish another version.`,
      about,
    );
  if (isRejected({ name, normalized, reference }) && entries.some((entry) => entry.reference !== reference))
    return refused(
      'VERSION_EXISTS',
      `A person rejected this archive of ${what}, and the version has another one now. Publish another version.`,
      about,
    );
  if (dev || entries.some((entry) => entry.reference === reference)) return undefined;
  if (isRejected({ name, normalized, reference: known.reference })) return undefined;
  const was = published === undefined ? 'was published before' : 'is published already';
  return refused(
    'VERSION_EXISTS',
    `${what} ${was}, with other content. A released version never changes: publish a new version.`,
    about,
  );
}

/**
 * Names the date and reason only of the version itself. An uploader may not see another purged version with the same
 * content (I14).
 */
export function purged(
  { name, version, normalized }: Pick<ExaminedArtifact, 'name' | 'version' | 'normalized'>,
  tombstone?: PurgedVersion,
): RefusedArtifact {
  const advice = 'Publish a new version with other content.';
  if (tombstone?.version_normalized !== normalized) {
    return refused(
      'VERSION_PURGED',
      `The content of ${name} ${version} was purged, and is never published again. ${advice}`,
      { name, version },
    );
  }
  const { reason, since } = tombstone;
  return refused(
    'VERSION_PURGED',
    `${name} ${version} was purged on ${since.slice(0, 10)} (${reason}), and is never published again. ${advice}`,
    { name, version, reason },
  );
}
