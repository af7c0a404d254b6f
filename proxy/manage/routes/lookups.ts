// Documents Composer's search, list and providers requests, as routes/protocol.ts documents the other ones.

import { z, type RouteConfig } from '@hono/zod-openapi';
import type { ErrorCode } from '../../../build/contract/errors.ts';
import { pipelineErrors } from '../frame/api.ts';
import { errorResponses } from '../frame/error-responses.ts';
import { installReport, installsCounted, packageNames, providerNamesSchema, searchResults } from '../schemas/lookup.ts';

const tags = ['Composer'];
const security = [{ token: [] }, { tokenAsPassword: [] }];
const refusals: readonly ErrorCode[] = [
  'AUTHENTICATION_REQUIRED',
  'INVALID_TOKEN',
  'INSUFFICIENT_SCOPE',
  'TOO_MANY_ATTEMPTS',
];
const errors = (...codes: readonly ErrorCode[]) => errorResponses([...refusals, ...codes, ...pipelineErrors('get')]);
const json = (schema: z.ZodType) => ({ 'application/json': { schema } });
const type = z
  .string()
  .max(250)
  .optional()
  .meta({ description: 'only packages of exactly this type; empty: any type', example: 'library' });

export const lookupRoutes: readonly RouteConfig[] = [
  {
    operationId: 'searchPackages',
    method: 'get',
    path: '/search.json',
    tags,
    summary: 'Search packages, for Composer',
    security,
    description:
      'For `composer search`, which reads the first page. Matches in names come first, then in keywords, then ' +
      'in descriptions; among equals, more used packages come first.',
    request: {
      query: z.object({
        q: z.string().max(250).optional().meta({
          description: 'words; each must occur in the name, keywords or description; empty: all packages',
          example: 'http client',
        }),
        type,
        page: z.coerce
          .number()
          .int()
          .min(1)
          .max(Number.MAX_SAFE_INTEGER)
          .optional()
          .meta({ description: 'the page number, from 1', example: 1 }),
        per_page: z.coerce
          .number()
          .int()
          .min(1)
          .max(100)
          .optional()
          .meta({ description: 'results per page; default 100', example: 100 }),
      }),
    },
    responses: { 200: { description: 'a page of packages', content: json(searchResults) }, ...errors('INVALID_INPUT') },
  },
  {
    operationId: 'listPackageNames',
    method: 'get',
    path: '/list.json',
    tags,
    summary: 'List names of packages, for Composer',
    security,
    description: 'All names, or the matching names. Composer uses them to complete names on the command line.',
    request: {
      query: z.object({
        filter: z
          .string()
          .max(250)
          .optional()
          .meta({ description: 'a name in which * matches any characters', example: 'acme/*' }),
        vendor: z.string().max(250).optional().meta({ description: 'only packages of this vendor', example: 'acme' }),
        type,
      }),
    },
    responses: { 200: { description: 'the names', content: json(packageNames) }, ...errors('INVALID_INPUT') },
  },
  {
    operationId: 'listProviders',
    method: 'get',
    path: '/providers/{vendor}/{package}.json',
    tags,
    summary: 'List the providers of a package, for Composer',
    security,
    description:
      'Other packages with this name in `provide` or `replace` of a version. Composer suggests them when a ' +
      'required name is not a package.',
    request: {
      params: z.object({
        vendor: z.string().meta({ description: 'the vendor, in lower case', example: 'acme', maxLength: 100 }),
        package: z.string().meta({
          description: 'the package without its vendor, in lower case',
          example: 'log-implementation',
          maxLength: 100,
        }),
      }),
    },
    responses: { 200: { description: 'the packages', content: json(providerNamesSchema) }, ...errors('NOT_FOUND') },
  },
  {
    operationId: 'reportInstalls',
    method: 'post',
    path: '/downloads',
    tags,
    summary: 'Report installs, for Composer',
    security,
    description:
      'Composer sends this after every install and update, and waits for at most 6 seconds. Each version ' +
      'counts once. Versions that are not published here, or hidden from the token, do not count.',
    request: { body: { required: true, content: json(installReport) } },
    responses: {
      200: { description: 'the report was counted', content: json(installsCounted) },
      ...errorResponses([
        ...refusals,
        'NOT_FOUND',
        'INVALID_INPUT',
        'UNSUPPORTED_MEDIA_TYPE',
        'BODY_TOO_LARGE',
        ...pipelineErrors('post'),
      ]),
    },
  },
];
