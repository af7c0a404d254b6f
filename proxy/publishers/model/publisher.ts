// A trusted publisher, as the state stores it: which CI jobs may exchange their ID token, and what they get.

import { z } from 'zod';
import type { Branded } from '../../../build/contract/brand.ts';
import type { JsonValue } from '../../../build/contract/json.ts';
import { idsOf } from '../../../build/shared/text/base62.ts';
import { malformedRecord } from '../../core/state/state-error.ts';
import type { StateStore } from '../../core/state/state-store.ts';
import { findRow, listRows, parseRow, type RowOf, type Stored } from '../../state/rows.ts';
import { parseLimits, type TokenLimits } from '../../core/views/token-limits.ts';
import { issuerKinds } from './issuer.ts';

/** `pub_` and 16 base62 characters. */
export type PublisherId = Branded<string, 'PublisherId'>;
export const { mint: mintPublisherId, is: isPublisherId, parse: parsePublisherId } = idsOf<PublisherId>('pub');

/** `publish`: a write token for its packages. `read`: a read token with its view. */
export const purposes = ['publish', 'read'] as const;
export type Purpose = (typeof purposes)[number];

/** `job`: the file that really runs, also of a reusable workflow. `caller`: the file that was started. */
export const workflowClaims = ['job', 'caller'] as const;
export type WorkflowClaim = (typeof workflowClaims)[number];

/** The refs whose jobs may exchange. */
export const refRules = ['tags', 'protected', 'tags-or-protected', 'any'] as const;
export type RefRule = (typeof refRules)[number];

/** What the token sees. `publish` has packages alone. */
export type PublisherView = Omit<TokenLimits, 'networks'>;

/** The rules for the claims of an ID token. */
const publisherRules = z.object({
  /** the claim `iss` */
  issuer: z.string(),
  kind: z.enum(issuerKinds),
  /** `acme/app`, the path of a project; null: the ids or the rules for claims name it */
  repository: z.string().nullable(),
  /** pinned: jobs of another repository with the same name are refused. null: not known yet */
  repository_id: z.string().nullable(),
  owner_id: z.string().nullable(),
  /** a file name such as release.yml, or a path; null: any workflow of the repository */
  workflow: z.string().nullable(),
  workflow_claim: z.enum(workflowClaims),
  environment: z.string().nullable(),
  refs: z.enum(refRules),
  /** more claims with their exact values */
  claims: z.record(z.string(), z.string()),
});
export type PublisherRules = RowOf<typeof publisherRules>;

const publisherRecord = publisherRules.extend({
  id: z.custom<PublisherId>(isPublisherId),
  name: z.string(),
  purpose: z.enum(purposes),
  /** when the ids were learnt from the first exchange; null: they were given, or are not known yet */
  ids_learnt_at: z.string().nullable(),
  /** lifetime of the tokens */
  token_minutes: z.number().int().positive(),
  exchanges_per_hour: z.number().int().positive(),
  created_at: z.string(),
  created_by: z.string(),
  updated_at: z.string(),
});
export type PublisherRecord = RowOf<typeof publisherRecord> & PublisherView;

export const standardMinutes: Readonly<Record<Purpose, number>> = { publish: 15, read: 60 };
export const standardExchanges = 60;
export const mostExchanges = 1000;
export const mostClaims = 20;
export const longestName = 100;

/** What each text may be, for the API, the commands and the forms. `longest`: in characters. */
export const textRules = {
  repository: {
    longest: 4220,
    pattern: /^[^\s\p{C}/@]{1,200}(?:\/[^\s\p{C}/@]{1,200}){1,20}$/u,
    allowed: 'the path of a repository or project, such as acme/app, without an address',
  },
  repository_id: {
    longest: 100,
    pattern: /^[\w{}.-]{1,100}$/,
    allowed: 'the id of the repository at its forge, such as 123456789',
  },
  owner_id: { longest: 100, pattern: /^[\w{}.-]{1,100}$/, allowed: 'the id of the owner at the forge, such as 987654' },
  workflow: {
    longest: 200,
    pattern: /^[^\s\p{C}@]{1,200}$/u,
    allowed: 'the file of a workflow such as release.yml, or its path in the repository',
  },
  environment: { longest: 200, pattern: /^[^\p{C}]{1,200}$/u, allowed: 'the name of an environment, one line' },
} as const;

export const publisherPrefix = 'publisher/';
const kindOfRow = 'The record of a trusted publisher';

export function publisherKey(id: PublisherId): string {
  return `${publisherPrefix}${id}`;
}

/** Throws StateError for a value that is no row of a publisher: a wrong row must not grant access. */
export function parsePublisherRecord(value: JsonValue): PublisherRecord {
  const record = parseRow(publisherRecord, value, kindOfRow) as PublisherRecord;
  const hasPackages = record.purpose !== 'publish' || Array.isArray(record.packages);
  if (hasPackages && 'limits' in parseLimits({ ...record })) return record;
  throw malformedRecord(kindOfRow);
}

/** Oldest first. */
export async function listPublishers(state: Pick<StateStore, 'range'>): Promise<readonly Stored<PublisherRecord>[]> {
  return listRows(state, publisherPrefix, parsePublisherRecord);
}

/** Throws NOT_FOUND. */
export async function findPublisher(state: Pick<StateStore, 'get'>, text: string): Promise<Stored<PublisherRecord>> {
  const id = parsePublisherId(text);
  return findRow(state, { text, key: id && publisherKey(id), noun: 'trusted publisher' }, parsePublisherRecord);
}
