// An uploaded artifact as the state knows it: one content of one version of one package.

import type { Branded } from '../../build/contract/brand.ts';
import { artifactDigest } from '../../build/contract/artifact-files.ts';
import { isJsonObject, type JsonValue } from '../../build/contract/json.ts';
import { randomBase62, type RandomBytes } from '../../build/shared/text/base62.ts';
import { malformedRecord } from '../core/state/state-error.ts';
import { isPublishedFrom, type PublishedFrom } from './published-from.ts';

/** `art_` and 16 base62 characters. */
export type ArtifactId = Branded<string, 'ArtifactId'>;

/**
 * `withdrawn`: its version is no longer offered. `superseded`: a dev version has newer content. Lock files can still
 * install both.
 */
export const artifactStatuses = ['published', 'withdrawn', 'superseded'] as const;
export type ArtifactStatus = (typeof artifactStatuses)[number];

export interface ArtifactRecord {
  readonly id: ArtifactId;
  readonly name: string;
  readonly version: string;
  readonly version_normalized: string;
  readonly reference: string;
  /** SHA-256 of the whole ZIP, lower-case hex */
  readonly sha256: string;
  /** `dist.shasum`, lower-case hex */
  readonly sha1: string;
  /** bytes */
  readonly size: number;
  /** URL of the dist */
  readonly url: string;
  readonly status: ArtifactStatus;
  /** RFC 3339 UTC */
  readonly created_at: string;
  readonly created_by: string;
  /** when it was withdrawn or superseded, RFC 3339 UTC; null while it is published */
  readonly retired_at: string | null;
  /** the CI job that published it with a token of a trusted publisher; missing: another token or a person did */
  readonly published_from?: PublishedFrom;
}

export function mintArtifactId(randomBytes: RandomBytes): ArtifactId {
  return `art_${randomBase62(16, randomBytes)}` as ArtifactId;
}

export const artifactKeyPrefix = 'artifact/';

export function artifactKey(id: string): string {
  return `${artifactKeyPrefix}${id}`;
}

/** Leads from one content of a version to its id. */
export function contentKey({
  name,
  version_normalized: normalized,
  reference,
}: Pick<ArtifactRecord, 'name' | 'version_normalized' | 'reference'>): string {
  return `artifact-content/${artifactDigest(name, normalized, reference)}`;
}

/** Leads from a version to the artifact that was published under it last, and to the publication's serial. */
export function versionKey({
  name,
  version_normalized: normalized,
}: Pick<ArtifactRecord, 'name' | 'version_normalized'>): string {
  return `artifact-version/${artifactDigest(name, normalized, '')}`;
}

/** The artifact id that a content leads to. Throws StateError for a value that is no artifact id. */
export function parseContentPointer(value: JsonValue): ArtifactId {
  if (typeof value === 'string' && isArtifactId(value)) return value;
  throw malformedRecord('A row that leads to an artifact');
}

/** The artifact that a version leads to. Throws StateError when it is malformed. */
export function parseVersionPointer(value: JsonValue): { readonly id: ArtifactId; readonly serial: number } {
  const { id, serial } = isJsonObject(value) ? value : {};
  if (typeof id === 'string' && isArtifactId(id) && typeof serial === 'number') return { id, serial };
  throw malformedRecord('A row that leads to an artifact');
}

export function isArtifactId(text: string): text is ArtifactId {
  return /^art_[0-9A-Za-z]{16}$/.test(text);
}

/** A record as stored. Throws StateError when it is not one. */
export function parseArtifactRecord(value: JsonValue): ArtifactRecord {
  if (isJsonObject(value) && isRecord(value)) return value;
  throw malformedRecord('An artifact record');
}

const statuses: ReadonlySet<unknown> = new Set(artifactStatuses);

function isRecord(value: object): value is ArtifactRecord {
  const record = value as Partial<Record<keyof ArtifactRecord, unknown>>;
  const texts = [
    record.id,
    record.name,
    record.version,
    record.version_normalized,
    record.reference,
    record.sha256,
    record.sha1,
    record.url,
    record.created_at,
    record.created_by,
  ];
  const from = record.published_from as JsonValue | undefined;
  return (
    texts.every((text) => typeof text === 'string') &&
    Number.isSafeInteger(record.size) &&
    statuses.has(record.status) &&
    (record.retired_at === null || typeof record.retired_at === 'string') &&
    (from === undefined || (isJsonObject(from) && isPublishedFrom(from)))
  );
}
