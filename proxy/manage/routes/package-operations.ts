// The operations on published packages as the OpenAPI document describes them: paths, parameters, answers.

import { z } from 'zod';
import type { TextKind } from '../../../build/contract/package-texts.ts';
import { operation } from '../frame/api.ts';
import { pageOf, pageQuery } from '../../registry/page.ts';
import { packageSchema, packageSummary, packageText, statisticsSchema, withdrawalSchema } from '../schemas/package.ts';

const tags = ['Packages'];
const name = {
  vendor: z.string().max(200).meta({ description: 'the vendor of the package', example: 'acme' }),
  package: z.string().max(200).meta({ description: 'the package without its vendor', example: 'hello' }),
};
export const params = z.strictObject(name);
const version = z.string().min(1).max(200);

export const packageListQuery = pageQuery.extend({
  search: z
    .string()
    .max(200)
    .optional()
    .meta({ description: 'words in the name, description or keywords', example: 'http client' }),
  type: z.string().max(100).optional().meta({ description: 'only packages of this type', example: 'library' }),
  vendor: z.string().max(200).optional().meta({ description: 'only packages of this vendor', example: 'acme' }),
  sort: z.enum(['name', 'updated', 'downloads']).default('name').meta({ description: 'the sort order' }),
});

export const listPackages = operation({
  operationId: 'listPackages',
  method: 'get',
  path: '/api/packages',
  tags,
  summary: 'Search packages',
  description: 'Sorted by name, by the last publication, or by downloads.',
  request: {
    query: packageListQuery,
  },
  responses: {
    200: { description: 'a page of packages', content: { 'application/json': { schema: pageOf(packageSummary) } } },
  },
});

export const getPackage = operation({
  operationId: 'getPackage',
  method: 'get',
  path: '/api/packages/{vendor}/{package}',
  tags,
  summary: 'Get a package',
  description: 'With all published versions that the caller sees.',
  request: { params },
  responses: {
    200: {
      description: 'the package with its published versions',
      content: { 'application/json': { schema: packageSchema } },
    },
  },
  errors: ['NOT_FOUND'],
});

const textRoute = <const Id extends 'getReadme' | 'getChangelog'>(operationId: Id, kind: TextKind, what: string) =>
  operation({
    operationId,
    method: 'get',
    path: `/api/packages/{vendor}/{package}/${kind}`,
    tags,
    summary: `Get the ${what} of a version`,
    description: `The file of that name in the source of the version. The answer is 404 if the version has none.`,
    request: {
      params,
      query: z.strictObject({
        version: version.optional().meta({ description: 'the version; default: the latest', example: '1.2.0' }),
      }),
    },
    responses: {
      200: {
        description: `the ${what} as original text and as safe HTML`,
        content: { 'application/json': { schema: packageText } },
      },
    },
    errors: ['NOT_FOUND'],
  });

export const getReadme = textRoute('getReadme', 'readme', 'README');
export const getChangelog = textRoute('getChangelog', 'changelog', 'CHANGELOG');

export const getStatistics = operation({
  operationId: 'getStatistics',
  method: 'get',
  path: '/api/packages/{vendor}/{package}/statistics',
  tags,
  summary: 'Get the downloads and installs of a package',
  description:
    'Downloads are archives that the server sent. Installs are reported by Composer after an install or ' +
    'update, including archives from its own cache.',
  request: {
    params,
    query: z.strictObject({
      days: z.coerce
        .number()
        .int()
        .min(1)
        .max(3650)
        .default(30)
        .meta({ description: 'the number of days', example: 30 }),
    }),
  },
  responses: {
    200: {
      description: 'the counts by version and day',
      content: { 'application/json': { schema: statisticsSchema } },
    },
  },
  errors: ['NOT_FOUND'],
});

export const withdrawVersion = operation({
  operationId: 'withdrawVersion',
  method: 'delete',
  path: '/api/packages/{vendor}/{package}/versions/{version}',
  tags,
  summary: 'Withdraw a version',
  description:
    'The registry no longer offers the version, even if its source still has it. Existing lock files still ' +
    'install it, unless the policy blocks it. A repeated request changes nothing. `libretto package restore` on the host publishes the ' +
    'version again. Write slashes in a version as %2F.',
  request: {
    params: z.strictObject({
      ...name,
      version: version.meta({ description: 'the version to withdraw', example: '1.2.0' }),
    }),
  },
  responses: {
    200: { description: 'the withdrawn version', content: { 'application/json': { schema: withdrawalSchema } } },
  },
  errors: ['NOT_FOUND', 'BUILD_BUSY'],
});
