// Documents Composer's search, list and providers requests, as routes/protocol.ts documents the other ones.

import type { RouteConfig } from '@hono/zod-openapi';
import { z } from 'zod';
import type { ErrorCode } from '../../../build/contract/errors.ts';
import { pipelineErrors } from '../frame/api.ts';
import { callerErrors, errorResponses } from '../frame/error-responses.ts';
import { answering, body } from '../frame/json-content.ts';

const name = z.string().meta({ description: 'the name of the package', example: 'acme/hello' });
const description = z
  .string()
  .meta({ description: 'one line about the package, from its newest version', example: 'Says hello' });

const searchResults = z
  .object({
    results: z
      .array(
        z.object({
          name,
          description,
          url: z.string().optional().meta({
            description: 'the homepage of the package, or its source repository; omitted without both',
            example: 'https://example.org/hello',
          }),
          repository: z
            .string()
            .optional()
            .meta({ description: 'the source repository', example: 'https://git.example.org/acme/hello' }),
          downloads: z.number().int().meta({
            description: 'the number of reported installs or of sent archives, whichever is larger; up to a minute old',
          }),
          favers: z.literal(0).meta({ description: 'always 0: this registry has no favourites' }),
          abandoned: z
            .union([z.literal(true), z.string()])
            .optional()
            .meta({ description: 'true, or the package to use instead; omitted for maintained packages' }),
        }),
      )
      .meta({ description: 'the packages of this page' }),
    total: z.number().int().meta({ description: 'the number of results on all pages' }),
    next: z
      .string()
      .optional()
      .meta({ description: 'the path of the next page', example: '/search.json?q=hello&page=2' }),
  })
  .meta({ id: 'SearchResults' });

const packageNames = z
  .object({
    packageNames: z.array(z.string()).meta({ description: 'the names, sorted', example: ['acme/hello', 'acme/tool'] }),
  })
  .meta({ id: 'PackageNames' });

const providerNamesSchema = z
  .object({
    providers: z
      .array(
        z.object({
          name,
          description,
          type: z.string().meta({ description: 'the type of the package', example: 'library' }),
        }),
      )
      .meta({ description: 'packages that provide or replace the requested name' }),
  })
  .meta({ id: 'Providers' });

const installReport = z
  .looseObject({
    downloads: z
      .array(
        z.looseObject({
          name: name.max(201),
          version: z
            .string()
            .max(200)
            .meta({ description: 'the normalized version, as in Composer', example: '1.2.0.0' }),
        }),
      )
      .max(2000)
      .meta({ description: 'the versions that were installed' }),
  })
  .meta({ id: 'InstallReport' });

const installsCounted = z
  .object({
    status: z.literal('success').meta({ description: 'the value that Composer expects' }),
    counted: z.number().int().meta({ description: 'the number of counted versions: those published here', example: 2 }),
  })
  .meta({ id: 'InstallsCounted' });

const tags = ['Composer'];
const security = [{ token: [] }, { tokenAsPassword: [] }];
const errors = (...codes: readonly ErrorCode[]) =>
  errorResponses([...callerErrors, ...codes, ...pipelineErrors('get')]);
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
    responses: { 200: answering(searchResults, 'a page of packages'), ...errors('INVALID_INPUT') },
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
    responses: { 200: answering(packageNames, 'the names'), ...errors('INVALID_INPUT') },
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
    responses: { 200: answering(providerNamesSchema, 'the packages'), ...errors('NOT_FOUND') },
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
    request: { body: body(installReport) },
    responses: {
      200: answering(installsCounted, 'the report was counted'),
      ...errorResponses([
        ...callerErrors,
        'NOT_FOUND',
        'INVALID_INPUT',
        'UNSUPPORTED_MEDIA_TYPE',
        'BODY_TOO_LARGE',
        ...pipelineErrors('post'),
      ]),
    },
  },
];
