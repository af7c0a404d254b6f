// What can be done with registered repositories and their syncs: the operations that API, commands and console call.

import { z } from 'zod';
import { idSchema } from '../registry/fields.ts';
import { operation, type Call } from '../registry/operation.ts';
import { pageOf, pageQuery, paginate } from '../registry/page.ts';
import type { Actor } from '../state/audit.ts';
import { describeRepositories, filtersOf, jobDocument } from './describe-repositories.ts';
import { jobSchema, type JobDocument } from './job-schema.ts';
import type { Jobs } from './jobs.ts';
import type { Repositories } from './repositories.ts';
import {
  removedRepository,
  repositoryDraft,
  repositoryPatch,
  repositorySchema,
  verificationSchema,
  type RepositoryDocument,
} from './repository-schema.ts';
import type { RepositoryRecord } from './repository.ts';
import type { Syncer } from './syncer.ts';
import type { Verifier } from './verifier.ts';

export interface RepositoryServices {
  readonly repositoriesOf: (actor: Actor) => Repositories;
  readonly jobs: Jobs;
  readonly syncer: Pick<Syncer, 'sync' | 'removed'>;
  readonly verifier: Pick<Verifier, 'verify'>;
}

const tag = 'Repositories';
const params = z.strictObject({ id: idSchema('repo', 'the repository') });
const one = { tag, path: '/api/repositories/{id}', params, answer: repositorySchema } as const;
const refusals = ['EGRESS_DENIED', 'OUTSIDE_SOURCE_ROOTS'] as const;

const byCreation = ({ created_at, id }: Pick<JobDocument, 'created_at' | 'id'>): string => `${created_at} ${id}`;

export const listRepositories = operation({
  id: 'listRepositories',
  method: 'get',
  path: '/api/repositories',
  tag,
  summary: 'List repositories',
  description: 'Oldest first.',
  query: pageQuery,
  answer: pageOf(repositorySchema),
  answers: 'a page of repositories',
  run: async ({ repositoriesOf, jobs }: RepositoryServices, query, call) => {
    const repositories = repositoriesOf(call.actor);
    const all = await repositories.list();
    const { data, next_cursor } = paginate(all, query, byCreation);
    const shown = await describeRepositories({ repositories, jobs }, data, all);
    return { data: shown.map((repository) => forCaller(call, repository)), next_cursor };
  },
});

export const createRepository = operation({
  id: 'createRepository',
  method: 'post',
  path: '/api/repositories',
  tag,
  summary: 'Register a repository',
  description:
    'The first sync reads the repository. A repository of type `composer` is used at once for requests of ' +
    'packages that it may have. Each address can be registered once.',
  body: repositoryDraft,
  status: 201,
  answer: repositorySchema,
  answers: 'the repository',
  errors: [...refusals, 'CONFLICT'],
  run: async (services: RepositoryServices, { type, url, credentials, interval, ...fields }, call) => {
    const draft = { type, url, credentials: credentials ?? null, interval: interval ?? null };
    const repositories = services.repositoriesOf(call.actor);
    return showOne(services, await repositories.create({ ...draft, filters: filtersOf(fields) }), call);
  },
});

export const getRepository = operation({
  ...one,
  id: 'getRepository',
  method: 'get',
  summary: 'Get a repository',
  description: 'With the result of its last sync. Read tokens do not see its address.',
  answers: 'the repository',
  errors: ['NOT_FOUND'],
  run: async (services: RepositoryServices, { id }, call) =>
    forCaller(call, await showOne(services, await services.repositoriesOf(call.actor).get(id), call)),
});

export const updateRepository = operation({
  ...one,
  id: 'updateRepository',
  form: '/repositories/:id/edit',
  method: 'patch',
  summary: 'Change a repository',
  description:
    'Only the given fields change; null removes a filter, the credentials or the interval. The change takes ' +
    'effect with the next sync. Type and address cannot be changed.',
  body: repositoryPatch,
  answers: 'the changed repository',
  errors: ['NOT_FOUND', ...refusals, 'CONFLICT'],
  run: async (services: RepositoryServices, { id, credentials, interval, ...fields }, call) => {
    const filters = filtersOf(fields);
    const patch = {
      ...(credentials !== undefined && { credentials }),
      ...(interval !== undefined && { interval }),
      ...(Object.keys(filters).length > 0 && { filters }),
    };
    return showOne(services, await services.repositoriesOf(call.actor).update(id, patch), call);
  },
});

/** With a form for the credentials alone: a link holds no secret. */
export const replaceCredentials: typeof updateRepository = {
  ...updateRepository,
  form: '/repositories/:id/credentials',
  secrets: ['credentials'],
  summary: 'Replace the credentials of a repository',
};

export const deleteRepository = operation({
  ...one,
  id: 'deleteRepository',
  form: '/repositories/:id/remove',
  method: 'delete',
  summary: 'Remove a repository',
  description:
    'Without `confirm`, the answer lists the versions to withdraw. With `confirm`, the repository is removed ' +
    'at once, its running sync ends, and a build starts that withdraws its versions. A repository of type ' +
    '`composer` has published nothing; it is no longer used.',
  query: z.strictObject({
    confirm: z.string().max(100).optional().meta({ description: 'the id of the repository again' }),
  }),
  answer: removedRepository,
  answers: 'the removed repository',
  errors: ['NOT_FOUND', 'CONFIRMATION_REQUIRED'],
  run: async ({ repositoriesOf, syncer }: RepositoryServices, { id, confirm }, { actor }) => {
    const { record, packages } = await repositoriesOf(actor).remove(id, confirm);
    syncer.removed(record, actor);
    return { id: record.id, packages };
  },
});

export const verifyRepository = operation({
  ...one,
  id: 'verifyRepository',
  method: 'post',
  path: '/api/repositories/{id}/verify',
  summary: 'Check that a repository can be read',
  description: 'Connects to the repository with its credentials, and changes nothing.',
  answer: verificationSchema,
  answers: 'the contents of the repository, or the reason why it cannot be read',
  errors: ['NOT_FOUND', ...refusals, 'OVERLOADED', 'BUILD_FAILED'],
  run: async ({ repositoriesOf, verifier }: RepositoryServices, { id }, { actor }) =>
    verifier.verify(await repositoriesOf(actor).get(id)),
});

export const syncRepository = operation({
  ...one,
  id: 'syncRepository',
  form: '/repositories/:id/sync',
  method: 'post',
  path: '/api/repositories/{id}/sync',
  summary: 'Sync a repository',
  description:
    'Starts a build of this repository only, or returns the job in progress. The job shows when it is ' +
    'finished. It waits up to 15 minutes for another build, and then fails with BUILD_BUSY.',
  answer: jobSchema,
  answers: 'the job',
  errors: ['NOT_FOUND', 'OVERLOADED'],
  run: async ({ repositoriesOf, syncer }: RepositoryServices, { id }, { actor }) => {
    const record = await repositoriesOf(actor).get(id);
    return jobDocument(await syncer.sync(record.id, { trigger: 'request', actor }));
  },
});

export const listJobs = operation({
  ...one,
  id: 'listJobs',
  method: 'get',
  path: '/api/repositories/{id}/jobs',
  summary: 'List the syncs of a repository',
  description: 'Newest first. The last jobs are kept: 20, or the number in the settings.',
  query: pageQuery,
  answer: pageOf(jobSchema),
  answers: 'a page of jobs',
  errors: ['NOT_FOUND'],
  run: async ({ repositoriesOf, jobs }: RepositoryServices, { id, ...query }, call) => {
    const repository = await repositoriesOf(call.actor).get(id);
    const { data, next_cursor } = paginate(await jobs.list(repository.id), query, byCreation, true);
    return { data: data.map((job) => jobForCaller(call, jobDocument(job))), next_cursor };
  },
});

export const getJob = operation({
  ...one,
  id: 'getJob',
  method: 'get',
  path: '/api/repositories/{id}/jobs/{job}',
  summary: 'Get a sync of a repository',
  description: 'The progress of the job; after its end, the report or the reason of the failure.',
  params: params.extend({ job: idSchema('job', 'the sync') }),
  answer: jobSchema,
  answers: 'the job',
  errors: ['NOT_FOUND'],
  run: async ({ repositoriesOf, jobs }: RepositoryServices, { id, job }, call) => {
    const repository = await repositoriesOf(call.actor).get(id);
    return jobForCaller(call, jobDocument(await jobs.get(repository.id, job)));
  },
});

export const repositoryOperations = [
  listRepositories,
  createRepository,
  getRepository,
  updateRepository,
  deleteRepository,
  verifyRepository,
  syncRepository,
  listJobs,
  getJob,
];

async function showOne(
  { repositoriesOf, jobs }: RepositoryServices,
  record: RepositoryRecord,
  { actor }: Call,
): Promise<RepositoryDocument> {
  const [shown] = await describeRepositories({ repositories: repositoriesOf(actor), jobs }, [record]);
  if (shown === undefined) throw new Error('a repository without its document');
  return shown;
}

/** Customers and build machines hold read tokens: they see the status of repositories, without their addresses. */
function forCaller(call: Call, shown: RepositoryDocument): RepositoryDocument {
  return isReadToken(call) ? { ...shown, url: null, error_message: null } : shown;
}

/** A read token sees neither the log nor the report of a sync. */
function jobForCaller(call: Call, job: JobDocument): JobDocument {
  const error = job.error && { code: job.error.code, message: 'The sync failed.' };
  return isReadToken(call) ? { ...job, log: [], report: null, error } : job;
}

function isReadToken({ caller }: Call): boolean {
  return caller?.kind === 'token' && caller.token.kind === 'read';
}
