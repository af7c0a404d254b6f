// What can be asked about the use of packages: the operations that API, commands and console call.

import { z } from 'zod';
import { nameOf, packageParams } from '../packages/operations.ts';
import { operation } from '../registry/operation.ts';
import { readExposures } from './read-exposures.ts';
import { readUsage, type UsageServices } from './read-usage.ts';
import { exposuresSchema, usageSchema } from './usage-schema.ts';

export const getUsage = operation({
  id: 'getUsage',
  method: 'get',
  path: '/api/packages/{vendor}/{package}/usage',
  tag: 'Packages',
  summary: 'List who uses a package',
  description:
    'The tokens that downloaded or installed each version, if the setting `statistics.by` is `token`. Jobs of a trusted ' +
    'publisher count together by repository and ref. A maintainer sees the names of the tokens they created; the ' +
    'others have `token` null.',
  params: packageParams,
  query: z.strictObject({
    constraint: z
      .string()
      .max(500)
      .optional()
      .meta({ description: "only versions that satisfy it, in Composer's syntax", example: '1.2.*' }),
    since: z
      .string()
      .max(10)
      .regex(/^\d{4}-\d\d-\d\d$/, 'must be a day such as 2026-11-01')
      .optional()
      .meta({ description: 'only uses on this day in UTC or later', example: '2026-11-01' }),
  }),
  answer: usageSchema,
  answers: 'the uses by token and version',
  errors: ['NOT_FOUND'],
  run: (services: UsageServices, { constraint, since, ...params }, call) =>
    readUsage(services, { name: nameOf(params), constraint, since }, call),
});

export const listExposures = operation({
  id: 'listExposures',
  method: 'get',
  path: '/api/exposures',
  tag: 'Packages',
  summary: 'List versions with an advisory',
  description:
    'The versions whose archives clients get here, published or mirrored, with an advisory or an entry of a filter ' +
    'list, who used them last, and the release that fixes them. The lists are as of the last ten seconds. What a ' +
    'caller learns of tokens: as of `getUsage`.',
  answer: exposuresSchema,
  answers: 'the versions',
  run: (services: UsageServices, _input, call) => readExposures(services, call),
});

export const usageOperations = [getUsage, listExposures];
