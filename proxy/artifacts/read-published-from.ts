// Finds the CI job that published one content of a version.

import type { StateStore } from '../core/state/state-store.ts';
import { artifactKey, contentKey, parseArtifactRecord, parseContentPointer, type ArtifactRecord } from './artifact.ts';
import type { PublishedFrom } from './published-from.ts';
import { readRow } from '../state/rows.ts';

/** undefined: it is no upload, or no job with a token of a trusted publisher published it. */
export async function readPublishedFrom(
  state: Pick<StateStore, 'get'>,
  content: Pick<ArtifactRecord, 'name' | 'version_normalized' | 'reference'>,
): Promise<PublishedFrom | undefined> {
  return (await readArtifactOf(state, content))?.published_from;
}

/** The upload with this content; undefined: it is no upload. */
export async function readArtifactOf(
  state: Pick<StateStore, 'get'>,
  content: Pick<ArtifactRecord, 'name' | 'version_normalized' | 'reference'>,
): Promise<ArtifactRecord | undefined> {
  const pointer = await state.get(contentKey(content));
  if (pointer === undefined) return undefined;
  return readRow(state, artifactKey(parseContentPointer(pointer.value)), parseArtifactRecord);
}
