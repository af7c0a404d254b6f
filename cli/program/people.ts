// The commands for users and keys.

import type { Command } from 'commander';

import { roles } from '../../proxy/auth/permissions.ts';
import type { Wire } from '../commands/command-parts.ts';
import { declaringGroup, type Declarations } from './declare.ts';

export function addPeople(program: Command, wire: Wire): void {
  addUsers(program, wire);
  addKeys(program, wire);
}

const userCommands = {
  create: {
    summary: 'create a user',
    description:
      'Create a user. At a terminal, the command asks for the email, and for the password without showing it. With --invite, the user chooses ' +
      'the password.',
    options: {
      '--email <email>': 'the email address for the login (default: the command asks for it at a terminal)',
      '--name <name>': 'the name of the user',
      '--role <role>': { text: 'the role of the user (default: viewer)', choices: roles },
      '--admin': 'the same as --role admin',
      '--password-stdin': 'read the password from standard input',
      '--invite': 'print an invitation that works once, within seven days',
    },
    registry: 'session',
    examples: [
      'libretto user create --admin --email ada@example.org',
      'libretto user create --email bob@example.org --role maintainer --invite',
    ],
  },
  list: {
    summary: 'list all users',
    description: 'List all users, including disabled and invited users.',
    registry: 'reads',
    examples: ['libretto user list --json'],
  },
  show: {
    operands: { '<user>': 'an id or an email' },
    summary: 'show one user',
    description: 'Show one user, with second factors, identities at identity providers, teams and terminals.',
    registry: 'reads',
    examples: ['libretto user show ada@example.org'],
  },
  update: {
    operands: { '<user>': 'an id or an email' },
    summary: 'change the role or a right of a user, or enable the user again',
    description: 'Change a user. Only the given values change.',
    options: {
      '--name <name>': 'the name of the user',
      '--role <role>': { text: 'the role of the user', choices: roles },
      '--policy-editor': 'let the user change the policy about versions, beside what the role allows',
      '--no-policy-editor': 'take that right away',
      '--enable': 'enable a disabled user again',
      '--invite':
        'print an invitation to choose a new password; its use ends sessions and terminals, and an account that a sign-in made leaves its identity provider',
      '--reset-two-factor': 'turn off two-factor authentication, remove the passkeys, and end sessions and terminals',
    },
    registry: 'session',
    examples: [
      'libretto user update ada@example.org --role maintainer',
      'libretto user update ada@example.org --policy-editor',
      'libretto user update ada@example.org --invite --reset-two-factor',
    ],
  },
  disable: {
    operands: { '<user>': 'an id or an email' },
    summary: 'disable a user',
    description:
      'Disable a user. Their sessions and their tokens of `libretto login` end with the next request. Tokens they created for others keep working.',
    registry: 'session',
    examples: ['libretto user disable bob@example.org'],
  },
} satisfies Declarations;

const addUsers = declaringGroup('user', userCommands, {
  summary: 'create, list, change and disable users',
  description: 'Create, list, change and disable users of the management API.',
  examples: ['libretto user create --admin --email ada@example.org', 'libretto user list'],
  load: () => import('../commands/user/user.ts'),
});

const keysCommands = {
  list: {
    summary: 'list the keys',
    description: 'List the purpose and the lifetime of each key, without its secret value.',
    registry: 'state',
    examples: ['libretto keys list --json'],
    load: () => import('../commands/keys/list.ts'),
  },
  rotate: {
    operands: { '[purpose]': 'signing or sealing (default: both)' },
    summary: 'replace keys with new ones',
    description:
      'Replace keys with new ones. Sessions stay valid. Stored credentials are encrypted again with the new ' +
      'key. A running server uses the new keys within seconds.',
    options: { '--end-sessions': 'end all sessions now, for example after a signing key leaked' },
    registry: 'state',
    examples: ['libretto keys rotate signing --end-sessions', 'libretto keys rotate'],
    load: () => import('../commands/keys/rotate.ts'),
  },
} satisfies Declarations;

const addKeys = declaringGroup('keys', keysCommands, {
  summary: 'list and rotate the keys of this registry',
  description: 'List and rotate the keys that sign sessions and encrypt credentials.',
  examples: ['libretto keys list', 'libretto keys rotate'],
});
