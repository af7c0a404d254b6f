// Registered repositories over HTTP: the same services as `libretto repository`.

import type { z } from 'zod';
import { filterNames, type RepositoryFilters, type RepositoryRecord } from '../../sync/repository.ts';
import { describeRepositories } from '../../sync/describe-repositories.ts';
import { removeRepository } from '../../sync/remove-repository.ts';
import { jobDocument } from '../../sync/repository-document.ts';
import type { JobRecord } from '../../sync/job.ts';
import type { Jobs } from '../../sync/jobs.ts';
import type { Repositories, RepositoryPatch } from '../../sync/repositories.ts';
import type { Syncer } from '../../sync/syncer.ts';
import type { Verifier } from '../../sync/verifier.ts';
import type { Actor } from '../../state/audit.ts';
import { actor, type Api, type ApiContext } from '../frame/api.ts';
import { paginate } from '../../registry/page.ts';
import type { repositoryPatch, repositorySchema } from '../schemas/repository.ts';
import type { jobSchema } from '../../sync/job-schema.ts';
import {
  listRepositories,
  createRepository,
  getRepository,
  updateRepository,
  deleteRepository,
  verifyRepository,
  syncRepository,
  listJobs,
  getJob,
} from './repository-operations.ts';

export interface RepositoryServices {
  readonly repositoriesOf: (actor: Actor) => Repositories;
  readonly jobs: Jobs;
  readonly syncer: Pick<Syncer, 'sync' | 'removed'>;
  readonly verifier: Pick<Verifier, 'verify'>;
}

type RepositoryBody = z.infer<typeof repositorySchema>;
type JobBody = z.infer<typeof jobSchema>;

const byCreation = ({ created_at, id }: Pick<JobBody, 'created_at' | 'id'>): string => `${created_at} ${id}`;

export function registerRepositories(api: Api, services: RepositoryServices): void {
  registerRecords(api, services);
  registerSyncs(api, services);
}

function registerRecords(api: Api, services: RepositoryServices): void {
  const { repositoriesOf, syncer } = services;
  api.openapi(listRepositories, async (context) => {
    const all = await repositoriesOf(actor(context)).list();
    const { data, next_cursor } = paginate(all, context.req.valid('query'), byCreation);
    const shown = await show(services, context, data, all);
    return context.json({ data: shown.map((repository) => forCaller(context, repository)), next_cursor }, 200);
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
    return context.json(await showOne(services, record, context), 201);
  });
  api.openapi(getRepository, async (context) => {
    const record = await repositoriesOf(actor(context)).get(context.req.valid('param').id);
    return context.json(forCaller(context, await showOne(services, record, context)), 200);
  });
  api.openapi(updateRepository, async (context) => {
    const patch = patchOf(context.req.valid('json'));
    const record = await repositoriesOf(actor(context)).update(context.req.valid('param').id, patch);
    return context.json(await showOne(services, record, context), 200);
  });
  api.openapi(deleteRepository, async (context) => {
    const { record, packages } = await removeRepository(
      { repositories: repositoriesOf(actor(context)), syncer, actor: actor(context) },
      context.req.valid('param').id,
      context.req.valid('query').confirm,
    );
    return context.json({ id: record.id, packages: [...packages] }, 200);
  });
}

function registerSyncs(api: Api, { repositoriesOf, jobs, syncer, verifier }: RepositoryServices): void {
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
    const { data, next_cursor } = paginate(await jobs.list(id), context.req.valid('query'), byCreation, true);
    return context.json({ data: data.map((job) => jobForCaller(context, showJob(job))), next_cursor }, 200);
  });
  api.openapi(getJob, async (context) => {
    const { id, job } = context.req.valid('param');
    const repository = await repositoriesOf(actor(context)).get(id);
    return context.json(jobForCaller(context, showJob(await jobs.get(repository.id, job))), 200);
  });
}

/** `all`: every registered repository. The cast only drops `readonly` from the lists. */
async function show(
  { repositoriesOf, jobs }: RepositoryServices,
  context: ApiContext,
  records: readonly RepositoryRecord[],
  all?: readonly RepositoryRecord[],
): Promise<RepositoryBody[]> {
  const repositories = repositoriesOf(actor(context));
  return (await describeRepositories({ repositories, jobs }, records, all)) as RepositoryBody[];
}

async function showOne(
  services: RepositoryServices,
  record: RepositoryRecord,
  context: ApiContext,
): Promise<RepositoryBody> {
  const [shown] = await show(services, context, [record]);
  return shown as RepositoryBody;
}

/**
 * Customers and build machines hold read tokens. A read token sees the repositories and their status, without their
 * addresses.
 */
function forCaller(context: ApiContext, shown: RepositoryBody): RepositoryBody {
  return isReadToken(context) ? { ...shown, url: null, error_message: null } : shown;
}

/** A read token sees neither the log nor the report of a sync. */
function jobForCaller(context: ApiContext, job: JobBody): JobBody {
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

/** The cast only drops `readonly` from the lists. */
function showJob(job: JobRecord): JobBody {
  return jobDocument(job) as unknown as JobBody;
}

function patchOf({ credentials, interval, ...fields }: z.infer<typeof repositoryPatch>): RepositoryPatch {
  const filters = filtersOf(fields);
  return {
    ...(credentials === undefined ? {} : { credentials }),
    ...(interval === undefined ? {} : { interval }),
    ...(Object.keys(filters).length === 0 ? {} : { filters }),
  };
}

/** The given filters under their names in libretto.json. */
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
