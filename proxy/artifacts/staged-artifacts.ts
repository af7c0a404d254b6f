// Staged uploads: the ZIP is stored, and no build reads it until a person approves it. The ZIP is not in the tree, so no
// loss of a row makes it visible. One row for each version says what waits for it.

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { artifactsFolder, retiredPath } from '../../build/contract/artifact-files.ts';
import { RegistryError } from '../../build/contract/errors.ts';
import { compareText } from '../../build/shared/text/compare-text.ts';
import { newRecord, publishEvent, recordAt, type ArtifactsOptions, type Registered } from './artifact-rows.ts';
import {
  artifactKey,
  contentKey,
  parseContentPointer,
  stagedKey,
  stagedPrefix,
  type ArtifactRecord,
} from './artifact.ts';
import type { CleanupOptions } from './cleanup.ts';
import { isOffered } from './publication-status.ts';
import type { PublishedFrom } from './published-from.ts';
import type { ArtifactPublication } from './publisher.ts';

/** A staged upload that nobody decided is removed after this time. */
const stagedMs = 14 * 86_400_000;

export function endOfStaged({ created_at: at }: Pick<ArtifactRecord, 'created_at'>): number {
  return Date.parse(at) + stagedMs;
}

type StoredContent = Pick<ArtifactRecord, 'name' | 'version_normalized' | 'reference'>;

/** Of its ZIP, below the data folder. */
export function storedPath({ name, version_normalized: normalized, reference }: StoredContent): string {
  return join(artifactsFolder, retiredPath(name, normalized, reference));
}

/** Oldest first. Those that nobody decided in time are removed. */
export async function listStaged(options: CleanupOptions): Promise<readonly ArtifactRecord[]> {
  const waiting: ArtifactRecord[] = [];
  for (const { value } of await options.store.range(stagedPrefix)) {
    const record = (await recordAt(options.store, parseContentPointer(value)))?.record;
    if (record?.status !== 'staged') continue;
    const isEnded = endOfStaged(record) <= options.now();
    if (!isEnded || !(await discardStaged({ ...options, actor: 'system:staging' }, record))) waiting.push(record);
  }
  return waiting.toSorted((one, other) => compareText(one.created_at, other.created_at));
}

/** Throws VERSION_EXISTS while another content of the version waits, and for content that was published before. */
export async function registerStaged(
  options: ArtifactsOptions,
  { serial: _serial, ...publication }: ArtifactPublication,
  from: PublishedFrom | undefined,
): Promise<Registered> {
  const { store } = options;
  await listStaged(options);
  for (;;) {
    const [content, waiting] = [await store.get(contentKey(publication)), await store.get(stagedKey(publication))];
    const same = content && (await recordAt(store, parseContentPointer(content.value)));
    if (same?.record.status === 'staged' && waiting !== undefined) return { record: same.record, created: false };
    if (waiting !== undefined) {
      if (same === undefined) await rm(join(options.dataDirectory, storedPath(publication)), { force: true });
      throw otherWaits(publication.name, publication.version);
    }
    // a rejection would remove the record and the ZIP of the withdrawn artifact
    if (same !== undefined && same.record.status !== 'staged')
      throw wasPublished(publication.name, publication.version);
    const made = newRecord(options, from);
    const id = same?.record.id ?? made.id;
    const record: ArtifactRecord = { ...made, ...publication, id, status: 'staged', retired_at: null };
    const done = await store.commit(
      {
        conditions: [
          { key: contentKey(record), revision: content?.revision ?? null },
          { key: stagedKey(record), revision: null },
          { key: artifactKey(id), revision: same?.revision ?? null },
        ],
        puts: [
          { key: artifactKey(id), value: { ...record } },
          { key: contentKey(record), value: id },
          { key: stagedKey(record), value: id },
        ],
        deletes: [],
      },
      publishEvent(options, record),
    );
    if (done) return { record, created: true };
  }
}

function otherWaits(name: string, version: string): RegistryError {
  return new RegistryError('VERSION_EXISTS', {
    message:
      `Another upload of ${name} ${version} waits for a person. Wait for the decision, or ask for its rejection, which ` +
      'frees the version.',
  });
}

function wasPublished(name: string, version: string): RegistryError {
  return new RegistryError('VERSION_EXISTS', {
    message:
      `This content of ${name} ${version} was published before, and withdrawn. A person, or a token that is not staged, ` +
      'can upload it again.',
  });
}

/** false: an interrupted approval has published it. The rows go first: a cleanup removes a ZIP without a row. */
export async function discardStaged(
  options: CleanupOptions,
  { id }: { readonly id: string },
  reason?: string,
): Promise<boolean> {
  const { store, actor, dataDirectory } = options;
  const found = await recordAt(store, id);
  if (found?.record.status !== 'staged') return true;
  if (await isOffered(dataDirectory, found.record)) return false;
  const { name, version } = found.record;
  const done = await store.commit(
    {
      conditions: [{ key: artifactKey(id), revision: found.revision }],
      puts: [],
      deletes: [artifactKey(id), contentKey(found.record), stagedKey(found.record)],
    },
    {
      actor,
      action: 'artifact.discard',
      subject: id,
      details: { name, version, reason: reason ?? 'nobody decided within 14 days' },
    },
  );
  if (!done) return discardStaged(options, found.record, reason);
  await rm(join(dataDirectory, storedPath(found.record)), { force: true });
  return true;
}
