// A registered repository as the state knows it: a source that this registry fetches by itself.

import { z } from 'zod';
import type { Branded } from '../../build/contract/brand.ts';
import { isJsonObject, type JsonValue } from '../../build/contract/json.ts';
import { idsOf } from '../../build/shared/text/base62.ts';
import { malformedRecord } from '../core/state/state-error.ts';
import { rowParser, type RowOf } from '../state/rows.ts';
import { forgePlace } from './forge-place.ts';

export const credentialsKinds = ['basic', 'bearer', 'header', 'ssh_key'] as const;
export type CredentialsKind = (typeof credentialsKinds)[number];

/** `repo_` and 16 base62 characters. */
export type RepositoryId = Branded<string, 'RepositoryId'>;

/** `composer`: another Composer repository, which is mirrored and never built. */
export const repositoryTypes = ['git', 'directory', 'artifact', 'composer'] as const;
export type RepositoryType = (typeof repositoryTypes)[number];

/** The filters on published packages and versions, with the names and the meaning of libretto.json. */
export interface RepositoryFilters {
  readonly only?: JsonValue;
  readonly except?: JsonValue;
  readonly versions?: JsonValue;
  readonly 'minimum-stability'?: JsonValue;
  readonly tags?: JsonValue;
  readonly branches?: JsonValue;
  readonly subdirectories?: JsonValue;
  readonly 'reference-source'?: JsonValue;
  /** for type composer: the packages that each sync fetches in advance */
  readonly packages?: JsonValue;
}

export const filterNames = [
  'only',
  'except',
  'versions',
  'minimum-stability',
  'tags',
  'branches',
  'subdirectories',
  'reference-source',
  'packages',
] as const satisfies readonly (keyof RepositoryFilters)[];

export const { mint: mintRepositoryId, is: isRepositoryId, parse: parseRepositoryId } = idsOf<RepositoryId>('repo');

const repositoryRecord = z.object({
  id: z.custom<RepositoryId>(isRepositoryId),
  type: z.enum(repositoryTypes),
  /** for git and composer its address, for the others an absolute path */
  url: z.string(),
  /**
   * the address that its published versions carry, where it is another one: the repository was renamed at its forge, or
   * it has an address that an earlier repository was published under
   */
  published_as: z.string().exactOptional(),
  filters: z.custom<RepositoryFilters>((value) => isJsonObject(value as JsonValue)),
  /** sealed for this id (keys/sealer.ts); null without any */
  credentials: z.string().nullable(),
  credentials_kind: z.custom<CredentialsKind>((value) => typeof value === 'string').nullable(),
  /** seconds between two automatic syncs; null: only on request */
  interval: z.number().nullable(),
  /** of a repository that a connection registered */
  forge: forgePlace.exactOptional(),
  /** RFC 3339 UTC, as all times here */
  created_at: z.string(),
  created_by: z.string(),
  updated_at: z.string(),
});
export type RepositoryRecord = RowOf<typeof repositoryRecord>;

/**
 * The source of a repository. A person never changes its place, because credentials and published packages belong to
 * it.
 */
export type RepositorySource = Pick<RepositoryRecord, 'type' | 'url' | 'published_as' | 'filters'>;

/** The outcome of the last sync. No person's change: stored apart from the record, so that neither blocks the other. */
export interface SyncOutcome {
  readonly status: 'active' | 'error';
  readonly error_message: string | null;
  /** time of the last successful sync */
  readonly last_synced_at: string | null;
  /** time of the last sync */
  readonly attempted_at: string;
  /** true: an event told of the failure, so that another one tells when it is over */
  readonly is_told?: boolean;
}

export const repositoryKeyPrefix = 'repository/';

export function repositoryKey(id: RepositoryId): string {
  return `${repositoryKeyPrefix}${id}`;
}

export function outcomeKey(id: RepositoryId): string {
  return `repository-sync/${id}`;
}

/** The repository id that a place leads to. Throws StateError for a value that is no repository id. */
export function parseRepositoryPointer(value: JsonValue): RepositoryId {
  if (!isRepositoryId(value)) throw malformedRecord('A row that leads to a repository');
  return value;
}

/** A record as stored. Throws when it is not one. */
export const parseRepositoryRecord = rowParser(repositoryRecord, 'A repository record');

/** The host in lower case; '' for a folder of this machine. */
export function hostOfRepository({ type, url }: RepositorySource): string {
  if (type !== 'git' && type !== 'composer') return '';
  return /^(?:[a-z][a-z0-9+.-]*:\/\/)?(?:[^/@]*@)?(\[[^\]]*\]|[^/:]*)/i.exec(url)?.[1]?.toLowerCase() ?? '';
}

export function parseSyncOutcome(value: JsonValue | undefined): SyncOutcome | undefined {
  if (!isJsonObject(value)) return undefined;
  const { status, error_message: message, last_synced_at: synced, attempted_at: attempted } = value;
  if ((status !== 'active' && status !== 'error') || typeof attempted !== 'string') return undefined;
  return {
    status,
    error_message: typeof message === 'string' ? message : null,
    last_synced_at: typeof synced === 'string' ? synced : null,
    attempted_at: attempted,
    ...(value['is_told'] === true ? { is_told: true } : {}),
  };
}
