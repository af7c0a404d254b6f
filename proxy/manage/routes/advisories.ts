// Documents the requests of `composer audit` and of Composer's policies, as routes/protocol.ts documents the other
// ones.

import { z, type RouteConfig } from '@hono/zod-openapi';
import type { ErrorCode } from '../../../build/contract/errors.ts';
import { pipelineErrors } from '../frame/api.ts';
import { errorResponses } from '../frame/error-responses.ts';
import { mostPackages } from '../../advisories/advisory-request.ts';
import {
  advisoriesByPackage,
  advisoryQuestion,
  filterEntries,
  filterQuestion,
  filterSummary,
} from '../schemas/advisories.ts';

const tags = ['Composer'];
const security = [{ token: [] }, { tokenAsPassword: [] }];
const refusals: readonly ErrorCode[] = [
  'AUTHENTICATION_REQUIRED',
  'INVALID_TOKEN',
  'INSUFFICIENT_SCOPE',
  'TOO_MANY_ATTEMPTS',
  'NOT_FOUND',
];
const ofBody: readonly ErrorCode[] = ['INVALID_INPUT', 'UNSUPPORTED_MEDIA_TYPE', 'BODY_TOO_LARGE'];
const json = (schema: z.ZodType) => ({ 'application/json': { schema } });

export const advisoryRoutes: readonly RouteConfig[] = [
  {
    operationId: 'getSecurityAdvisories',
    method: 'get',
    path: '/security-advisories',
    tags,
    summary: 'Get the security advisories of packages',
    security,
    description: 'The answer omits packages that are unknown, hidden from the token, or without advisories.',
    request: {
      query: z.object({
        'packages[]': z
          .array(z.string().max(201))
          .max(mostPackages)
          .meta({ description: 'the name of a package; repeatable', example: ['acme/hello'] }),
      }),
    },
    responses: {
      200: { description: 'the advisories, by package', content: json(advisoriesByPackage) },
      ...errorResponses([...refusals, 'INVALID_INPUT', ...pipelineErrors('get')]),
    },
  },
  {
    operationId: 'askSecurityAdvisories',
    method: 'post',
    path: '/security-advisories',
    tags,
    summary: 'Get the security advisories of many packages, for Composer',
    security,
    description: 'The request of `composer audit`.',
    request: {
      body: { required: true, content: { 'application/x-www-form-urlencoded': { schema: advisoryQuestion } } },
    },
    responses: {
      200: { description: 'the advisories, by package', content: json(advisoriesByPackage) },
      ...errorResponses([...refusals, ...ofBody, ...pipelineErrors('post')]),
    },
  },
  {
    operationId: 'askFilters',
    method: 'post',
    path: '/filters',
    tags,
    summary: 'Get the filter list entries of packages, for Composer',
    security,
    description: 'Composer 2.10 and later does not install these versions.',
    request: { body: { required: true, content: json(filterQuestion) } },
    responses: {
      200: { description: 'the entries, by list', content: json(filterEntries) },
      ...errorResponses([...refusals, ...ofBody, ...pipelineErrors('post')]),
    },
  },
  {
    operationId: 'getFilterSummary',
    method: 'get',
    path: '/filters/summary.json',
    tags,
    summary: 'Get all filter lists in short, for Composer',
    security,
    description: 'Composer 2.10 and later reads it when it resolves many packages at once.',
    responses: {
      200: { description: 'list → package → constraint for the blocked versions', content: json(filterSummary) },
      ...errorResponses([...refusals, ...pipelineErrors('get')]),
    },
  },
];
