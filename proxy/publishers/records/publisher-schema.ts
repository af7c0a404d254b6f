// Trusted publishers and the exchange of ID tokens in requests and responses of the management API.

import { z } from 'zod';
import { issuerKinds } from '../model/issuer.ts';
import {
  longestName,
  mostClaims,
  mostExchanges,
  purposes,
  refRules,
  textRules,
  workflowClaims,
} from '../model/publisher.ts';
import { publishedFromSchema } from '../../artifacts/published-from.ts';
import { actorSchema, idSchema, time, timeSchema } from '../../registry/fields.ts';
import type { Fixed } from '../../registry/operation.ts';
import { shownLimits, takenLimits } from '../../registry/token-limit-fields.ts';

const maybe = (field: keyof typeof textRules, description: string, example: string) =>
  z.string().max(textRules[field].longest).nullable().meta({ description, example });

const rules = {
  name: z.string().min(1).max(longestName).meta({ description: 'a name for people', example: 'Release of acme/app' }),
  repository: maybe(
    'repository',
    'the repository or project of the jobs; its name counts until its id is known',
    'acme/app',
  ),
  repository_id: maybe(
    'repository_id',
    'the id of the repository at its forge. Jobs of another repository with the same name are refused. null: the first ' +
      'exchange pins it',
    '123456789',
  ),
  owner_id: maybe('owner_id', 'the id of the owner at the forge. null: the first exchange pins it', '987654'),
  workflow: maybe('workflow', 'the workflow file, or its path in the repository; null: any', 'release.yml'),
  workflow_claim: z.enum(workflowClaims).meta({
    description:
      '`job`: the file that really runs must be this one (`job_workflow_ref`). `caller`: the file that was started ' +
      '(`workflow_ref`), which may call reusable workflows of others',
  }),
  environment: maybe('environment', 'the environment of the job; null: any, or none', 'release'),
  refs: z.enum(refRules).meta({
    description: 'the refs of the jobs: tags, protected branches and tags, either of them, or any',
  }),
  claims: z.record(z.string().max(100), z.string().max(500)).meta({
    maxProperties: mostClaims,
    description: 'more claims with their exact values',
    example: { runner_environment: 'github-hosted' },
  }),
  token_minutes: z
    .int()
    .min(1)
    .max(60)
    .meta({ description: 'the lifetime of a token: at most 15 minutes for `publish`, 60 for `read`', example: 15 }),
  exchanges_per_hour: z
    .int()
    .min(1)
    .max(mostExchanges)
    .meta({ description: 'the maximum number of exchanges an hour', example: 60 }),
};

const { networks: _shown, ...shownView } = shownLimits;
const { networks: _taken, ...takenView } = takenLimits;
/** What can be changed later. An absent field stays unchanged; null: no rule. */
const optional = { ...z.object(rules).partial().shape, ...takenView };

const purpose = z.enum(purposes).meta({
  description: '`publish`: a write token for its packages. `read`: a read token that sees its packages and versions',
});
const issuer = z.string().min(1).max(2000);

export const publisherSchema = z
  .object({
    id: idSchema('pub', 'the publisher'),
    ...rules,
    issuer: issuer.meta({ description: 'the issuer of the ID tokens', example: 'https://gitlab.com' }),
    kind: z.enum(issuerKinds).meta({ description: 'the kind of the issuer' }),
    purpose,
    ...shownView,
    ids: z.enum(['given', 'learnt', 'shared', 'unknown', 'none']).meta({
      description:
        'where the ids of the repository come from. `shared`: another publisher of the repository pinned its id. ' +
        '`unknown`: the first exchange pins them. `none`: the issuer has none',
    }),
    shared_repository_id: z.string().nullable().meta({
      description: 'the id that another publisher of the repository pinned, and that counts here too; null: none',
      example: null,
    }),
    ids_learnt_at: time.nullable().meta({ description: 'when an exchange pinned the ids; null: none did' }),
    issuer_accepted: z
      .boolean()
      .meta({ description: 'false: the setting oidcIssuers no longer names the issuer, and nobody can exchange' }),
    exchanges: z
      .object({
        used: z.int().meta({ description: 'exchanges in the current window' }),
        limit: z.int().meta({ description: 'the maximum number of exchanges in the window' }),
        resets_at: time.nullable().meta({ description: 'when the window ends; null: the next exchange starts one' }),
      })
      .meta({ description: 'the count of exchanges' }),
    last_exchange_at: time.nullable().meta({ description: 'when a job last exchanged; null: none did' }),
    last_run: publishedFromSchema.nullable().meta({ description: 'the job of the last exchange' }),
    created_at: timeSchema('it was made'),
    created_by: actorSchema('made it'),
    updated_at: timeSchema('a person last changed it'),
  })
  .meta({ id: 'Publisher' });
export type PublisherDocument = Fixed<z.output<typeof publisherSchema>>;

export const publisherDraft = z
  .strictObject({
    ...optional,
    issuer: issuer.meta({
      description: 'an issuer of the setting oidcIssuers, or its kind if only one is of this kind',
      example: 'github',
    }),
    purpose,
  })
  .meta({
    id: 'PublisherDraft',
    example: {
      issuer: 'github',
      purpose: 'publish',
      repository: 'acme/app',
      workflow: 'release.yml',
      environment: 'release',
      packages: ['acme/app'],
    },
  });

export const publisherPatch = z
  .strictObject(optional)
  .meta({ id: 'PublisherPatch', example: { workflow: 'publish.yml', exchanges_per_hour: 20 } });

const idToken = z.string().min(1).max(65_536).meta({
  description: 'the ID token (JWT) that the CI system made for this job, at most 16 KiB',
  example: 'eyJ…',
});

export const idTokenExchange = z
  .strictObject({
    token: idToken,
    publisher: idSchema('pub', 'the publisher; needed if several accept the job').optional(),
    purpose: purpose.optional(),
  })
  .meta({ id: 'IdTokenExchange', example: { token: 'eyJ…' } });

export const exchangedToken = z
  .object({
    token: z.string().meta({ description: 'the token of this registry; it appears only in this answer' }),
    id: idSchema('tok', 'the token'),
    kind: z.enum(['read', 'write']).meta({ description: '`read`: installs packages. `write`: publishes packages' }),
    expires_at: timeSchema('the token expires'),
    publisher: idSchema('pub', 'the publisher that accepted the job'),
  })
  .meta({ id: 'ExchangedToken' });

export const audienceSchema = z
  .object({
    audience: z.string().meta({
      description: 'the audience that an ID token for this registry must have, and no other',
      example: 'https://packages.example.org',
    }),
  })
  .meta({ id: 'OidcAudience' });

export const idTokenQuestion = z
  .strictObject({ token: idToken })
  .meta({ id: 'IdTokenQuestion', example: { token: 'eyJ…' } });

const mismatch = z
  .object({
    claim: z.string().meta({ description: 'the claim of the ID token' }),
    expected: z.string().meta({ description: 'what was expected' }),
    found: z.string().nullable().meta({ description: 'what the ID token has; null: nothing' }),
  })
  .meta({ id: 'ClaimMismatch' });

export const idTokenExplanation = z
  .object({
    verified: z.boolean().meta({ description: 'true: signature, issuer, audience and times are right' }),
    problem: z
      .string()
      .nullable()
      .meta({ description: 'why the ID token cannot be exchanged, whatever the publishers say; null: it can' }),
    issuer: z.string().nullable().meta({ description: 'the issuer; null: it is not accepted here' }),
    run: publishedFromSchema
      .omit({ publisher: true })
      .nullable()
      .meta({ description: 'what the ID token says of its job' }),
    publishers: z
      .array(
        z.object({
          id: idSchema('pub', 'the publisher'),
          name: rules.name,
          purpose,
          of_repository: z.boolean().meta({ description: 'true: the job is of the repository of this publisher' }),
          accepts: z.boolean().meta({ description: 'true: no claim contradicts its rules' }),
          mismatches: z.array(mismatch).meta({ description: 'the claims that contradict its rules' }),
          token: z
            .object({
              kind: z.enum(['read', 'write']).meta({ description: 'the kind of the token' }),
              minutes: z.int().meta({ description: 'its lifetime' }),
              ...shownView,
            })
            .nullable()
            .meta({ description: 'what the ID token gets here; null: nothing' }),
        }),
      )
      .meta({ description: 'the publishers of the issuer, those that accept the job first' }),
  })
  .meta({ id: 'IdTokenExplanation' });
export type ExplanationDocument = Fixed<z.output<typeof idTokenExplanation>>;
export type PublisherDraft = Fixed<z.input<typeof publisherDraft>>;
export type PublisherFields = Fixed<z.input<typeof publisherPatch>>;
