// The fields of connections to forges, as API, commands and console have them.

import { z } from 'zod';
import { actorSchema, idSchema, time, timeSchema } from '../registry/fields.ts';
import type { Fixed } from '../registry/operation.ts';
import { connectionCredentialsKinds } from './model/connection.ts';
import { forgeNames } from './model/forge-name.ts';
import { skipReasons, type SkipReason } from './model/forge-repository.ts';

const forge = z.enum(forgeNames).meta({
  description: '`gitea` is for Forgejo too; `bitbucket` is Bitbucket Cloud',
});
const owner = z.string().min(1).max(500).meta({
  description: 'the organisation, the group with its parents, the workspace, or the user',
  example: 'acme',
});
const patterns = (description: string, example = 'php-*') =>
  z
    .array(z.string().min(1).max(201))
    .max(200)
    .meta({ description, example: [example] });
const span = (description: string, example: number) =>
  z
    .number()
    .int()
    .min(60)
    .max(366 * 86_400)
    .meta({ description, example });

const fields = {
  only: patterns('only repositories with these names below the owner; `*` matches any characters; `[]`: all'),
  except: patterns('not the repositories with these names'),
  forks: z.boolean().meta({ description: 'register forks too' }),
  hooks: z.boolean().meta({ description: 'install webhooks at the forge' }),
  subdirectories: patterns(
    'folders that are packages, where a repository has them; null: none',
    'packages/*',
  ).nullable(),
  interval: span('seconds between two looks at the list of the forge', 3600),
  sync_interval: span('seconds between two automatic syncs of each repository that is registered from now on', 43_200),
};

const secret = (description: string) => z.string().min(1).max(20_000).meta({ description });
const credentials = z
  .union([
    z
      .strictObject({
        token: secret('the token'),
        user: z.string().min(1).max(200).optional().meta({
          description: 'for an API token of Bitbucket: the e-mail address of its user',
        }),
      })
      .meta({ description: 'a token' }),
    z
      .strictObject({
        app_id: z.string().min(1).max(100).meta({ description: 'the id or the client id of the App' }),
        private_key: secret('the private key of the App, in PEM'),
      })
      .meta({ description: 'a GitHub App' }),
  ])
  .meta({ description: 'stored encrypted and never shown' });
export type GivenCredentials = Fixed<z.output<typeof credentials>>;

const count = (description: string) => z.number().int().min(0).meta({ description });

export const connectionSchema = z
  .object({
    id: idSchema('conn', 'the connection'),
    forge,
    url: z.string().meta({ description: 'the address of the forge', example: 'https://github.com' }),
    owner,
    credentials: z.enum(connectionCredentialsKinds).meta({ description: 'the kind of the stored credentials' }),
    ...fields,
    status: z.enum(['pending', 'refreshing', 'active', 'error']).meta({
      description: '`pending`: never refreshed. `error`: the last refresh failed; all repositories stay registered',
    }),
    error_message: z.string().nullable().meta({ description: 'why the last refresh failed' }),
    hooks_at: z
      .enum(['owner', 'repositories'])
      .nullable()
      .meta({ description: 'where webhooks are installed; null: nowhere' }),
    hook_error: z.string().nullable().meta({ description: 'why the last webhook could not be installed' }),
    counts: z
      .object({
        registered: count('registered here'),
        archived: count('registered here, and archived at the forge'),
        removed: count('registered here, and not at the forge any more'),
        skipped: count('not registered'),
      })
      .meta({ description: 'the repositories at the end of the last refresh' }),
    last_refreshed_at: time.nullable().meta({ description: 'the end of the last complete refresh' }),
    next_refresh_at: time.nullable().meta({ description: 'when the next refresh begins or goes on; null: at once' }),
    created_at: timeSchema('it was made'),
    created_by: actorSchema('made it'),
    updated_at: timeSchema('it was last changed'),
  })
  .meta({ id: 'Connection' });
export type ConnectionDocument = Fixed<z.output<typeof connectionSchema>>;

export const connectionDraft = z
  .strictObject({
    forge,
    url: z.string().min(1).max(2000).optional().meta({
      description: 'the address of your own forge in a browser; default: the public service',
      example: 'https://git.example.org',
    }),
    owner,
    credentials,
    ...z.strictObject(fields).partial().shape,
  })
  .meta({
    id: 'ConnectionDraft',
    example: {
      forge: 'github',
      url: 'https://github.example.org',
      owner: 'acme',
      credentials: { token: 'github_pat_11ABCDEFG' },
      only: ['php-*'],
    },
  });
export type GivenConnection = Fixed<z.output<typeof connectionDraft>>;

export const connectionPatch = z
  .strictObject({ credentials: credentials.optional(), ...z.strictObject(fields).partial().shape })
  .meta({ id: 'ConnectionPatch', example: { only: ['php-*'], interval: 900 } });
export type ConnectionPatch = Fixed<z.output<typeof connectionPatch>>;

const reason = z.enum(Object.keys(skipReasons) as [SkipReason, ...SkipReason[]]);
const path = z.string().meta({ description: 'the name at the forge, with its owner', example: 'acme/tool' });

export const connectedRepository = z
  .object({
    forge_id: z.string().meta({ description: 'the id at the forge, which stays after a rename', example: '1296269' }),
    path,
    state: z.enum(['registered', 'archived', 'removed', 'skipped']).meta({
      description:
        '`archived` and `removed` are states at the forge: the repository stays registered here until a person ' +
        'removes it. `skipped`: it is not registered',
    }),
    reason: reason.nullable().meta({ description: 'why it is skipped' }),
    message: z.string().nullable().meta({ description: 'the reason in words' }),
    repository: idSchema('repo', 'the repository here; null: it was never registered').nullable(),
    package: z
      .string()
      .nullable()
      .meta({ description: 'the name in its composer.json; of a monorepo, the first one', example: 'acme/tool' }),
    checked_at: timeSchema('its files were last read, or its state changed'),
  })
  .meta({ id: 'ConnectedRepository' });
export type ConnectedRepositoryDocument = Fixed<z.output<typeof connectedRepository>>;

export const refreshStep = z
  .object({
    step: z.enum(['registered', 'renamed', 'archived', 'removed', 'returned', 'skipped']).meta({
      description: 'what a refresh does or finds; `returned`: it was archived or missing before',
    }),
    path,
    from: z.string().optional().meta({ description: 'for `renamed`: the former name' }),
    package: z.string().optional().meta({ description: 'for `registered`: the name in its composer.json' }),
    repository: idSchema('repo', 'the repository').optional(),
    reason: reason.optional().meta({ description: 'for `skipped`: why' }),
  })
  .meta({ id: 'RefreshStep' });
export type StepDocument = Fixed<z.output<typeof refreshStep>>;

export const connectionPlan = z
  .object({
    finished: z.boolean().meta({ description: 'false: the list was not read to its end' }),
    message: z.string().nullable().meta({ description: 'why not' }),
    steps: z.array(refreshStep).meta({ description: 'what a refresh would do' }),
  })
  .meta({ id: 'ConnectionPlan' });
export type PlanDocument = Fixed<z.output<typeof connectionPlan>>;

export const removedConnection = z
  .object({
    id: idSchema('conn', 'the connection'),
    webhook: z.enum(['removed', 'stays', 'none']).meta({
      description: "what happened to the owner's webhook at the forge; `none`: this registry had installed none",
    }),
    message: z.string().nullable().meta({ description: 'why it stays at the forge, and what to do' }),
  })
  .meta({ id: 'RemovedConnection' });
