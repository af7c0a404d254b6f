// A repository in the management API and in `--json`, without its credentials.

import type { JsonValue } from '../../build/contract/json.ts';
import type { JobRecord } from './job.ts';
import type {
  CredentialsKind,
  RepositoryFilters,
  RepositoryRecord,
  RepositoryType,
  SyncOutcome,
} from './repository.ts';

export interface RepositoryDocument {
  readonly id: string;
  readonly type: RepositoryType;
  /** null for a read token, which may not see it */
  readonly url: string | null;
  /** the kind of the stored credentials; null: none */
  readonly credentials: CredentialsKind | null;
  readonly only: JsonValue;
  readonly except: JsonValue;
  readonly versions: JsonValue;
  readonly minimum_stability: JsonValue;
  readonly tags: JsonValue;
  readonly branches: JsonValue;
  readonly subdirectories: JsonValue;
  readonly reference_source: JsonValue;
  readonly packages: JsonValue;
  /** for type composer: its place in the order of requests (list-repositories.ts); null for the others */
  readonly position: number | null;
  readonly interval: number | null;
  readonly status: 'pending' | 'syncing' | 'active' | 'error';
  readonly error_message: string | null;
  readonly last_synced_at: string | null;
  readonly created_at: string;
  readonly created_by: string;
  readonly updated_at: string;
}

type FilterField =
  | 'only'
  | 'except'
  | 'versions'
  | 'minimum_stability'
  | 'tags'
  | 'branches'
  | 'subdirectories'
  | 'reference_source'
  | 'packages';

export interface SyncStatus {
  readonly outcome: SyncOutcome | undefined;
  readonly syncing: boolean;
}

export function repositoryDocument(
  record: RepositoryRecord,
  standing: SyncStatus | undefined,
  position?: number,
): RepositoryDocument {
  const { id, type, url, filters, interval, created_at, created_by, updated_at } = record;
  const { outcome, syncing = false } = standing ?? {};
  return {
    id,
    type,
    url,
    credentials: record.credentials_kind,
    ...filterFields(filters),
    position: position ?? null,
    interval,
    status: syncing ? 'syncing' : (outcome?.status ?? 'pending'),
    error_message: outcome?.error_message ?? null,
    last_synced_at: outcome?.last_synced_at ?? null,
    created_at,
    created_by,
    updated_at,
  };
}

/** Every filter by its name in the API; null: it is not set. */
function filterFields(filters: RepositoryFilters): Pick<RepositoryDocument, FilterField> {
  return {
    only: filters.only ?? null,
    except: filters.except ?? null,
    versions: filters.versions ?? null,
    minimum_stability: filters['minimum-stability'] ?? null,
    tags: filters.tags ?? null,
    branches: filters.branches ?? null,
    subdirectories: filters.subdirectories ?? null,
    reference_source: filters['reference-source'] ?? null,
    packages: filters.packages ?? null,
  };
}

export type JobDocument = Omit<JobRecord, 'owner' | 'deliveries'>;

export function jobDocument({ owner: _owner, deliveries: _deliveries, ...job }: JobRecord): JobDocument {
  return job;
}
