// The fields of a repository. Its filters are those of libretto.json's sources, which docs/reference/configuration.md
// explains.

import { z } from 'zod';
import { actorSchema, idSchema, time, timeSchema } from '../registry/fields.ts';
import type { Fixed } from '../registry/operation.ts';
import { credentialsKinds, repositoryTypes } from './repository.ts';

const type = z.enum(repositoryTypes).meta({
  description:
    '`git` is fetched over https or ssh; `directory` and `artifact` are folders below `sourceRoots`; ' +
    '`composer` is another Composer repository, whose packages are mirrored',
});
const url = z
  .string()
  .min(1)
  .max(2000)
  .meta({
    description:
      'without credentials; for `directory` and `artifact` an absolute path. It cannot be changed: register the ' +
      'new address as a new repository',
    example: 'https://git.example.org/acme/tool.git',
  });
const text = z.string().min(1).max(500);
const texts = z.array(text).max(200);
const mostNames = 1000;
const byName = z
  .record(text, text)
  .refine((given) => Object.keys(given).length <= mostNames, `must have at most ${mostNames} entries`)
  .meta({ maxProperties: mostNames });

const filters = {
  only: texts.nullable().meta({
    description: 'publish only packages with these names; `*` matches any characters',
    example: ['acme/*'],
  }),
  except: z
    .union([texts, byName])
    .nullable()
    .meta({ description: 'do not publish packages with these names, or these versions of them' }),
  versions: z.union([text, byName]).nullable().meta({
    description: 'publish only matching versions: one constraint for all packages, or one for each name',
    example: '^1.0 || dev-main',
  }),
  minimum_stability: z
    .enum(['dev', 'alpha', 'beta', 'RC', 'stable'])
    .nullable()
    .meta({ description: 'the minimum stability of published versions' }),
  tags: texts
    .nullable()
    .meta({ description: 'read only these tags of a git repository; a leading `!` excludes; `[]` reads none' }),
  branches: texts
    .nullable()
    .meta({ description: 'read only these branches of a git repository', example: ['main', '*.x'] }),
  subdirectories: texts.nullable().meta({ description: 'folders of a git repository that are separate packages' }),
  reference_source: z
    .enum(['none', 'include'])
    .nullable()
    .meta({ description: '`include`: the metadata names the git repository, for clients that prefer sources' }),
  packages: byName.nullable().meta({
    description:
      'for type `composer`: names and constraints of packages that each sync fetches in advance; other ' +
      'packages are fetched on their first request',
    example: { 'acme/tool': '^1.0' },
  }),
};

export type FilterFields = Fixed<z.output<z.ZodObject<typeof filters>>>;

const secret = (description: string) => z.string().min(1).max(20_000).meta({ description });
const credentials = z
  .union([
    z
      .strictObject({
        username: z
          .string()
          .min(1)
          .max(200)
          .optional()
          .meta({ description: 'the user name; default: a name that git hosting services accept with a token' }),
        password: secret('the password, or an access token'),
      })
      .meta({ description: 'for https' }),
    z.strictObject({ token: secret('the token') }).meta({ description: 'for https, as a bearer token' }),
    z
      .strictObject({
        header: z.string().min(1).max(100).meta({ description: 'the name of the header' }),
        token: secret('the value of the header'),
      })
      .meta({ description: 'for https, in a custom header; only for type `composer`' }),
    z
      .strictObject({ private_key: secret('the key, in the format of OpenSSH or PEM') })
      .meta({ description: 'for ssh: a private key without a passphrase' }),
  ])
  .nullable()
  .meta({ description: 'stored encrypted and never shown; null: none' });

export const interval = z
  .number()
  .int()
  .min(60)
  .max(366 * 86_400)
  .nullable()
  .meta({ description: 'seconds between automatic syncs; null: no automatic syncs', example: 900 });

export const repositorySchema = z
  .object({
    id: idSchema('repo', 'the repository'),
    type,
    url: url.nullable().meta({
      description: 'without credentials; null for a read token',
    }),
    credentials: z.enum(credentialsKinds).nullable().meta({ description: 'the kind of the stored credentials' }),
    ...filters,
    position: z
      .number()
      .int()
      .nullable()
      .meta({
        description:
          'for type `composer`: its position in the order of requests for a name, oldest first. Repositories in ' +
          'libretto.json come first, the public registry last. null for other types',
      }),
    interval,
    status: z.enum(['pending', 'syncing', 'active', 'error']).meta({
      description: '`pending`: never synced. `error`: the last sync failed; published versions stay',
    }),
    error_message: z.string().nullable().meta({ description: 'null for a read token' }),
    last_synced_at: time.nullable().meta({ description: 'the time of the last successful sync' }),
    created_at: timeSchema('it was registered'),
    created_by: actorSchema('registered it'),
    updated_at: timeSchema('it was last changed'),
  })
  .meta({ id: 'Repository' });
export type RepositoryDocument = Fixed<z.output<typeof repositorySchema>>;

const optionalFilters = z.strictObject(filters).partial().shape;

export const repositoryDraft = z
  .strictObject({ type, url, credentials: credentials.optional(), ...optionalFilters, interval: interval.optional() })
  .meta({
    id: 'RepositoryDraft',
    example: {
      type: 'git',
      url: 'https://git.example.org/acme/tool.git',
      only: ['acme/*'],
      branches: ['main', '*.x'],
      interval: 900,
    },
  });
export type RepositoryDraftFields = Fixed<z.output<typeof repositoryDraft>>;

export const repositoryPatch = z
  .strictObject({ credentials: credentials.optional(), ...optionalFilters, interval: interval.optional() })
  .meta({ id: 'RepositoryPatch', example: { versions: '^1.0 || dev-main', interval: 900 } });
export type RepositoryPatchFields = Fixed<z.output<typeof repositoryPatch>>;

export const removedRepository = z
  .object({
    id: idSchema('repo', 'the repository'),
    packages: z.array(z.string()).meta({
      description: 'the packages whose versions from this repository are withdrawn',
      example: ['acme/tool'],
    }),
  })
  .meta({ id: 'RemovedRepository' });

export const verificationSchema = z
  .object({
    ok: z.boolean().meta({ description: 'whether the repository could be reached and read' }),
    message: z.string().nullable().meta({ description: 'the reasons, if not' }),
    tags: z
      .number()
      .int()
      .nullable()
      .meta({ description: 'the number of tags that the filters select; null for other types than git' }),
    branches: z
      .number()
      .int()
      .nullable()
      .meta({ description: 'the number of branches that the filters select; null for other types than git' }),
    default_branch: z
      .string()
      .nullable()
      .meta({ description: 'the branch that HEAD names; null without one', example: 'main' }),
    protocol: z
      .string()
      .nullable()
      .meta({
        description:
          'for a Composer repository, the form of its metadata: `metadata-url`, `providers-lazy-url`, `providers-url` or ' +
          '`packages`; null for other types',
        example: 'metadata-url',
      }),
    package_count: z
      .number()
      .int()
      .nullable()
      .meta({ description: 'the number of packages of a Composer repository, if it lists them; null otherwise' }),
    packages: z.array(z.string()).meta({
      description: 'packages found in the newest commit of the default branch, or in the folder',
      example: ['acme/tool'],
    }),
    problems: z
      .array(z.string())
      .meta({ description: 'packages and versions that cannot be published, with the reason' }),
  })
  .meta({ id: 'Verification' });
export type Verification = Fixed<z.output<typeof verificationSchema>>;

/** What was found in a repository that could not be read. */
export const nothingFound: Omit<Verification, 'ok' | 'message'> = {
  tags: null,
  branches: null,
  default_branch: null,
  protocol: null,
  package_count: null,
  packages: [],
  problems: [],
};
