// A trusted publisher, as the state stores it: which CI jobs may exchange their ID token, and what they get.

import type { Branded } from '../../../build/contract/brand.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../build/contract/json.ts';
import { randomBase62, type RandomBytes } from '../../../build/shared/text/base62.ts';
import { malformedRecord } from '../../core/state/state-error.ts';
import { parseLimits, type TokenLimits } from '../../core/views/token-limits.ts';
import { issuerKinds, type IssuerKind } from './issuer.ts';

/** `pub_` and 16 base62 characters. */
export type PublisherId = Branded<string, 'PublisherId'>;

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
export interface PublisherRules {
  /** the claim `iss` */
  readonly issuer: string;
  readonly kind: IssuerKind;
  /** `acme/app`, the path of a project; null: the ids or the rules for claims name it */
  readonly repository: string | null;
  /** pinned: jobs of another repository with the same name are refused. null: not known yet */
  readonly repository_id: string | null;
  readonly owner_id: string | null;
  /** a file name such as release.yml, or a path; null: any workflow of the repository */
  readonly workflow: string | null;
  readonly workflow_claim: WorkflowClaim;
  readonly environment: string | null;
  readonly refs: RefRule;
  /** more claims with their exact values */
  readonly claims: Readonly<Record<string, string>>;
}

export interface PublisherRecord extends PublisherRules, PublisherView {
  readonly id: PublisherId;
  readonly name: string;
  readonly purpose: Purpose;
  /** when the ids were learnt from the first exchange; null: they were given, or are not known yet */
  readonly ids_learnt_at: string | null;
  /** lifetime of the tokens */
  readonly token_minutes: number;
  readonly exchanges_per_hour: number;
  readonly created_at: string;
  readonly created_by: string;
  readonly updated_at: string;
}

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

export function publisherKey(id: PublisherId): string {
  return `${publisherPrefix}${id}`;
}

export function mintPublisherId(randomBytes: RandomBytes): PublisherId {
  return `pub_${randomBase62(16, randomBytes)}` as PublisherId;
}

export function parsePublisherId(text: string): PublisherId | undefined {
  return /^pub_[0-9A-Za-z]{16}$/.test(text) ? (text as PublisherId) : undefined;
}

/** Throws StateError for a value that is no row of a publisher: a wrong row must not grant access. */
export function parsePublisherRecord(value: JsonValue): PublisherRecord {
  if (isJsonObject(value) && isRecord(value)) return value as unknown as PublisherRecord;
  throw malformedRecord('The record of a trusted publisher');
}

function isRecord(record: JsonObject): boolean {
  const texts = ['name', 'issuer', 'created_at', 'created_by', 'updated_at'];
  const maybe = ['repository', 'repository_id', 'owner_id', 'workflow', 'environment', 'ids_learnt_at'];
  const { id, kind, purpose, workflow_claim: claim, refs, claims, packages } = record;
  return (
    typeof id === 'string' &&
    parsePublisherId(id) !== undefined &&
    texts.every((name) => typeof record[name] === 'string') &&
    maybe.every((name) => record[name] === null || typeof record[name] === 'string') &&
    issuerKinds.some((one) => one === kind) &&
    purposes.some((one) => one === purpose) &&
    (purpose !== 'publish' || Array.isArray(packages)) &&
    workflowClaims.some((one) => one === claim) &&
    refRules.some((one) => one === refs) &&
    isJsonObject(claims) &&
    Object.values(claims).every((one) => typeof one === 'string') &&
    'limits' in parseLimits(record) &&
    [record['token_minutes'], record['exchanges_per_hour']].every(isPositive)
  );
}

function isPositive(value: JsonValue | undefined): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0;
}
