// A repository and a sync as people see them, without credentials.

import type { JobDocument } from './job-schema.ts';
import type { JobRecord } from './job.ts';
import type { RepositoryPatch } from './repositories.ts';
import { filterNames, type RepositoryFilters, type RepositoryRecord, type SyncOutcome } from './repository.ts';
import type { FilterFields, RepositoryDocument } from './repository-schema.ts';

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

/** Every filter by its name in the API; null: it is not set. They were checked before they were stored. */
function filterFields(filters: RepositoryFilters): FilterFields {
  return Object.fromEntries(
    filterNames.map((name) => [name.replaceAll('-', '_'), filters[name] ?? null]),
  ) as FilterFields;
}

/** The filters among the fields of a request, under their names in libretto.json. */
export function filtersOf(fields: Readonly<Record<string, unknown>>): RepositoryPatch['filters'] & object {
  return Object.fromEntries(
    filterNames.flatMap((name) => {
      const value = fields[name.replaceAll('-', '_')];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

export function jobDocument({ owner: _owner, deliveries: _deliveries, ...job }: JobRecord): JobDocument {
  return job;
}
