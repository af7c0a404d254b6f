// Who uses a package, and which stored versions have an advisory or an entry of a filter list, as API and commands show
// it.

import { z } from 'zod';
import { actorSchema, idSchema } from '../registry/fields.ts';
import { severities } from '../policy/model/words.ts';
import type { Fixed } from '../registry/operation.ts';
import { pageOf } from '../registry/page.ts';

const day = (event: string) => z.string().meta({ description: `the day in UTC ${event}`, example: '2026-11-21' });

const count = (description: string) => z.number().int().meta({ description });
export const versionStates = [
  'supported',
  'advisory',
  'malware',
  'withdrawn',
  'purged',
  'blocked',
  'held',
  'dev',
  'unknown',
] as const;
export type VersionState = (typeof versionStates)[number];

const fixedIn = z.string().nullable().meta({
  description: 'the first later release without an advisory; null: none, or nothing is to fix',
  example: '1.2.1',
});

const user = z
  .object({
    id: z.string().meta({
      description: 'the id of the token, the trusted publisher, or the project',
      example: 'tok_4fHj2kLm9QwErTy0',
    }),
    description: z.string().meta({
      description: 'the description of the token, the name of the project, or the repository and the ref of a CI job',
      example: 'CI of the shop',
    }),
    kind: z.enum(['read', 'write', 'project']).meta({ description: 'what the token may do; or `project`' }),
    status: z
      .enum(['active', 'expired', 'revoked', 'removed'])
      .meta({ description: 'whether the token works now. Trusted publishers and projects are active until removed' }),
    owner: z.string().nullable().meta({
      description:
        'the e-mail address of its person, or of who made it; the name of the trusted publisher; null: nobody',
      example: 'ada@example.org',
    }),
    run_url: z.string().nullable().meta({ description: 'the page of the last run of a trusted publisher' }),
    client: z.string().nullable().meta({
      description: 'the client of its last download or install, if that was Composer',
      example: 'Composer 2.8.1, PHP 8.3, CI',
    }),
  })
  .nullable()
  .meta({ description: 'who uses the version; null for tokens and projects that the caller may not list' });

const use = z
  .object({
    token: user,
    version: z.string().meta({ description: 'the version, as published', example: '1.2.0' }),
    state: z.enum(versionStates).meta({
      description:
        'what is known of the version now. `supported`: it is published, here or at its registry, and has no advisory. ' +
        '`malware`: an advisory or a filter list says so, whether a rule blocks it or not. ' +
        '`unknown`: nothing is stored of its package',
    }),
    fixed_in: fixedIn,
    first_used_on: day('of the first use that is known'),
    last_used_on: day('of the last download, install or report'),
    last_installed_on: day('of the last reported install').nullable(),
    downloads: z.number().int().meta({
      description: 'archives sent: in total, or from `since` on if that is one of the last 90 days',
    }),
    installs: z.number().int().meta({ description: 'reported installs, counted in the same way' }),
  })
  .meta({ id: 'VersionUse' });
export type UseDocument = Fixed<z.output<typeof use>>;

export const usageSchema = z
  .object({
    data: z.array(use).meta({ description: 'a line for each user and version, the last used first' }),
    tokens: count('the number of tokens and jobs in `data`, with those that the caller may not list'),
    projects: count('the number of projects in `data`, with those that the caller may not list'),
    counted_since: day('since which downloads are counted by token')
      .nullable()
      .meta({ description: 'null: the setting `statistics.by` is not `token`' }),
    truncated: z
      .array(z.string())
      .meta({ description: 'a sentence for each limit that has removed older uses; empty: nothing is missing' }),
  })
  .meta({ id: 'PackageUsage' });
export type UsageDocument = Fixed<z.output<typeof usageSchema>>;

const project = z
  .object({
    id: idSchema('prj', 'the project'),
    name: z.string().meta({ description: 'its name', example: 'acme/shop' }),
    reported_on: day('of its last report'),
    created_by: actorSchema('made the token of the report'),
    reporter: z.string().nullable().meta({
      description: 'the description of the limited token that the project belongs to; null: it belongs to `created_by`',
      example: 'CI of the shop',
    }),
    packages: count('the number of packages of this registry that it runs, among those that the caller sees'),
    exposed: count('how many of them it runs in a version that `listExposures` lists'),
  })
  .meta({ id: 'Project', description: 'a project, as of its last report' });
const run = use.pick({ version: true, state: true, fixed_in: true }).extend({
  package: z.string().meta({ description: 'a package that the project runs', example: 'acme/hello' }),
});
export const projectsSchema = pageOf(project);
export const projectSchema = pageOf(run).extend({ project });
export type ProjectDocument = Fixed<z.output<typeof project>>;
export type RunDocument = Fixed<z.output<typeof run>>;

const told = z.object({
  description: z.string().meta({ description: 'a token or project', example: 'CI of the shop' }),
  owner: z.string().nullable().meta({ description: 'who gets the mail; null: nobody', example: 'ada@example.org' }),
  reason: z.string().nullable().meta({ description: 'why nobody gets it', example: 'it ended' }),
});

export const toldSchema = z
  .object({
    sent: z.boolean().meta({ description: 'false: it was a preview' }),
    people: count('the number of people who get the mail'),
    data: z.array(told).meta({ description: 'the tokens and projects that the caller may list' }),
    hidden: count('the number of others, whose owners get the mail too'),
    mail: z.string().nullable().meta({ description: 'the text of the first mail; null: the registry sends none' }),
  })
  .meta({ id: 'ToldUsers' });
export type ToldDocument = Fixed<z.output<typeof toldSchema>>;

const concern = z.object({
  id: z.string().meta({ description: 'the id of the advisory, or the filter list', example: 'PKSA-x7tk-1q2w-9z8y' }),
  title: z.string().meta({ description: 'what is wrong', example: 'SQL injection in the search' }),
  severity: z.string().nullable().meta({ description: 'as the advisory says; null: unknown', example: 'high' }),
});

export const exposureFilter = z.strictObject({
  origin: z
    .enum(['private', 'mirrored'])
    .optional()
    .meta({ description: 'only those that are published here, or not' }),
  severity: z.enum(severities).optional().meta({ description: 'only this or worse, malware, and unknown severities' }),
});

const exposure = z
  .object({
    package: z.string().meta({ description: 'the name of the package', example: 'acme/hello' }),
    origin: z.enum(['private', 'mirrored']).meta({ description: 'published here, or of another registry' }),
    version: z.string().meta({ description: 'the version', example: '1.2.0' }),
    state: z.enum(versionStates).meta({ description: 'what is known of the version now' }),
    malware: z
      .boolean()
      .meta({ description: 'whether an advisory or the filter list `malware` says that it is malware' }),
    refused: z.boolean().meta({ description: 'whether a rule of the policy refuses its archive, also for lock files' }),
    advisories: z.array(concern).meta({ description: 'the advisories and entries of filter lists that name it' }),
    fixed_in: fixedIn,
    tokens: count('the number of tokens and jobs that used it, with those that the caller may not list'),
    projects: count('the number of projects that run it, with those that the caller may not list'),
    last_used_on: day('of the last use; null: none is known').nullable(),
    last_used_by: user,
  })
  .meta({ id: 'Exposure' });
export type ExposureDocument = Fixed<z.output<typeof exposure>>;

export const exposuresSchema = z
  .object({
    data: z.array(exposure).meta({ description: 'malware first, then by severity and by the number of users' }),
    left_out: z.number().int().meta({ description: 'the number of further versions: an answer has 1,000 at most' }),
    unread: z.array(z.string()).meta({ description: 'packages whose files are damaged: nothing is known of them' }),
    counted_since: day('since which uses are counted by token; null: they are not').nullable(),
  })
  .meta({ id: 'Exposures' });
export type ExposuresDocument = Fixed<z.output<typeof exposuresSchema>>;
