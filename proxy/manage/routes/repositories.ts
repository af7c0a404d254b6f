// Repositories that the registry fetches by itself, over HTTP: the same services as `libretto repository`.

import { z } from '@hono/zod-openapi';
import { filterNames, type RepositoryFilters, type RepositoryRecord } from '../../sync/repository.ts';
import { askingOrder } from '../../sync/list-repositories.ts';
import { jobDocument, repositoryDocument } from '../../sync/repository-document.ts';
import type { JobRecord } from '../../sync/job.ts';
import type { Jobs } from '../../sync/jobs.ts';
import type { Repositories } from '../../sync/repositories.ts';
import type { Syncer } from '../../sync/syncer.ts';
import type { Verifier } from '../../sync/verifier.ts';
import type { Actor } from '../../state/audit.ts';
import { actor, operation, type Api, type ApiContext } from '../frame/api.ts';
import { page, pageOf, pageQuery } from '../frame/page.ts';
import { idOf } from '../schemas/id.ts';
import {
  jobSchema,
  removedRepository,
  repositoryDraft,
  repositoryPatch,
  repositorySchema,
  verificationSchema,
} from '../schemas/repository.ts';

export interface RepositoryServices {
  readonly repositoriesOf: (actor: Actor) => Repositories;
  readonly jobs: Jobs;
  readonly syncer: Pick<Syncer, 'sync' | 'removed'>;
  readonly verifier: Pick<Verifier, 'verify'>;
}

const tags = ['Repositories'];
const params = z.strictObject({ id: idOf('repo', 'the repository') });
const jobParams = params.extend({ job: idOf('job', 'the sync') });
const answering = <Schema extends z.ZodType>(schema: Schema, description: string) => ({
  description,
  content: { 'application/json': { schema } },
});

const listRepositories = operation({
  operationId: 'listRepositories',
  method: 'get',
  path: '/api/repositories',
  tags,
  summary: 'List repositories',
  description: 'Oldest first.',
  request: { query: pageQuery },
  responses: { 200: answering(pageOf(repositorySchema), 'a page of repositories') },
});

const createRepository = operation({
  operationId: 'createRepository',
  method: 'post',
  path: '/api/repositories',
  tags,
  summary: 'Register a repository',
  description:
    'The first sync reads the repository. A repository of type `composer` is used at once for requests of ' +
    'packages that it may have. Each address can be registered once.',
  request: { body: { required: true, content: { 'application/json': { schema: repositoryDraft } } } },
  responses: { 201: answering(repositorySchema, 'the repository') },
  errors: ['EGRESS_DENIED', 'OUTSIDE_SOURCE_ROOTS', 'CONFLICT'],
});

const getRepository = operation({
  operationId: 'getRepository',
  method: 'get',
  path: '/api/repositories/{id}',
  tags,
  summary: 'Get a repository',
  description: 'With the result of its last sync. Read tokens do not see its address.',
  request: { params },
  responses: { 200: answering(repositorySchema, 'the repository') },
  errors: ['NOT_FOUND'],
});

const updateRepository = operation({
  operationId: 'updateRepository',
  method: 'patch',
  path: '/api/repositories/{id}',
  tags,
  summary: 'Change a repository',
  description:
    'Only the given fields change; null removes a filter, the credentials or the interval. The change takes ' +
    'effect with the next sync. Type and address cannot be changed.',
  request: { params, body: { required: true, content: { 'application/json': { schema: repositoryPatch } } } },
  responses: { 200: answering(repositorySchema, 'the changed repository') },
  errors: ['NOT_FOUND', 'EGRESS_DENIED', 'OUTSIDE_SOURCE_ROOTS', 'CONFLICT'],
});

const deleteRepository = operation({
  operationId: 'deleteRepository',
  method: 'delete',
  path: '/api/repositories/{id}',
  tags,
  summary: 'Remove a repository',
  description:
    'Without `confirm`, the answer lists the versions to withdraw. With `confirm`, the repository is removed ' +
    'at once, its running sync ends, and a build starts that withdraws its versions. A repository of type ' +
    '`composer` has published nothing; it is no longer used.',
  request: {
    params,
    query: z.strictObject({
      confirm: z.string().max(100).optional().openapi({ description: 'the id of the repository again' }),
    }),
  },
  responses: { 200: answering(removedRepository, 'the removed repository') },
  errors: ['NOT_FOUND', 'CONFIRMATION_REQUIRED'],
});

const verifyRepository = operation({
  operationId: 'verifyRepository',
  method: 'post',
  path: '/api/repositories/{id}/verify',
  tags,
  summary: 'Check that a repository can be read',
  description: 'Connects to the repository with its credentials, and changes nothing.',
  request: { params },
  responses: {
    200: answering(verificationSchema, 'the contents of the repository, or the reason why it cannot be read'),
  },
  errors: ['NOT_FOUND', 'EGRESS_DENIED', 'OUTSIDE_SOURCE_ROOTS', 'OVERLOADED', 'BUILD_FAILED'],
});

const syncRepository = operation({
  operationId: 'syncRepository',
  method: 'post',
  path: '/api/repositories/{id}/sync',
  tags,
  summary: 'Sync a repository',
  description:
    'Starts a build of this repository only, or returns the job in progress. The job shows when it is ' +
    'finished. It waits up to 15 minutes for another build, and then fails with BUILD_BUSY.',
  request: { params },
  responses: { 200: answering(jobSchema, 'the job') },
  errors: ['NOT_FOUND', 'OVERLOADED'],
});

const listJobs = operation({
  operationId: 'listJobs',
  method: 'get',
  path: '/api/repositories/{id}/jobs',
  tags,
  summary: 'List the syncs of a repository',
  description: 'Newest first. The last jobs are kept: 20, or the number in the settings.',
  request: { params, query: pageQuery },
  responses: { 200: answering(pageOf(jobSchema), 'a page of jobs') },
  errors: ['NOT_FOUND'],
});

const getJob = operation({
  operationId: 'getJob',
  method: 'get',
  path: '/api/repositories/{id}/jobs/{job}',
  tags,
  summary: 'Get a sync of a repository',
  description: 'The progress of the job; after its end, the report or the reason of the failure.',
  request: { params: jobParams },
  responses: { 200: answering(jobSchema, 'the job') },
  errors: ['NOT_FOUND'],
});

type Shown = z.infer<typeof repositorySchema>;
type ShownJob = z.infer<typeof jobSchema>;

export function registerRepositories(api: Api, { repositoriesOf, jobs, syncer, verifier }: RepositoryServices): void {
  const show = async (records: readonly RepositoryRecord[], all: readonly RepositoryRecord[]): Promise<Shown[]> => {
    const standings = await jobs.outcomes(records.map(({ id }) => id));
    const order = askingOrder(all);
    return records.map((record) => repositoryDocument(record, standings.get(record.id), order.get(record.id)) as Shown);
  };
  const showOne = async (record: RepositoryRecord, context: ApiContext): Promise<Shown> => {
    const [shown] = await show([record], record.type === 'composer' ? await repositoriesOf(actor(context)).list() : []);
    return shown as Shown;
  };

  api.openapi(listRepositories, async (context) => {
    const all = await repositoriesOf(actor(context)).list();
    const { data, next_cursor } = page(all, context.req.valid('query'), ({ created_at, id }) => `${created_at} ${id}`);
    return context.json({ data: (await show(data, all)).map((shown) => forCaller(context, shown)), next_cursor }, 200);
  });
  api.openapi(createRepository, async (context) => {
    const { type, url, credentials, interval, ...fields } = context.req.valid('json');
    const record = await repositoriesOf(actor(context)).create({
      type,
      url,
      credentials: credentials ?? null,
      interval: interval ?? null,
      filters: withoutNull(filtersOf(fields)),
    });
    return context.json(await showOne(record, context), 201);
  });
  api.openapi(getRepository, async (context) =>
    context.json(
      forCaller(
        context,
        await showOne(await repositoriesOf(actor(context)).get(context.req.valid('param').id), context),
      ),
      200,
    ),
  );
  api.openapi(updateRepository, async (context) => {
    const { credentials, interval, ...fields } = context.req.valid('json');
    const filters = filtersOf(fields);
    const patch = {
      ...(credentials === undefined ? {} : { credentials }),
      ...(interval === undefined ? {} : { interval }),
      ...(Object.keys(filters).length === 0 ? {} : { filters }),
    };
    return context.json(
      await showOne(await repositoriesOf(actor(context)).update(context.req.valid('param').id, patch), context),
      200,
    );
  });
  api.openapi(deleteRepository, async (context) => {
    const { record, packages } = await repositoriesOf(actor(context)).remove(
      context.req.valid('param').id,
      context.req.valid('query').confirm,
    );
    syncer.removed(record);
    return context.json({ id: record.id, packages: [...packages] }, 200);
  });
  api.openapi(verifyRepository, async (context) => {
    const { id } = await repositoriesOf(actor(context)).get(context.req.valid('param').id);
    const { packages, problems, ...found } = await verifier.verify(id);
    return context.json({ ...found, packages: [...packages], problems: [...problems] }, 200);
  });
  api.openapi(syncRepository, async (context) => {
    const { id } = await repositoriesOf(actor(context)).get(context.req.valid('param').id);
    return context.json(showJob(await syncer.sync(id, { trigger: 'request', actor: actor(context) })), 200);
  });
  api.openapi(listJobs, async (context) => {
    const { id } = await repositoriesOf(actor(context)).get(context.req.valid('param').id);
    const { data, next_cursor } = page(
      await jobs.list(id),
      context.req.valid('query'),
      (job) => `${job.created_at} ${job.id}`,
      true,
    );
    return context.json({ data: data.map((job) => jobForCaller(context, showJob(job))), next_cursor }, 200);
  });
  api.openapi(getJob, async (context) => {
    const { id, job } = context.req.valid('param');
    const repository = await repositoriesOf(actor(context)).get(id);
    return context.json(jobForCaller(context, showJob(await jobs.get(repository.id, job))), 200);
  });
}

/**
 * A read token is handed to customers and build machines: it learns that there are repositories and how they fare, not
 * where they are.
 */
function forCaller(context: ApiContext, shown: Shown): Shown {
  return isReadToken(context) ? { ...shown, url: null, error_message: null } : shown;
}

/** Nor what was left out of them, or what a build said on its way. */
function jobForCaller(context: ApiContext, job: ShownJob): ShownJob {
  const { error } = job;
  return isReadToken(context)
    ? {
        ...job,
        log: [],
        report: null,
        error: error === null ? null : { code: error.code, message: 'The sync failed.' },
      }
    : job;
}

function isReadToken({ env: { caller } }: ApiContext): boolean {
  return caller.kind === 'token' && caller.token.kind === 'read';
}

/** The same lists, which nobody changes any more. */
function showJob(job: JobRecord): ShownJob {
  return jobDocument(job) as unknown as ShownJob;
}

/** Of the fields that are given, with libretto.json's names. */
function filtersOf(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    filterNames.flatMap((name) => {
      const value = fields[name.replaceAll('-', '_')];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

function withoutNull(filters: Readonly<Record<string, unknown>>): RepositoryFilters {
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== null)) as RepositoryFilters;
}
