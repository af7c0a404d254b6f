// `libretto notify`: the addresses that are notified of events, and the mails of this registry.

import { declaringGroup, type Declarations, type Options } from './declare.ts';

const addressOptions: Options = {
  '--url-stdin': 'read the address from the first line of standard input',
  '--url-file <file>': 'a file whose first line is the address',
};

const selection: Options = {
  '--name <text>': 'a name for people',
  '--event <type...>':
    'the events: package.version.published, package.version.withdrawn (these two by default), ' +
    'package.version.refused, package.abandoned, repository.sync.failed, repository.sync.recovered, ' +
    'advisory.published, policy.blocked, review.waiting, token.expiring, audit.event',
  '--package <pattern...>': 'only events of these packages: acme/core, acme/*',
};

const commands = {
  add: {
    operands: { '[url]': 'the address of a webhook: https://HOST/PATH' },
    summary: 'add an address that is notified of events',
    description:
      'Add an address that is notified of events. The command prints its secret once, alone on standard output; the ' +
      'receiver verifies each request with it. The address of a chat service is a secret itself: use ' +
      '--url-stdin or --url-file.',
    options: {
      ...addressOptions,
      '--form <form>':
        'standard (signed webhooks, the default), slack, teams, mattermost, discord or google-chat; cannot be changed later',
      ...selection,
      '--stability <stability>': 'only versions of at least this stability: stable, RC, beta, alpha or dev',
      '--view <token-id>': 'only what this token sees; such an endpoint is notified only of packages',
      '--signature <v1|v1a>':
        'v1: HMAC-SHA256 with a shared secret (the default); v1a: ed25519 with a public key; cannot be changed later',
    },
    registry: 'session',
    examples: [
      'libretto notify add https://deploy.example.org/hooks/libretto --package "acme/*" --stability stable',
      'libretto notify add --form slack --url-stdin --event advisory.published < address.txt',
    ],
  },
  list: {
    summary: 'list all addresses that are notified of events',
    description: 'List all addresses that are notified of events, with their state.',
    registry: 'reads',
    examples: ['libretto notify list --json'],
  },
  show: {
    operands: { '<id>': 'the id of the endpoint' },
    summary: 'show one endpoint and its last deliveries',
    description: 'Show one endpoint and its last deliveries, without its secrets.',
    registry: 'reads',
    examples: ['libretto notify show ntf_4fHj2kLm9QwErTy0'],
  },
  update: {
    operands: { '<id>': 'the id of the endpoint' },
    summary: 'change an endpoint, or give it a new secret',
    description:
      'Change an endpoint. Only the given values change; its form and its signature cannot be changed. --rotate ' +
      'prints a new secret, alone on standard output.',
    options: {
      '--to <url>': 'another address',
      ...addressOptions,
      ...selection,
      '--no-packages': 'notify of all packages',
      '--stability <stability>': 'only versions of at least this stability: stable, RC, beta, alpha or dev',
      '--no-stability': 'versions of any stability',
      '--view <token-id>': 'only what this token sees; such an endpoint is notified only of packages',
      '--no-view': 'everything, without the view of a token',
      '--enable': 'send events again, also after an end',
      '--disable': 'send no events, and keep none',
      '--rotate': 'make a new secret; the former one signs too for 24 hours',
      '--drop-old': 'with --rotate: end the former secrets at once',
    },
    registry: 'session',
    examples: [
      'libretto notify update ntf_4fHj2kLm9QwErTy0 --package "acme/*" --no-stability',
      'libretto notify update ntf_4fHj2kLm9QwErTy0 --rotate',
    ],
  },
  remove: {
    operands: { '<id>': 'the id of the endpoint' },
    summary: 'remove an endpoint with its deliveries',
    description: 'Remove an endpoint with its secrets and its deliveries. Events that still wait are not sent.',
    options: { '--yes': 'remove the endpoint' },
    registry: 'session',
    examples: ['libretto notify remove ntf_4fHj2kLm9QwErTy0 --yes'],
  },
  test: {
    operands: { '[id]': 'the id of the endpoint' },
    summary: 'send a test to an endpoint, or a test mail',
    description:
      'Send a test now, and print how it went. The command sends it itself, also without a server, and does not try ' +
      'again. The exit code is 1 if it did not arrive.',
    options: { '--mail <address>': 'send a mail to this address, through the configured mail server' },
    registry: 'changes',
    examples: ['libretto notify test ntf_4fHj2kLm9QwErTy0', 'libretto notify test --mail ada@example.org'],
  },
  deliveries: {
    operands: { '<id>': 'the id of the endpoint' },
    summary: 'list the deliveries of an endpoint, or send some again',
    description:
      'List the deliveries of an endpoint, newest first. With a --replay option, the running server sends deliveries ' +
      'again, with the same event ids.',
    options: {
      '--limit <n>': 'the number of listed deliveries (default: 20)',
      '--replay <event>': 'send this event again: evt_…',
      '--replay-since <time>':
        'send all events from this time on again: a day such as 2027-01-31, or 2027-01-31T12:00:00Z',
      '--replay-until <time>': 'with --replay-since: events until this time',
    },
    registry: 'changes',
    examples: [
      'libretto notify deliveries ntf_4fHj2kLm9QwErTy0 --limit 50',
      'libretto notify deliveries ntf_4fHj2kLm9QwErTy0 --replay-since 2027-01-31T12:00:00Z',
    ],
  },
  mail: {
    summary: 'show how mails go, and store the password for the mail server',
    description:
      'Show the mail server, the sender, the password, the last mail and the number of waiting mails. The settings ' +
      '`mail` and `mailFrom` of the configuration name server and sender.',
    options: {
      '--password-stdin': 'store the password for the mail server, encrypted; it is read from standard input',
      '--remove-password': 'remove the stored password',
    },
    registry: 'state',
    examples: ['libretto notify mail', 'libretto notify mail --password-stdin < password.txt'],
    load: async () => (await import('../commands/notify/mail.ts')).mail,
  },
} satisfies Declarations;

export const addNotifications = declaringGroup('notify', commands, {
  summary: 'notify webhooks, chat services and people of events',
  description: 'Notify webhooks, chat services and, by mail, people of events in the registry. A server sends it.',
  examples: [
    'libretto notify add https://deploy.example.org/hooks/libretto',
    'libretto notify test ntf_4fHj2kLm9QwErTy0',
  ],
  load: () => import('../commands/notify/notify.ts'),
});
