// What the pages about repositories need, and how they read a repository with the result of its last sync.

import { actorOf } from '../../../auth/caller.ts';
import type { JobRecord } from '../../../sync/job.ts';
import { describeRepositories } from '../../../sync/describe-repositories.ts';
import type { RepositoryServices } from '../../../sync/operations.ts';
import type { Repositories } from '../../../sync/repositories.ts';
import type { RepositoryDocument } from '../../../sync/repository-schema.ts';
import type { RepositoryRecord } from '../../../sync/repository.ts';
import type { Catalogue } from '../../../packages/catalogue.ts';
import type { PackageSummary } from '../../../packages/package-summary.ts';
import type { StateStore } from '../../../core/state/state-store.ts';
import type { SignedInRequest } from '../../frame/definitions.ts';

export interface RepositoryPageServices extends RepositoryServices {
  readonly state: Pick<StateStore, 'get'>;
  readonly catalogue: Pick<Catalogue, 'read'>;
}

/** A repository with its stored jobs, newest first. */
export interface RepositoryWithJobs {
  readonly record: RepositoryRecord;
  readonly document: RepositoryDocument;
  readonly jobs: readonly JobRecord[];
}

/** The repositories on behalf of this visitor. */
export function repositoriesFor({ repositoriesOf }: RepositoryPageServices, { caller }: SignedInRequest): Repositories {
  return repositoriesOf(actorOf(caller));
}

/** In the order of `records`. `all`: every registered repository. */
export async function readAllWithJobs(
  services: RepositoryPageServices,
  request: SignedInRequest,
  records: readonly RepositoryRecord[],
  all?: readonly RepositoryRecord[],
): Promise<readonly RepositoryWithJobs[]> {
  const repositories = repositoriesFor(services, request);
  const [documents, jobs] = await Promise.all([
    describeRepositories({ repositories, jobs: services.jobs }, records, all),
    Promise.all(records.map(({ id }) => services.jobs.list(id))),
  ]);
  return documents.flatMap((document, at) => {
    const record = records[at];
    return record === undefined ? [] : [{ record, document, jobs: jobs[at] ?? [] }];
  });
}

/** The repository that the path names. Throws NOT_FOUND. */
export async function readWithJobs(
  services: RepositoryPageServices,
  request: SignedInRequest,
): Promise<RepositoryWithJobs> {
  const record = await repositoriesFor(services, request).get(request.param('id'));
  const [repository] = await readAllWithJobs(services, request, [record]);
  if (repository === undefined) throw new Error('a repository has no document');
  return repository;
}

/** The published packages that its last sync read, as far as the visitor sees them, by name. */
export async function packagesOf(
  services: RepositoryPageServices,
  request: SignedInRequest,
  { record, jobs }: RepositoryWithJobs,
): Promise<readonly PackageSummary[]> {
  if (jobs.length === 0) return [];
  const names = new Set(await repositoriesFor(services, request).lastRead(record));
  const { all } = await services.catalogue.read(request.nowMs, request.caller.view);
  return [...all.values()].filter(({ name }) => names.has(name));
}

/** The report of the newest sync that has one; undefined: none has. */
export function lastReport({ jobs }: RepositoryWithJobs): JobRecord['report'] | undefined {
  return jobs.find(({ report }) => report !== null)?.report;
}

/**
 * About when the next automatic sync begins, RFC 3339; the server varies it by a tenth. undefined: only on request, or
 * one is running.
 */
export function nextSync({ record: { interval }, document: { status }, jobs }: RepositoryWithJobs): string | undefined {
  const ended = jobs.find(({ finished_at: at }) => at !== null)?.finished_at;
  if (interval === null || status === 'syncing' || ended === undefined || ended === null) return undefined;
  return new Date(Date.parse(ended) + interval * 1000).toISOString();
}

/** The address of a repository's page. */
export function repositoryPath({ id }: Pick<RepositoryDocument, 'id'>): string {
  return `/repositories/${id}`;
}
