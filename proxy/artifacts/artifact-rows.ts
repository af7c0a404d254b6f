// What each change of an artifact's rows begins with: a new record, the stored one, and the audit event.

import type { RandomBytes } from '../../build/shared/text/base62.ts';
import type { AuditedStore } from '../state/audit.ts';
import { artifactKey, mintArtifactId, parseArtifactRecord, type ArtifactRecord } from './artifact.ts';
import type { CleanupOptions } from './cleanup.ts';
import type { PublishedFrom } from './published-from.ts';
import type { ArtifactPublisher } from './publisher.ts';

export interface ArtifactsOptions extends CleanupOptions {
  readonly randomBytes: RandomBytes;
  readonly publisher: ArtifactPublisher;
}

export type Registered = { readonly record: ArtifactRecord; readonly created: boolean };

export function publishEvent({ actor }: ArtifactsOptions, record: ArtifactRecord) {
  const { id, name, version, sha256, size, created_by: by, status, published_from: job } = record;
  const details = {
    name,
    version,
    sha256,
    size,
    ...(by !== actor && { by }),
    ...(job && { published_from: { ...job } }),
  };
  const action = status === 'staged' ? 'artifact.stage' : 'artifact.publish';
  return { actor, action, subject: id, details } as const;
}

export type RecordHeader = Pick<ArtifactRecord, 'id' | 'created_at' | 'created_by' | 'published_from'>;

export function newRecord(options: ArtifactsOptions, from: PublishedFrom | undefined): RecordHeader {
  return {
    id: mintArtifactId(options.randomBytes),
    created_at: nowText(options),
    created_by: options.actor,
    ...(from && { published_from: from }),
  };
}

export interface Found {
  readonly record: ArtifactRecord;
  readonly revision: number;
}

export async function recordAt(store: AuditedStore, id: string): Promise<Found | undefined> {
  const entry = await store.get(artifactKey(id));
  return entry === undefined ? undefined : { record: parseArtifactRecord(entry.value), revision: entry.revision };
}

export function nowText({ now }: ArtifactsOptions): string {
  return new Date(now()).toISOString();
}
