// The CI job that published an artifact without a stored secret, as its ID token describes it.

import { z } from 'zod';
import { isJsonObject, type JsonObject, type JsonValue } from '../../build/contract/json.ts';
import { malformedRecord } from '../core/state/state-error.ts';
import { idSchema } from '../registry/fields.ts';

/** A type, not an interface: it is stored as JSON. */
export type PublishedFrom = {
  /** the id of the trusted publisher: `pub_…` */
  readonly publisher: string;
  /** the claim `iss` */
  readonly issuer: string;
  readonly repository: string | null;
  readonly run_id: string | null;
  readonly run_attempt: string | null;
  /** the page of the run at its forge */
  readonly run_url: string | null;
  /** `refs/tags/v1.2.0` */
  readonly ref: string | null;
  readonly commit: string | null;
  /** the workflow file with its place */
  readonly workflow: string | null;
};

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

const maybe = ['repository', 'run_id', 'run_attempt', 'run_url', 'ref', 'commit', 'workflow'] as const;

/** Throws StateError for a malformed value. */
export function parsePublishedFrom(value: JsonValue): PublishedFrom {
  if (isJsonObject(value) && isPublishedFrom(value)) return value as unknown as PublishedFrom;
  throw malformedRecord('The job that published an artifact');
}

export function isPublishedFrom(value: JsonObject): boolean {
  return (
    ['publisher', 'issuer'].every((name) => typeof value[name] === 'string') &&
    maybe.every((name) => value[name] === null || typeof value[name] === 'string')
  );
}
