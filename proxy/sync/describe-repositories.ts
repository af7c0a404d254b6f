// Registered repositories as people see them: with the outcome of their last sync, and their place among those that are
// asked for a name.

import type { Jobs } from './jobs.ts';
import { askingOrder } from './list-repositories.ts';
import type { Repositories } from './repositories.ts';
import { repositoryDocument } from './repository-document.ts';
import type { RepositoryDocument } from './repository-schema.ts';
import type { RepositoryRecord } from './repository.ts';

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
