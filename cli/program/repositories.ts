// The commands of registered repositories and their flags.

import { childOption, declaringGroup, onBehalfOption, type Declarations, type Options } from './declare.ts';
import { removable } from '../commands/repository/removable-fields.ts';

/** Credentials for https. */
export const credentials: Options = {
  '--username <name>': 'the user name for https, with --password-file',
  '--password-file <file>': 'a file whose first line is the password or access token for https; - for standard input',
  '--token-file <file>': 'a file whose first line is a bearer token for https; - for standard input',
  '--header <name>':
    'for a Composer repository, with --token-file: the header that carries the token, such as PRIVATE-TOKEN',
};

const fields: Options = {
  ...credentials,
  '--key-file <file>': 'a private ssh key without a passphrase; - for standard input',
  '--only <name...>': 'publish only these packages (* matches any characters)',
  '--except <name...>': 'do not publish these packages',
  '--versions <constraint>': 'publish only versions that match the constraint',
  '--minimum-stability <stability>': 'the minimum stability of published versions: stable, RC, beta, alpha or dev',
  '--tag <pattern...>': 'read only these tags',
  '--branch <pattern...>': 'read only these branches',
  '--subdirectory <pattern...>': 'folders that are separate packages',
  '--package <name...>':
    'for type composer: packages that each sync fetches in advance; name:constraint selects versions',
};

const commands = {
  add: {
    operands: { '<url>': 'https://HOST/PATH, ssh://USER@HOST/PATH, USER@HOST:PATH, or a folder below sourceRoots' },
    summary: 'register a repository',
    description:
      'Register a repository. It has only the credentials given here. The registry does not use the credential ' +
      'helpers, ssh keys or ~/.netrc of the user who runs this command.',
    options: {
      '--type <type>': {
        text: 'the type of the repository',
        choices: ['git', 'directory', 'artifact', 'composer'],
        default: 'git',
      },
      ...fields,
      '--interval <span>': 'sync automatically every 15m, 12h, 1d, … (default: only on request)',
    },
    registry: 'changes',
    examples: [
      'libretto repository add https://git.example.org/acme/tool.git --token-file - --interval 15m < token.txt',
      'libretto repository add --type directory /srv/packages',
      'libretto repository add --type composer https://repo.example.org --only "example/*" --package example/tool:^2.0',
    ],
  },
  list: {
    summary: 'list all repositories',
    description: 'List all registered repositories with their status.',
    registry: 'reads',
    examples: [
      'libretto repository list --json',
      'LIBRETTO_TOKEN=lib_r_… libretto repository list --url https://packages.example.org',
    ],
  },
  show: {
    operands: { '<id>': 'the id of the repository' },
    summary: 'show one repository',
    description: 'Show one repository and its last syncs, without its credentials.',
    registry: 'reads',
    examples: ['libretto repository show repo_4fHj2kLm9QwErTy0'],
  },
  update: {
    operands: { '<id>': 'the id of the repository' },
    summary: 'change a repository',
    description:
      'Change the credentials, the filters or the interval of a repository. The change takes effect with the ' +
      'next sync. Only the given values change; type and address cannot be changed.',
    options: {
      ...fields,
      '--interval <span>': 'sync automatically every 15m, 12h, 1d, …',
      '--without <what...>': { text: 'remove these values', choices: removable },
    },
    registry: 'session',
    examples: [
      'libretto repository update repo_4fHj2kLm9QwErTy0 --token-file - < token.txt',
      'libretto repository update repo_4fHj2kLm9QwErTy0 --interval 1h --without only branch',
    ],
  },
  verify: {
    operands: { '<id>': 'the id of the repository' },
    summary: 'check that a repository can be read',
    description:
      'Check that a repository can be reached and read with its credentials, and list its contents. The ' +
      'command changes nothing.',
    options: {
      '--record <json>': { text: 'check this record instead of a stored one, as the server does', hidden: true },
    },
    registry: 'reads',
    examples: ['libretto repository verify repo_4fHj2kLm9QwErTy0'],
  },
  sync: {
    operands: { '<id>': 'the id of the repository' },
    summary: 'read a repository now and publish its packages',
    description: 'Read a repository now and publish its packages. Packages of other sources stay as published.',
    settings: ['jobs'],
    options: {
      ...childOption,
      ...onBehalfOption,
    },
    registry: 'changes',
    examples: [
      'libretto repository sync repo_4fHj2kLm9QwErTy0',
      'LIBRETTO_TOKEN=lib_w_… libretto repository sync repo_4fHj2kLm9QwErTy0 --url https://packages.example.org',
    ],
  },
  hook: {
    operands: { '[id]': 'the id of the repository' },
    summary: 'show the webhook of a repository, and its deliveries',
    description:
      'Show the address of the webhook of a repository, and the last deliveries. The first call makes the webhook and ' +
      'prints its secret, which is shown only once.',
    options: {
      '--all': 'the webhook for all repositories: of an organisation, a group or a whole server',
      '--rotate': 'make a new secret; the former one stays valid for 24 hours',
      '--drop-old': 'with --rotate: the former secret ends at once',
      '--replay <delivery>': 'start the syncs of this delivery once more; in a data folder, wait for them',
      '--remove': 'remove the webhook and its secrets',
    },
    registry: 'session',
    examples: [
      'libretto repository hook repo_4fHj2kLm9QwErTy0',
      'libretto repository hook repo_4fHj2kLm9QwErTy0 --replay dlv_9QwErTy04fHj2kLm',
      'libretto repository hook --all --rotate',
    ],
    load: () => import('../commands/repository/hook.ts'),
  },
  remove: {
    operands: { '<id>': 'the id of the repository' },
    summary: 'remove a repository, and withdraw its packages',
    description: 'Remove a repository, and withdraw its packages. Without --yes, the command only lists them.',
    options: { '--yes': 'remove the repository' },
    registry: 'session',
    examples: ['libretto repository remove repo_4fHj2kLm9QwErTy0 --yes'],
  },
  withdraw: {
    summary: 'withdraw leftover packages of removed repositories',
    description: 'Withdraw the packages of a removed repository after an interrupted removal.',
    options: { ...onBehalfOption },
    registry: 'state',
    examples: ['libretto repository withdraw'],
    load: () => import('../commands/repository/withdraw.ts'),
  },
} satisfies Declarations;

export const addRepositories = declaringGroup('repository', commands, {
  summary: 'register, sync and remove repositories that this registry reads',
  description:
    'Register, sync and remove repositories that the server fetches by itself: at each push, or at an interval. ' +
    'Sources that this machine reads are for `libretto build`.',
  examples: [
    'libretto repository add https://git.example.org/acme/tool.git --token-file token.txt',
    'libretto repository sync repo_4fHj2kLm9QwErTy0',
  ],
  load: () => import('../commands/repository/repository.ts'),
});
