// The CI job that published an artifact without a stored secret, as its ID token describes it.

import { z } from 'zod';
import { idSchema } from '../registry/fields.ts';
import type { Fixed } from '../state/rows.ts';

/** Without a name of its own: a named schema would be nullable in every place. */
export const publishedFromSchema = z.object({
  publisher: idSchema('pub', 'the trusted publisher'),
  issuer: z.string().meta({
    description: 'the issuer of the ID token',
    example: 'https://token.actions.githubusercontent.com',
  }),
  repository: z.string().nullable().meta({ description: 'the repository or project', example: 'acme/app' }),
  run_id: z.string().nullable().meta({ description: 'the run or pipeline', example: '1234567890' }),
  run_attempt: z.string().nullable().meta({ description: 'the attempt of the run, or its job', example: '1' }),
  run_url: z.string().nullable().meta({ description: 'the page of the run at its forge' }),
  ref: z.string().nullable().meta({ description: 'the tag or branch', example: 'refs/tags/v1.2.0' }),
  commit: z.string().nullable().meta({ description: 'the commit' }),
  workflow: z.string().nullable().meta({ description: 'the workflow file with its place' }),
});

/** A type, not an interface: it is stored as JSON. */
export type PublishedFrom = Fixed<z.output<typeof publishedFromSchema>>;
