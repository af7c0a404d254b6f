// Registered repositories as people see them: with the outcome of their last sync, and their place among those that are
// asked for a name.

import type { Jobs } from './jobs.ts';
import { askingOrder } from './list-repositories.ts';
import type { Repositories, RepositoryPatch } from './repositories.ts';
import type { RepositoryDocument, FilterFields } from './repository-schema.ts';
import { type RepositoryRecord, filterNames, type RepositoryFilters, type SyncOutcome } from './repository.ts';
import type { JobDocument } from './job-schema.ts';
import type { JobRecord } from './job.ts';

interface SyncStatus {
  readonly outcome: SyncOutcome | undefined;
  readonly syncing: boolean;
}

/** A repository and a sync as people see them, without credentials. */
function repositoryDocument(
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

export interface DescriptionParts {
  readonly repositories: Pick<Repositories, 'list'>;
  readonly jobs: Pick<Jobs, 'outcomes'>;
}

/** In the order of `records`. `all`: every registered repository, if the caller has read them already. */
export async function describeRepositories(
  { repositories, jobs }: DescriptionParts,
  records: readonly RepositoryRecord[],
  all?: readonly RepositoryRecord[],
): Promise<readonly RepositoryDocument[]> {
  const hasOrder = records.some(({ type }) => type === 'composer');
  const [standings, ordered] = await Promise.all([
    jobs.outcomes(records.map(({ id }) => id)),
    all ?? (hasOrder ? repositories.list() : []),
  ]);
  const order = askingOrder(ordered);
  return records.map((record) => repositoryDocument(record, standings.get(record.id), order.get(record.id)));
}
