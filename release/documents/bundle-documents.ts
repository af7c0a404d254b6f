// The JSON of `libretto bundle`, and what `libretto receive` adds to its report for a bundle.

import { z } from 'zod';
import { count, name, orNull, text, version } from './parts.ts';

const since = orNull(z.int(), 'the publication whose archives are not in the bundle; null: it has all archives');

export const receivedBundle = z.object({
  registry: text('the registry that the bundle was made on'),
  serial: z.int().describe('its publication'),
  since,
  mirrored: z
    .array(z.object({ name, version }))
    .describe('versions of other registries that were stored; in a dry run, that would be'),
  mirrored_here: count('versions of other registries that were stored here before'),
  left_out: z.array(z.string()).describe('a sentence for each version that is stored here with other bytes'),
});

export const writtenBundle = z.object({
  file: text('the absolute path of the bundle'),
  registry: text('the name of this registry on the other one'),
  serial: z.int().describe('the publication in the bundle'),
  since,
  whole: z.boolean().describe('false: the bundle has only what lock files need'),
  files: count('files in the bundle'),
  mirrored: count('versions of other registries'),
  lacking: count(
    'versions that were left out, since their archives are not stored here; absent without --token',
  ).optional(),
  bytes: count('the size of the bundle'),
  sha256: text('the SHA-256 of the bundle'),
});
