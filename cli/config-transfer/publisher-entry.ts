// A trusted publisher in the file of `config export`: its rules and what its jobs get. It has no secret. Its id, its
// times and its count belong to one registry, and are left out.

import { z } from 'zod';

import { issuerKinds } from '../../proxy/publishers/model/issuer.ts';
import { purposes, refRules, workflowClaims, type PublisherRecord } from '../../proxy/publishers/model/publisher.ts';
import { stabilities } from '../../proxy/core/views/token-limits.ts';

const textOrNull = z.string().nullable().default(null);

/** Missing members of a rule mean: no such rule. Missing numbers and refs mean the usual ones. */
export const publisherShape = z.strictObject({
  name: z.string(),
  issuer: z.string(),
  kind: z.enum(issuerKinds),
  purpose: z.enum(purposes),
  repository: textOrNull,
  /** null: the first exchange pins it */
  repository_id: textOrNull,
  owner_id: textOrNull,
  workflow: textOrNull,
  workflow_claim: z.enum(workflowClaims).default('job'),
  environment: textOrNull,
  refs: z.enum(refRules).optional(),
  claims: z.record(z.string(), z.string()).default({}),
  packages: z.array(z.string()).nullable().default(null),
  constraints: z.record(z.string(), z.string()).nullable().default(null),
  stability: z.enum(stabilities).nullable().default(null),
  not_after: textOrNull,
  token_minutes: z.number().optional(),
  exchanges_per_hour: z.number().optional(),
});

export type PublisherEntry = z.infer<typeof publisherShape>;

export function publisherEntry(record: PublisherRecord): PublisherEntry {
  const { packages, constraints, claims } = record;
  return {
    name: record.name,
    issuer: record.issuer,
    kind: record.kind,
    purpose: record.purpose,
    repository: record.repository,
    repository_id: record.repository_id,
    owner_id: record.owner_id,
    workflow: record.workflow,
    workflow_claim: record.workflow_claim,
    environment: record.environment,
    refs: record.refs,
    claims: { ...claims },
    packages: packages === null ? null : [...packages],
    constraints: constraints === null ? null : { ...constraints },
    stability: record.stability,
    not_after: record.not_after,
    token_minutes: record.token_minutes,
    exchanges_per_hour: record.exchanges_per_hour,
  };
}
