// What can be done with trusted publishers: the operations that API, commands and console call.

import { z } from 'zod';
import type { StateStore } from '../core/state/state-store.ts';
import { idSchema } from '../registry/fields.ts';
import { operation } from '../registry/operation.ts';
import { pageOf, pageQuery, paginate } from '../registry/page.ts';
import type { Actor } from '../state/audit.ts';
import type { Issuer } from './model/issuer.ts';
import { type PublisherRecord, listPublishers as readPublishers } from './model/publisher.ts';
import {
  idTokenExplanation,
  idTokenQuestion,
  publisherDraft,
  publisherPatch,
  publisherSchema,
  type PublisherDocument,
  type ExplanationDocument,
} from './records/publisher-schema.ts';
import { readRow, ageOrder } from '../state/rows.ts';
import type { Publishers } from './records/publishers.ts';
import type { OidcTokens } from './tokens/oidc-tokens.ts';
import type { IdTokenExplanation } from './tokens/explain-id-token.ts';
import { parsePublisherUse, publisherUseKey, windowAt } from './model/publisher-use.ts';
import { sharedId } from './records/same-repository.ts';

// A publisher in the management API and in `--json`: its rules, what is known of its repository, and its last exchange.

async function show(
  { state, issuers }: PublisherServices,
  record: PublisherRecord,
  nowMs: number,
): Promise<PublisherDocument> {
  const use = await readRow(state, publisherUseKey(record.id), parsePublisherUse);
  const { used, endsMs } = windowAt(use, nowMs);
  const isPinned = record.repository_id !== null || record.repository === null;
  const shared = isPinned ? null : sharedId(record, await readPublishers(state));
  return {
    ...record,
    ids: shared === null ? idsOf(record) : 'shared',
    shared_repository_id: shared,
    issuer_accepted: issuers.some(({ url, kind }) => url === record.issuer && kind === record.kind),
    exchanges: {
      used,
      limit: record.exchanges_per_hour,
      resets_at: used === 0 ? null : new Date(endsMs).toISOString(),
    },
    last_exchange_at: use?.last_at ?? null,
    last_run: use?.last ?? null,
  };
}

function idsOf({ kind, repository_id: id, ids_learnt_at: learnt }: PublisherRecord): PublisherDocument['ids'] {
  if (kind === 'oidc') return 'none';
  if (learnt !== null) return 'learnt';
  return id === null ? 'unknown' : 'given';
}

type ExplainedToken = ExplanationDocument['publishers'][number]['token'];

/** The explanation of an ID token in the management API and in `--json`. */
function explanationDocument(explanation: IdTokenExplanation): ExplanationDocument {
  const { verified, problem, issuer, run, publishers } = explanation;
  return {
    verified,
    problem,
    issuer: issuer?.url ?? null,
    run,
    publishers: publishers.map(({ record, is_of_repository, mismatches }) => ({
      id: record.id,
      name: record.name,
      purpose: record.purpose,
      of_repository: is_of_repository,
      accepts: mismatches.length === 0,
      mismatches,
      token: mismatches.length === 0 && problem === null ? tokenOf(record) : null,
    })),
  };
}

function tokenOf(record: PublisherRecord): ExplainedToken {
  const { purpose, token_minutes: minutes, packages, constraints, stability, not_after } = record;
  return { kind: purpose === 'publish' ? 'write' : 'read', minutes, packages, constraints, stability, not_after };
}

export interface PublisherServices {
  readonly publishersOf: (actor: Actor) => Publishers;
  /** those that the operator accepts */
  readonly issuers: readonly Issuer[];
  readonly oidc: Pick<OidcTokens, 'audience' | 'explain'>;
  readonly state: Pick<StateStore, 'get' | 'range'>;
}

const tag = 'Trusted publishers';
const params = z.strictObject({ id: idSchema('pub', 'the publisher') });
const one = { tag, path: '/api/publishers/{id}', params, errors: ['NOT_FOUND'] } as const;

export const listPublishers = operation({
  id: 'listPublishers',
  method: 'get',
  path: '/api/publishers',
  tag,
  summary: 'List trusted publishers',
  description: 'Oldest first.',
  query: pageQuery,
  answer: pageOf(publisherSchema),
  answers: 'a page of publishers',
  run: async (services: PublisherServices, query, { actor, nowMs }) => {
    const { data, next_cursor } = paginate(await services.publishersOf(actor).list(), query, ageOrder);
    return { data: await Promise.all(data.map((record) => show(services, record, nowMs))), next_cursor };
  },
});

export const createPublisher = operation({
  id: 'createPublisher',
  form: '/publishers/new',
  method: 'post',
  path: '/api/publishers',
  tag,
  summary: 'Add a trusted publisher',
  description:
    'CI jobs that fit its rules then exchange their ID token for a token of this registry, without a stored secret. The ' +
    'packages need not exist yet.',
  body: publisherDraft,
  status: 201,
  answer: publisherSchema,
  answers: 'the publisher',
  run: async (services: PublisherServices, draft, { actor, nowMs }) =>
    show(services, await services.publishersOf(actor).create(draft), nowMs),
});

export const getPublisher = operation({
  ...one,
  id: 'getPublisher',
  method: 'get',
  summary: 'Get a trusted publisher',
  description: 'With its last exchange, and the ids that were learnt of its repository.',
  answer: publisherSchema,
  answers: 'the publisher',
  run: async (services: PublisherServices, { id }, { actor, nowMs }) =>
    show(services, await services.publishersOf(actor).get(id), nowMs),
});

export const updatePublisher = operation({
  ...one,
  id: 'updatePublisher',
  form: '/publishers/:id/edit',
  method: 'patch',
  summary: 'Change a trusted publisher',
  description:
    'Only the given fields change; its issuer and its purpose cannot. With another repository, learnt ids are learnt anew.',
  body: publisherPatch,
  answer: publisherSchema
    .extend({
      revoked_tokens: z.int().meta({ description: 'how many tokens that it had given out are revoked', example: 0 }),
    })
    .meta({ id: 'ChangedPublisher' }),
  answers: 'the changed publisher',
  run: async (services: PublisherServices, { id, ...patch }, { actor, nowMs }) => {
    const { record, revoked } = await services.publishersOf(actor).update(id, patch);
    return { ...(await show(services, record, nowMs)), revoked_tokens: revoked };
  },
});

export const deletePublisher = operation({
  ...one,
  id: 'deletePublisher',
  form: '/publishers/:id/remove',
  method: 'delete',
  summary: 'Remove a trusted publisher',
  description: 'Its tokens are revoked at once.',
  answer: z.object({ id: idSchema('pub', 'the publisher') }),
  answers: 'the removed publisher',
  run: async ({ publishersOf }: PublisherServices, { id }, { actor }) => ({
    id: (await publishersOf(actor).remove(id)).id,
  }),
});

/** What its removal takes away. */
export const publisherRemoval = 'Its CI jobs can no longer get tokens. Current tokens are revoked.';

export const explainIdToken = operation({
  id: 'explainIdToken',
  method: 'post',
  path: '/api/publishers/explain',
  tag,
  summary: 'Explain an ID token',
  description: 'What an ID token would get, and why not. The ID token is not used up, and may be expired.',
  body: idTokenQuestion,
  answer: idTokenExplanation,
  answers: 'the explanation',
  errors: ['NOT_AVAILABLE'],
  run: async ({ oidc }: PublisherServices, { token }) => explanationDocument(await oidc.explain(token)),
});

export const publisherOperations = [
  listPublishers,
  createPublisher,
  explainIdToken,
  getPublisher,
  updatePublisher,
  deletePublisher,
];

/** All publishers, oldest first. */
export async function publisherRows(services: PublisherServices, nowMs: number): Promise<readonly PublisherDocument[]> {
  const stored = await readPublishers(services.state);
  return Promise.all(stored.map(({ record }) => show(services, record, nowMs)));
}
