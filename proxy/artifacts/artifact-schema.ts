// An artifact as API and console show and take it.

import { z } from 'zod';
import { idSchema, time, timeSchema } from '../registry/fields.ts';
import type { Fixed } from '../registry/operation.ts';
import { artifactStatuses, type ArtifactRecord } from './artifact.ts';
import { publishedFromSchema } from './published-from.ts';

export const artifactSchema = z
  .object({
    id: idSchema('art', 'the artifact'),
    name: z.string().meta({ description: 'the package', example: 'acme/hello' }),
    version: z.string().meta({ description: 'the version of the package in this ZIP', example: '1.2.0' }),
    version_normalized: z
      .string()
      .meta({ description: 'the normalized version, as Composer compares it', example: '1.2.0.0' }),
    reference: z.string().meta({ description: '`dist.reference`: the first 40 characters of `sha256`' }),
    sha256: z.string().meta({ description: 'SHA-256 of the ZIP, in lower-case hex' }),
    sha1: z.string().meta({ description: '`dist.shasum`: SHA-1 of the ZIP, in lower-case hex' }),
    size: z.number().int().meta({ description: 'bytes of the ZIP', example: 20_480 }),
    url: z.string().meta({ description: 'the address of the dist', example: '/dist/acme/hello/1.2.0.zip' }),
    status: z.enum(artifactStatuses).meta({
      description:
        '`withdrawn`: no longer offered. `superseded`: the version has newer content. Existing lock files ' +
        'still install both, unless the policy blocks them. `staged`: it waits for a person, and no client sees it',
    }),
    created_at: timeSchema('the ZIP was uploaded'),
    created_by: z.string().meta({ description: 'who published it', example: 'token:tok_4fHj2kLm9QwErTy0' }),
    retired_at: time
      .nullable()
      .meta({ description: 'when it was withdrawn or superseded; null while it is published' }),
    published_from: publishedFromSchema
      .nullable()
      .meta({ description: 'the CI job of a trusted publisher; null: another token or a person published it' }),
    held: z
      .string()
      .optional()
      .meta({ description: 'of an upload: why a rule holds the release, which waits for approval; else absent' }),
    notices: z.array(z.string()).optional().meta({ description: 'of an upload: remarks on the ZIP for its maker' }),
  })
  .meta({ id: 'Artifact' });
export type ArtifactDocument = Fixed<z.output<typeof artifactSchema>>;

const emptyVariable = 'is empty. Is the variable of the CI system set? Without a value, leave the parameter out.';

export const uploadQuery = z.strictObject({
  version: z
    .string()
    .min(1, emptyVariable)
    .max(200)
    .optional()
    .meta({
      description:
        'the version; required if composer.json has none, and refused if composer.json has another. A plus sign ' +
        'may be sent as it is.',
      example: '1.2.0',
    }),
  name: z
    .string()
    .min(1, emptyVariable)
    .max(201)
    .optional()
    .meta({ description: 'the package name; refused if composer.json has another', example: 'acme/hello' }),
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'must be 64 lower-case hex characters')
    .optional()
    .meta({ maxLength: 64, description: 'SHA-256 of the ZIP; an upload with another checksum is refused' }),
});

export const cleanupOrder = z
  .strictObject({
    retention_days: z.number().int().min(0).max(36_500).optional().meta({
      description: 'the number of days to keep withdrawn and superseded ZIPs; default: the setting',
      example: 90,
    }),
    dry_run: z.boolean().default(true).meta({ description: 'true: list the ZIPs without removing them' }),
  })
  .meta({ id: 'ArtifactCleanupOrder' });

export const cleanupSchema = z
  .object({
    dry_run: z.boolean().meta({ description: 'true: nothing was removed' }),
    artifacts: z
      .array(artifactSchema)
      .meta({ description: 'the removed artifacts; with `dry_run`, the artifacts that would be removed' }),
    leftovers: z
      .array(
        z.object({
          file: z.string().meta({
            description: 'the path, relative to the artifacts folder',
            example: '.staging/upload-4f2a.zip',
          }),
          size: z.number().int().meta({ description: 'bytes of the file' }),
        }),
      )
      .meta({ description: 'leftover files of interrupted uploads' }),
    bytes: z.number().int().meta({ description: 'the total size in bytes' }),
  })
  .meta({ id: 'ArtifactCleanup' });

export function showArtifact({ published_from, ...fields }: ArtifactRecord): ArtifactDocument {
  return { ...fields, published_from: published_from ?? null };
}
