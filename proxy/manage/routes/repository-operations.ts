// The operations on registered repositories as the OpenAPI document describes them: paths, parameters, answers.

import { z } from 'zod';
import { operation } from '../frame/api.ts';
import { answering } from '../frame/json-content.ts';
import { pageOf, pageQuery } from '../../registry/page.ts';
import { idSchema } from '../../registry/fields.ts';
import {
  removedRepository,
  repositoryDraft,
  repositoryPatch,
  repositorySchema,
  verificationSchema,
} from '../schemas/repository.ts';
import { jobSchema } from '../../sync/job-schema.ts';

const tags = ['Repositories'];
const params = z.strictObject({ id: idSchema('repo', 'the repository') });
const jobParams = params.extend({ job: idSchema('job', 'the sync') });

export const listRepositories = operation({
  operationId: 'listRepositories',
  method: 'get',
  path: '/api/repositories',
  tags,
  summary: 'List repositories',
  description: 'Oldest first.',
  request: { query: pageQuery },
  responses: { 200: answering(pageOf(repositorySchema), 'a page of repositories') },
});

export const createRepository = operation({
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

export const getRepository = operation({
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

export const updateRepository = operation({
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

export const deleteRepository = operation({
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
      confirm: z.string().max(100).optional().meta({ description: 'the id of the repository again' }),
    }),
  },
  responses: { 200: answering(removedRepository, 'the removed repository') },
  errors: ['NOT_FOUND', 'CONFIRMATION_REQUIRED'],
});

export const verifyRepository = operation({
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

export const syncRepository = operation({
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

export const listJobs = operation({
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

export const getJob = operation({
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
