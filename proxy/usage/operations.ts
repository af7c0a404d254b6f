// What can be asked and reported about the use of packages: the operations that API, commands and console call.

import { z } from 'zod';
import { nameOf, packageParams } from '../packages/operations.ts';
import { idSchema } from '../registry/fields.ts';
import { operation } from '../registry/operation.ts';
import { pageQuery } from '../registry/page.ts';
import { readExposures } from './read-exposures.ts';
import { listProjects as list, readProject, reportProject as report } from './projects.ts';
import { readUsage, type UsageServices } from './read-usage.ts';
import { tellUsers as tell } from './tell-users.ts';
import {
  exposureFilter,
  exposuresSchema,
  projectSchema,
  projectsSchema,
  toldSchema,
  usageSchema,
} from './usage-schema.ts';

const question = {
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
};

export const getUsage = operation({
  id: 'getUsage',
  method: 'get',
  path: '/api/packages/{vendor}/{package}/usage',
  tag: 'Packages',
  summary: 'List who uses a package',
  description:
    'The tokens that downloaded or installed each version, if the setting `statistics.by` is `token`, and the projects ' +
    'whose last report names it. Jobs of a trusted publisher count together by repository and ref. A maintainer sees ' +
    'the names of the tokens they created, and of their projects; the others have `token` null.',
  params: packageParams,
  query: z.strictObject(question),
  answer: usageSchema,
  answers: 'the uses by token and version',
  errors: ['NOT_FOUND'],
  run: (services: UsageServices, { constraint, since, ...params }, call) =>
    readUsage(services, { name: nameOf(params), constraint, since }, call),
});

export const tellUsers = operation({
  id: 'tellUsers',
  method: 'post',
  path: '/api/packages/{vendor}/{package}/usage/messages',
  tag: 'Packages',
  summary: 'Write to the owners of tokens that use a package',
  description:
    'Sends a mail to the people who own, or made, the tokens and projects that `getUsage` lists. Nobody names an address. ' +
    'An owner of several gets one mail. A person may send ten messages an hour, each to at most 500 people.',
  params: packageParams,
  body: z
    .strictObject({
      ...question,
      subject: z.string().min(1).max(120).meta({ description: 'one line' }),
      text: z.string().min(1).max(5000).meta({ description: 'plain text; an empty line separates paragraphs' }),
      preview: z.boolean().optional().meta({ description: 'true: nothing is sent' }),
    })
    .meta({
      id: 'UsersMessage',
      example: { constraint: '1.2.*', subject: 'acme/hello 1.2 ends', text: 'Please update to 1.3.' },
    }),
  answer: toldSchema,
  answers: 'who is told',
  form: '/packages/:vendor/:package/tell',
  errors: ['NOT_FOUND', 'NOT_AVAILABLE', 'CONFLICT', 'TOO_MANY_ATTEMPTS'],
  run: (services: UsageServices, { preview = false, ...message }, call) =>
    tell(services, { ...message, preview, name: nameOf(message) }, call),
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
  query: exposureFilter,
  answer: exposuresSchema,
  answers: 'the versions',
  run: (services: UsageServices, filter, call) => readExposures(services, call, filter),
});

const whole = 'hand in a composer.lock as Composer wrote it';
const nameWords = `must be the name of a package, of at most 300 characters: ${whole}`;
const versionWords = `must be a version, of at most 200 characters: ${whole}`;
const projectWords = 'must be 1 to 100 letters, digits, spaces and . / @ _ -';
const locked = z
  .array(
    z.object(
      {
        name: z.string(nameWords).max(300, nameWords).meta({ description: 'the package', example: 'acme/hello' }),
        version: z
          .string(versionWords)
          .max(200, versionWords)
          .meta({ description: 'its version, as the lock file has it', example: '1.2.0' }),
      },
      `must be a package with name and version: ${whole}`,
    ),
    `must be a list of packages: ${whole}`,
  )
  .max(2000, 'has more than 2,000 packages: report the project in parts, each under a name of its own');

export const reportProject = operation({
  id: 'reportProject',
  method: 'post',
  path: '/api/projects',
  tag: 'Packages',
  summary: 'Report what a project runs',
  description:
    'Takes the composer.lock of a project, and replaces its last report. Only versions that this registry has, and that ' +
    'the caller sees, are stored: `getUsage` lists them. A report without packages removes the project; that of an ' +
    'admin removes every project of this name. A registry has at most 1,000 projects, and a limited token 100.',
  query: z.strictObject({
    project: z
      .string(projectWords)
      .max(100, { error: projectWords, abort: true })
      .regex(/^\w[\w ./@-]{0,99}$/, projectWords)
      .meta({ description: 'the name of the project', example: 'acme/shop' }),
  }),
  body: z
    .object({
      packages: locked.meta({ description: 'the packages that the project runs' }),
      'packages-dev': locked.nullish().meta({ description: 'those for its development' }),
    })
    .meta({ description: 'a composer.lock: other fields are ignored' }),
  answer: z.object({ packages: z.number().int().meta({ description: 'the number of packages that are stored' }) }),
  answers: 'what is stored',
  errors: ['CONFLICT'],
  run: async (services: UsageServices, { project: name, packages, 'packages-dev': others }, call) => ({
    packages: await report(services, { name, locked: [...packages, ...(others ?? [])] }, call),
  }),
});

export const listProjects = operation({
  id: 'listProjects',
  method: 'get',
  path: '/api/projects',
  tag: 'Packages',
  summary: 'List projects',
  description: 'By name. A maintainer sees the projects of the tokens that they created.',
  query: pageQuery.extend({
    q: z.string().max(100).optional().meta({ description: 'a part of the name', example: 'shop' }),
  }),
  answer: projectsSchema,
  answers: 'a page of projects',
  run: (services: UsageServices, query, call) => list(services, query, call),
});

export const getProject = operation({
  id: 'getProject',
  method: 'get',
  path: '/api/projects/{id}',
  tag: 'Packages',
  summary: 'List what a project runs',
  description: 'The packages of its last report that the caller sees, by name, with what is known of the versions now.',
  params: z.strictObject({ id: idSchema('prj', 'the project') }),
  query: pageQuery,
  answer: projectSchema,
  answers: 'the project, and a page of its packages',
  errors: ['NOT_FOUND'],
  run: (services: UsageServices, query, call) => readProject(services, query, call),
});

export const usageOperations = [getUsage, tellUsers, listExposures, reportProject, listProjects, getProject];
