// `libretto token`: create, list, show, update, explain, rotate and revoke the tokens of clients.

import { standardExpiry } from '../../proxy/auth/expiry.ts';
import { declaringGroup, type Declarations, type Options } from './declare.ts';

const limits: Options = {
  '--package <pattern[:constraint]>': {
    text:
      'visible packages: acme/core, acme/* or *; with a constraint, only matching versions: acme/core:<3.0 ' +
      '(repeatable; replaces the previous list)',
    repeatable: true,
  },
  '--stability <stability>': 'the minimum stability of visible versions: stable, RC, beta, alpha or dev',
  '--not-after <time>':
    'versions released until then are visible: a day such as 2027-01-31 (UTC, including that day), or a time ' +
    'such as 2027-01-31T12:00:00Z',
  '--network <range>': {
    text: 'client addresses that may use the token: 203.0.113.0/24 (repeatable; replaces the previous list)',
    repeatable: true,
  },
};

const commands = {
  create: {
    summary: 'create a token',
    description: 'Create a token. The command shows the secret once.',
    options: {
      '--description <text>': { text: 'the purpose or owner of the token', required: true },
      '--kind <read|write>': { text: 'read, or read and publish; cannot be changed later', default: 'read' },
      '--limit <n>': 'requests per hour, 0 for no limit (default: the limit of the kind)',
      '--expires <when|never>': {
        text:
          'a duration such as 365d or 12h, a day such as 2027-01-31 (to its end, UTC), a time such as ' +
          '2027-01-31T12:00:00Z, or never',
        default: standardExpiry,
      },
      ...limits,
    },
    registry: 'session',
    examples: [
      'libretto token create --description "CI of the shop" --expires 365d --limit 5000',
      'libretto token create --description "Customer 17" --package "acme/shop:^1" --stability stable ' +
        '--not-after 2027-01-31',
    ],
  },
  import: {
    operands: { '<file>': 'the tokens of Repman or package.broker as JSON, or a htpasswd file' },
    summary: 'take over the tokens of another registry',
    description:
      'Take over the tokens of Repman (the answer of its API) or package.broker (rows of its table): their secrets keep ' +
      'working. Each user of a htpasswd file gets a token with a new secret. A repeated import changes nothing.',
    options: {
      '--dry-run': 'show the changes without making them',
      ...limits,
    },
    registry: 'state',
    examples: ['libretto token import tokens.json --dry-run', 'libretto token import .htpasswd --package "acme/*"'],
    load: () => import('../commands/token/import.ts'),
  },
  list: {
    summary: 'list all tokens',
    description: 'List all tokens, without their secrets.',
    registry: 'reads',
    examples: ['libretto token list --json'],
  },
  show: {
    operands: { '<id>': 'the id of the token' },
    summary: 'show one token',
    description: 'Show one token, without its secret.',
    registry: 'reads',
    examples: ['libretto token show tok_2kTq9'],
  },
  update: {
    operands: { '<id>': 'the id of the token' },
    summary: 'change a token',
    description:
      'Change a token. The change takes effect with the next request. The kind cannot change: create another token.',
    options: {
      '--description <text>': 'the purpose or owner of the token',
      '--limit <n|default>': 'requests per hour, 0 for no limit, or default for the limit of its kind',
      '--expires <when|never>':
        'a duration from now such as 90d, a day such as 2027-01-31 (to its end, UTC), a time such as ' +
        '2027-01-31T12:00:00Z, or never',
      ...limits,
      '--clear <packages|stability|not-after|networks>': { text: 'remove this limit (repeatable)', repeatable: true },
    },
    registry: 'session',
    examples: [
      'libretto token update tok_2kTq9 --limit default --expires never',
      'libretto token update tok_2kTq9 --package "acme/shop:^2" --clear not-after',
    ],
  },
  explain: {
    operands: {
      '<id>': 'the id of the token',
      '<package>': 'vendor/name',
      '[version]': 'one version, published or not',
    },
    summary: 'explain which versions of a package a token sees',
    description:
      'Explain which versions of a package a token sees, or whether it sees one version, and which limit hides ' +
      'the others. The exit code is 1 if the token does not see it.',
    options: { '--from <address>': 'check for a client with this address' },
    registry: 'reads',
    examples: [
      'libretto token explain tok_2kTq9 acme/shop',
      'libretto token explain tok_2kTq9 acme/shop 2.0.0 --from 203.0.113.7',
    ],
    load: async () => (await import('../commands/token/explain.ts')).explain,
  },
  rotate: {
    operands: { '<id>': 'the id of the token' },
    summary: 'give a token a new secret',
    description:
      'Give a token a new secret. The command shows it once. The previous secret keeps working for a while. ' +
      'All other properties of the token stay.',
    options: {
      '--grace <span>': {
        text: 'how long the previous secret keeps working: 30m, 12h, 7d, or 0 to end it at once',
        default: '24h',
      },
    },
    registry: 'session',
    examples: ['libretto token rotate tok_2kTq9 --grace 7d'],
  },
  revoke: {
    operands: { '<id>': 'the id of the token' },
    summary: 'revoke a token permanently',
    description: 'Revoke a token permanently. The change takes effect with the next request.',
    registry: 'session',
    examples: ['libretto token revoke tok_2kTq9'],
  },
} satisfies Declarations;

export const addTokens = declaringGroup('token', commands, {
  summary: 'create, list, change and revoke tokens',
  description: 'Create, list, change and revoke the tokens of Composer clients.',
  examples: ['libretto token create --description "CI" --expires 365d', 'libretto token list'],
  load: () => import('../commands/token/token.ts'),
});
