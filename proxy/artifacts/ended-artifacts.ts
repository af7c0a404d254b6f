// Finds the records of artifacts whose content is purged. The purge deletes these records in the same commit, so that
// none refers to a missing content.

import { isJsonObject } from '../../build/contract/json.ts';
import type { AuditedStore } from '../state/audit.ts';
import type { StateChange } from '../core/state/state-store.ts';
import { artifactKey, contentKey, versionKey, type ArtifactRecord } from './artifact.ts';

export interface EndedArtifacts extends Pick<StateChange, 'conditions' | 'deletes'> {
  readonly ids: readonly string[];
}

export async function endedArtifacts(
  store: Pick<AuditedStore, 'get'>,
  contents: readonly Pick<ArtifactRecord, 'name' | 'version_normalized' | 'reference'>[],
): Promise<EndedArtifacts> {
  const conditions: StateChange['conditions'][number][] = [];
  const deletes: string[] = [];
  const ids: string[] = [];
  for (const content of contents) {
    const entry = await store.get(contentKey(content));
    if (typeof entry?.value !== 'string') continue;
    const [id, record, pointer] = [
      entry.value,
      await store.get(artifactKey(entry.value)),
      await store.get(versionKey(content)),
    ];
    ids.push(id);
    conditions.push(
      { key: contentKey(content), revision: entry.revision },
      { key: artifactKey(id), revision: record?.revision ?? null },
    );
    deletes.push(contentKey(content), ...(record === undefined ? [] : [artifactKey(id)]));
    if (pointer === undefined || !isJsonObject(pointer.value) || pointer.value['id'] !== id) continue;
    conditions.push({ key: versionKey(content), revision: pointer.revision });
    deletes.push(versionKey(content));
  }
  return { conditions, deletes, ids };
}
