// The commands about connections to forges, and their flags.

import { declaringGroup, type Declarations, type Options } from './declare.ts';

const fields: Options = {
  '--token-stdin': 'read the token from the first line of standard input',
  '--token-file <file>': 'a file whose first line is the token',
  '--user <name>': 'for an API token of Bitbucket: the e-mail address of its user',
  '--app <id>': 'for GitHub: the id of a GitHub App, with --key-file',
  '--key-file <file>': 'the private key of the GitHub App (.pem); - for standard input',
  '--only <pattern...>': 'only repositories with these names below the owner (* matches any characters)',
  '--except <pattern...>': 'not these repositories',
  '--subdirectory <pattern...>': 'folders that are packages, in the repositories that have them: packages/*',
  '--forks': 'forks too',
  '--hooks': 'install webhooks at the forge',
  '--interval <span>': 'look for changes every 15m, 1h, 1d, … (default: 1h)',
  '--sync-interval <span>': 'sync each new repository automatically every 1h, 12h, … (default: 12h)',
};

const commands = {
  add: {
    operands: { '<forge>': 'github, gitlab, gitea (also Forgejo) or bitbucket (Bitbucket Cloud)' },
    summary: 'register all repositories of an organisation, group or user',
    description:
      'Register the repositories of an organisation, group, workspace or user that have a composer.json with a name. ' +
      'The server then looks for new, renamed, archived and removed ones.',
    options: {
      '--owner <name>': { text: 'the organisation, group (with its parents), workspace or user', required: true },
      '--forge-url <url>': 'the address of your own GitHub Enterprise, GitLab, Gitea or Forgejo',
      '--dry-run': 'show what would be registered, without a change',
      ...fields,
    },
    registry: 'session',
    examples: [
      'libretto connection add github --owner acme --token-stdin --dry-run < token.txt',
      'libretto connection add gitlab --forge-url https://git.example.org --owner acme/php --token-file token.txt --only "php-*"',
    ],
  },
  list: {
    summary: 'list all connections',
    description: 'List all connections with their status.',
    registry: 'reads',
    examples: ['libretto connection list --json'],
  },
  show: {
    operands: { '<id>': 'the id of the connection' },
    summary: 'show one connection with its repositories',
    description: 'Show one connection, and each repository of its owner: registered, archived, removed, or why not.',
    registry: 'reads',
    examples: ['libretto connection show conn_4fHj2kLm9QwErTy0'],
  },
  refresh: {
    operands: { '<id>': 'the id of the connection' },
    summary: 'look for new and changed repositories now',
    description: 'Look for new, renamed, archived and removed repositories now. A server does this by its interval.',
    options: { '--dry-run': 'show what would change, without a change' },
    registry: 'changes',
    examples: ['libretto connection refresh conn_4fHj2kLm9QwErTy0'],
  },
  update: {
    operands: { '<id>': 'the id of the connection' },
    summary: 'change a connection',
    description:
      'Change the credentials, the filters, the folders or the intervals of a connection. Only the given values ' +
      'change; forge and owner cannot be changed. The next refresh begins at once.',
    options: {
      ...fields,
      '--no-subdirectory': 'read no repository as a monorepo any more',
      '--no-forks': 'leave forks out; registered ones stay',
      '--no-hooks': 'install no more webhooks; installed ones stay',
    },
    registry: 'session',
    examples: ['libretto connection update conn_4fHj2kLm9QwErTy0 --token-stdin < token.txt'],
  },
  remove: {
    operands: { '<id>': 'the id of the connection' },
    summary: 'remove a connection; its repositories stay',
    description: 'Remove a connection with its credentials. Its repositories stay registered and published.',
    options: { '--yes': 'remove the connection' },
    registry: 'session',
    examples: ['libretto connection remove conn_4fHj2kLm9QwErTy0 --yes'],
  },
} satisfies Declarations;

export const addConnections = declaringGroup('connection', commands, {
  summary: 'register all repositories of an organisation, group or user',
  description: 'Register all repositories of an organisation, group or user at a forge, and follow its changes.',
  examples: [
    'libretto connection add github --owner acme --token-file token.txt',
    'libretto connection refresh conn_4fHj2kLm9QwErTy0',
  ],
  load: () => import('../commands/connection/connection.ts'),
});
