// A repository as the management API shows and takes it. Its filters are those of libretto.json's sources, which
// docs/reference/configuration.md explains.

import { z } from '@hono/zod-openapi';
import { credentialsKinds } from '../../sync/repository.ts';
import { actorWho, idOf } from './id.ts';
import { time, timeWhen } from './time.ts';

const type = z.enum(['git', 'directory', 'artifact', 'composer']).openapi({
  description:
    '`git` is fetched over https or ssh; `directory` and `artifact` are folders below `sourceRoots`; `composer` is another Composer repository, whose packages are mirrored',
});
const url = z.string().min(1).max(2000).openapi({
  description:
    'without credentials; of `directory` and `artifact` an absolute path. Never changes: register another address anew',
  example: 'https://git.example.org/acme/tool.git',
});
const text = z.string().min(1).max(500);
const texts = z.array(text).max(200);
const mostNames = 1000;
const byName = z
  .record(text, text)
  .refine((given) => Object.keys(given).length <= mostNames, `must have at most ${mostNames} entries`)
  .openapi({ maxProperties: mostNames });

const filters = {
  only: texts.nullable().openapi({
    description: 'publish only packages of these names; `*` stands for any characters',
    example: ['acme/*'],
  }),
  except: z
    .union([texts, byName])
    .nullable()
    .openapi({ description: 'leave out packages of these names, or these versions of them' }),
  versions: z.union([text, byName]).nullable().openapi({
    description: 'publish only versions that match: one constraint for all, or one for each name',
    example: '^1.0 || dev-main',
  }),
  minimum_stability: z
    .enum(['dev', 'alpha', 'beta', 'RC', 'stable'])
    .nullable()
    .openapi({ description: 'publish nothing less stable' }),
  tags: texts
    .nullable()
    .openapi({ description: 'read only these tags of a git repository; a leading `!` excludes; `[]` takes none' }),
  branches: texts
    .nullable()
    .openapi({ description: 'read only these branches of a git repository', example: ['main', '*.x'] }),
  subdirectories: texts
    .nullable()
    .openapi({ description: 'folders of a git repository that are packages of their own' }),
  reference_source: z
    .enum(['none', 'include'])
    .nullable()
    .openapi({ description: '`include`: metadata names the git repository, for clients that prefer sources' }),
  packages: byName.nullable().openapi({
    description:
      'of `composer`: names and constraints of what each sync fetches ahead; all else is fetched when somebody first asks for it',
    example: { 'acme/tool': '^1.0' },
  }),
};

const secret = (description: string) => z.string().min(1).max(20_000).openapi({ description });
const credentials = z
  .union([
    z
      .strictObject({
        username: z
          .string()
          .min(1)
          .max(200)
          .optional()
          .openapi({ description: 'the user name; left out: one that forges accept beside a token' }),
        password: secret('the password, or an access token'),
      })
      .openapi({ title: 'for https' }),
    z.strictObject({ token: secret('the token') }).openapi({ title: 'for https, as a bearer token' }),
    z
      .strictObject({
        header: z.string().min(1).max(100).openapi({ description: 'the name of the header' }),
        token: secret('the value of the header'),
      })
      .openapi({ title: 'for https, in a header of its own: of `composer` only' }),
    z
      .strictObject({ private_key: secret('the key, in the format of OpenSSH or PEM') })
      .openapi({ title: 'for ssh: a private key without a passphrase' }),
  ])
  .nullable()
  .openapi({ description: 'kept sealed and never shown; null: none' });

const interval = z
  .number()
  .int()
  .min(60)
  .max(366 * 86_400)
  .nullable()
  .openapi({ description: 'seconds between two syncs that nobody asks for; null: none', example: 900 });

export const repositorySchema = z
  .object({
    id: idOf('repo', 'the repository'),
    type,
    url: url.nullable().openapi({
      description: 'without credentials; null for a read token, which is not told where packages come from',
    }),
    credentials: z.enum(credentialsKinds).nullable().openapi({ description: 'what kind of credentials are kept' }),
    ...filters,
    position: z.number().int().nullable().openapi({
      description:
        'of `composer`: its place in the order in which these are asked for a name, oldest first; those of libretto.json come before them, and the public registry behind. null of the others',
    }),
    interval,
    status: z.enum(['pending', 'syncing', 'active', 'error']).openapi({
      description: '`pending`: never synced. `error`: the last sync failed, and what was published before stays',
    }),
    error_message: z.string().nullable().openapi({ description: 'null for a read token' }),
    last_synced_at: time.nullable().openapi({ description: 'the last sync that succeeded' }),
    created_at: timeWhen('it was registered'),
    created_by: actorWho('registered it'),
    updated_at: timeWhen('it was last changed'),
  })
  .openapi('Repository');

const optionalFilters = z.strictObject(filters).partial().shape;

export const repositoryDraft = z
  .strictObject({ type, url, credentials: credentials.optional(), ...optionalFilters, interval: interval.optional() })
  .openapi('RepositoryDraft', {
    example: {
      type: 'git',
      url: 'https://git.example.org/acme/tool.git',
      only: ['acme/*'],
      branches: ['main', '*.x'],
      interval: 900,
    },
  });
export const repositoryPatch = z
  .strictObject({ credentials: credentials.optional(), ...optionalFilters, interval: interval.optional() })
  .openapi('RepositoryPatch', { example: { versions: '^1.0 || dev-main', interval: 900 } });

export const removedRepository = z
  .object({
    id: idOf('repo', 'the repository'),
    packages: z
      .array(z.string())
      .openapi({ description: 'what is withdrawn: these have versions published from it', example: ['acme/tool'] }),
  })
  .openapi('RemovedRepository');

export const verificationSchema = z
  .object({
    ok: z.boolean().openapi({ description: 'whether it could be reached and read' }),
    message: z.string().nullable().openapi({ description: 'why not' }),
    tags: z
      .number()
      .int()
      .nullable()
      .openapi({ description: 'how many the filters take; null where it is no git repository' }),
    branches: z
      .number()
      .int()
      .nullable()
      .openapi({ description: 'how many branches the filters take; null where it is no git repository' }),
    default_branch: z
      .string()
      .nullable()
      .openapi({ description: 'the branch that HEAD names; null where there is none', example: 'main' }),
    protocol: z.string().nullable().openapi({
      description:
        'of a Composer repository: `metadata-url`, `providers-lazy-url` or `packages`, as it publishes; null elsewhere',
      example: 'metadata-url',
    }),
    package_count: z
      .number()
      .int()
      .nullable()
      .openapi({ description: 'of a Composer repository, where it lists its packages; null elsewhere' }),
    packages: z.array(z.string()).openapi({
      description: 'found in the newest state of the default branch, or in the folder',
      example: ['acme/tool'],
    }),
    problems: z.array(z.string()).openapi({ description: 'what is there and could not be published' }),
  })
  .openapi('Verification');

const line = z.object({
  name: z.string().nullable().openapi({ description: 'the package; null where it is not known', example: 'acme/tool' }),
  version: z.string().nullable().openapi({ description: 'the version; null where it is not known', example: '1.2.0' }),
});
const count = (description: string) => z.number().int().openapi({ description });

export const jobSchema = z
  .object({
    id: idOf('job', 'the sync'),
    repository_id: idOf('repo', 'the repository that is synced'),
    state: z.enum(['queued', 'running', 'succeeded', 'failed']).openapi({ description: 'how far the sync is' }),
    trigger: z
      .enum(['request', 'interval'])
      .openapi({ description: '`request`: somebody asked for it. `interval`: its time had come' }),
    created_at: timeWhen('it was asked for'),
    created_by: actorWho('asked for it'),
    started_at: time.nullable().openapi({ description: 'when it began; null while it waits' }),
    finished_at: time.nullable().openapi({ description: 'when it ended; null before that' }),
    error: z
      .object({
        code: z.string().openapi({ description: 'of the list of error codes, such as BUILD_BUSY' }),
        message: z.string().openapi({ description: 'what went wrong, for a person' }),
      })
      .nullable()
      .openapi({ description: 'why it failed; null where it did not' }),
    log: z.array(z.string()).openapi({ description: 'a time and a sentence each; empty for a read token' }),
    report: z
      .object({
        published: z.boolean().openapi({ description: 'false: nothing that clients see has changed' }),
        serial: z.number().int().openapi({ description: 'of the publication that holds when it ended' }),
        counts: z
          .object({
            added: count('new versions'),
            changed: count('versions with new content'),
            withdrawn: count('versions that are no longer offered'),
            quarantined: count('versions that were left out'),
          })
          .openapi({ description: 'how many versions it concerned' }),
        added: z.array(line).openapi({ description: 'these lists end after 500 lines; the counts are of all' }),
        changed: z.array(line).openapi({ description: 'versions with new content' }),
        withdrawn: z.array(line).openapi({ description: 'versions that are no longer offered' }),
        quarantined: z
          .array(
            line.extend({
              code: z.string().openapi({ description: 'the reason, for a program', example: 'VERSION_CHANGED' }),
              message: z.string().openapi({ description: 'what is wrong and what to do' }),
              where: z.string().openapi({ description: 'the source and the place in it' }),
            }),
          )
          .openapi({ description: 'versions that were left out, and why' }),
        notices: z.array(z.string()).openapi({ description: 'what a person should know of it, a sentence each' }),
      })
      .nullable()
      .openapi({ description: 'null while it is under way, where it failed, and for a read token' }),
  })
  .openapi('Job');
