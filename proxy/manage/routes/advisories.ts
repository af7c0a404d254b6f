// Documents the requests of `composer audit` and of Composer's policies, as routes/protocol.ts documents the other
// ones.

import type { RouteConfig } from '@hono/zod-openapi';
import { z } from 'zod';
import type { ErrorCode } from '../../../build/contract/errors.ts';
import { pipelineErrors } from '../frame/api.ts';
import { callerErrors, errorResponses } from '../frame/error-responses.ts';
import { answering, body } from '../frame/json-content.ts';
import { mostPackages, mostLists } from '../../advisories/advisory-request.ts';

const text = (description: string, example?: string) =>
  z.string().meta({ description, ...(example === undefined ? {} : { example }) });
const textOrNull = (description: string) => z.string().nullable().optional().meta({ description });
const packageName = text('the name of the package', 'acme/hello');

const advisory = z.looseObject({
  advisoryId: text('the id of the advisory at this registry'),
  packageName,
  affectedVersions: text('a constraint for the affected versions', '>=1.0,<1.2.3'),
  title: text('the title of the advisory, in one line'),
  cve: textOrNull('the CVE number; null without one'),
  link: textOrNull('a page about it'),
  severity: textOrNull('low, medium, high or critical; null if unknown'),
  reportedAt: text('when it was reported', '2026-11-21 09:30:00'),
  sources: z
    .array(z.looseObject({ name: text('the database of the advisory'), remoteId: text('its id in that database') }))
    .meta({ description: 'the databases that contain the advisory' }),
});

const advisoriesByPackage = z
  .object({
    advisories: z.record(z.string(), z.array(advisory)).meta({ description: 'package → its advisories' }),
  })
  .meta({ id: 'SecurityAdvisories' });

const advisoryQuestion = z
  .object({
    'packages[]': z
      .array(packageName.max(201))
      .max(mostPackages)
      .meta({ description: 'the names of the packages', example: ['acme/hello'] }),
  })
  .meta({ id: 'AdvisoryQuestion' });

const filterQuestion = z
  .object({
    packages: z
      .array(text('a package URL', 'pkg://composer/acme/hello').max(400))
      .max(mostPackages)
      .meta({ description: 'the names of the packages', example: ['pkg://composer/acme/hello'] }),
    lists: z
      .array(text('the name of a list', 'malware').max(100))
      .max(mostLists)
      .meta({ description: 'the requested lists', example: ['malware'] }),
  })
  .meta({ id: 'FilterQuestion' });

const filterEntry = z.looseObject({
  package: packageName,
  constraint: text('a constraint for the blocked versions', '>=2.0,<2.0.4'),
  reason: textOrNull('the reason for blocking them'),
  url: textOrNull('a page about it'),
  id: textOrNull('the id of the entry in its list'),
  source: textOrNull('the source of the entry'),
});

const filterEntries = z
  .object({ filter: z.record(z.string(), z.array(filterEntry)).meta({ description: 'list → its entries' }) })
  .meta({ id: 'FilterEntries' });

const constraintOfPackage = z.record(z.string(), text('a constraint for the blocked versions'));

const filterSummary = z
  .object({ filter: z.record(z.string(), constraintOfPackage).meta({ description: 'list → package → constraint' }) })
  .meta({ id: 'FilterSummary' });

const tags = ['Composer'];
const security = [{ token: [] }, { tokenAsPassword: [] }];
const refusals: readonly ErrorCode[] = [...callerErrors, 'NOT_FOUND'];
const ofBody: readonly ErrorCode[] = ['INVALID_INPUT', 'UNSUPPORTED_MEDIA_TYPE', 'BODY_TOO_LARGE'];

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
      200: answering(advisoriesByPackage, 'the advisories, by package'),
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
      200: answering(advisoriesByPackage, 'the advisories, by package'),
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
    request: { body: body(filterQuestion) },
    responses: {
      200: answering(filterEntries, 'the entries, by list'),
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
      200: answering(filterSummary, 'list → package → constraint for the blocked versions'),
      ...errorResponses([...refusals, ...pipelineErrors('get')]),
    },
  },
];
