// An uploaded artifact as the state knows it: one content of one version of one package.

import { z } from 'zod';
import type { Branded } from '../../build/contract/brand.ts';
import { artifactDigest } from '../../build/contract/artifact-files.ts';
import { isJsonObject, type JsonValue } from '../../build/contract/json.ts';
import { idsOf } from '../../build/shared/text/base62.ts';
import { malformedRecord } from '../core/state/state-error.ts';
import { rowParser, type RowOf } from '../state/rows.ts';
import { publishedFromSchema } from './published-from.ts';

/** `art_` and 16 base62 characters. */
export type ArtifactId = Branded<string, 'ArtifactId'>;

/**
 * `withdrawn`: its version is no longer offered. `superseded`: its version has newer content. Lock files can still
 * install both. `staged`: it waits for a person.
 */
export const artifactStatuses = ['published', 'withdrawn', 'superseded', 'staged'] as const;
export type ArtifactStatus = (typeof artifactStatuses)[number];

export const { mint: mintArtifactId, is: isArtifactId } = idsOf<ArtifactId>('art');

const artifactRecord = z.object({
  id: z.custom<ArtifactId>((value) => typeof value === 'string'),
  name: z.string(),
  version: z.string(),
  version_normalized: z.string(),
  reference: z.string(),
  /** SHA-256 of the whole ZIP, lower-case hex */
  sha256: z.string(),
  /** `dist.shasum`, lower-case hex */
  sha1: z.string(),
  /** bytes */
  size: z.number().int(),
  /** URL of the dist */
  url: z.string(),
  status: z.enum(artifactStatuses),
  /** RFC 3339 UTC */
  created_at: z.string(),
  created_by: z.string(),
  /** when it was withdrawn or superseded, RFC 3339 UTC; null while it is published */
  retired_at: z.string().nullable(),
  /** the CI job that published it with a token of a trusted publisher; missing: another token or a person did */
  published_from: publishedFromSchema.exactOptional(),
});
export type ArtifactRecord = RowOf<typeof artifactRecord>;

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

export const stagedPrefix = 'artifact-staged/';

/** Leads from a version to the staged artifact that waits for it. */
export function stagedKey({
  name,
  version_normalized: normalized,
}: Pick<ArtifactRecord, 'name' | 'version_normalized'>): string {
  return `${stagedPrefix}${artifactDigest(name, normalized, '')}`;
}

/** The artifact id that a content leads to. Throws StateError for a value that is no artifact id. */
export function parseContentPointer(value: JsonValue): ArtifactId {
  if (isArtifactId(value)) return value;
  throw malformedRecord('A row that leads to an artifact');
}

/** The artifact that a version leads to. Throws StateError when it is malformed. */
export function parseVersionPointer(value: JsonValue): { readonly id: ArtifactId; readonly serial: number } {
  const { id, serial } = isJsonObject(value) ? value : {};
  if (isArtifactId(id) && typeof serial === 'number') return { id, serial };
  throw malformedRecord('A row that leads to an artifact');
}

/** A record as stored. Throws StateError when it is not one. */
export const parseArtifactRecord = rowParser(artifactRecord, 'An artifact record');
