// A registered repository as the state knows it: a source that this registry fetches by itself.

import type { Branded } from '../../build/contract/brand.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../build/contract/json.ts';
import { randomBase62, type RandomBytes } from '../../build/shared/text/base62.ts';
import { malformedRecord } from '../state/state-error.ts';

export const credentialsKinds = ['basic', 'bearer', 'header', 'ssh_key'] as const;
export type CredentialsKind = (typeof credentialsKinds)[number];

/** `repo_` and 16 base62 characters. */
export type RepositoryId = Branded<string, 'RepositoryId'>;

/** `composer`: another Composer repository, which is mirrored and never built. */
export type RepositoryType = 'git' | 'directory' | 'artifact' | 'composer';

/** Which packages and versions are published, with the names and the meaning that they have in libretto.json. */
export interface RepositoryFilters {
  readonly only?: JsonValue;
  readonly except?: JsonValue;
  readonly versions?: JsonValue;
  readonly 'minimum-stability'?: JsonValue;
  readonly tags?: JsonValue;
  readonly branches?: JsonValue;
  readonly subdirectories?: JsonValue;
  readonly 'reference-source'?: JsonValue;
  /** of type composer: what each sync fetches ahead */
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

/** What it reads; never changes where that is, since credentials and what was published hang on it. */
export interface RepositorySource {
  readonly type: RepositoryType;
  /** of git and composer its address, of the others an absolute path */
  readonly url: string;
  readonly filters: RepositoryFilters;
}

export interface RepositoryRecord extends RepositorySource {
  readonly id: RepositoryId;
  /** sealed for this id (keys/sealer.ts); null without any */
  readonly credentials: string | null;
  readonly credentials_kind: CredentialsKind | null;
  /** seconds between two syncs that nobody asks for; null: none */
  readonly interval: number | null;
  /** RFC 3339 UTC, as all times here */
  readonly created_at: string;
  readonly created_by: string;
  readonly updated_at: string;
}

/**
 * How the last sync ended. Not a change by somebody: kept apart from the record, so that neither holds up the other.
 */
export interface SyncOutcome {
  readonly status: 'active' | 'error';
  readonly error_message: string | null;
  /** of the last one that succeeded */
  readonly last_synced_at: string | null;
  /** of the last one at all */
  readonly attempted_at: string;
}

export function mintRepositoryId(randomBytes: RandomBytes): RepositoryId {
  return `repo_${randomBase62(16, randomBytes)}` as RepositoryId;
}

export function parseRepositoryId(text: string): RepositoryId | undefined {
  return /^repo_[0-9A-Za-z]{16}$/.test(text) ? (text as RepositoryId) : undefined;
}

export const repositoryKeyPrefix = 'repository/';

export function repositoryKey(id: RepositoryId): string {
  return `${repositoryKeyPrefix}${id}`;
}

export function outcomeKey(id: RepositoryId): string {
  return `repository-sync/${id}`;
}

/** What a place leads to. Throws StateError where it is no id of a repository. */
export function parseRepositoryPointer(value: JsonValue): RepositoryId {
  const id = typeof value === 'string' ? parseRepositoryId(value) : undefined;
  if (id === undefined) throw malformedRecord('A row that leads to a repository');
  return id;
}

/** A record as stored. Throws when it is not one. */
export function parseRepositoryRecord(value: JsonValue): RepositoryRecord {
  if (isJsonObject(value) && isRecord(value)) return value as unknown as RepositoryRecord;
  throw malformedRecord('A repository record');
}

function isRecord({
  id,
  type,
  url,
  filters,
  credentials,
  credentials_kind: kind,
  interval,
  created_at: at,
  created_by: by,
  updated_at: updated,
}: JsonObject): boolean {
  const known = type === 'git' || type === 'directory' || type === 'artifact' || type === 'composer';
  const texts = [url, at, by, updated].every((text) => typeof text === 'string');
  const optional = [credentials, kind].every((text) => text === null || typeof text === 'string');
  return (
    known &&
    texts &&
    optional &&
    typeof id === 'string' &&
    parseRepositoryId(id) !== undefined &&
    isJsonObject(filters) &&
    (interval === null || typeof interval === 'number')
  );
}

/** In lower case; '' for a folder of this machine. */
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
  };
}
