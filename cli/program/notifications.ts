// `libretto notify`: the addresses that are notified of events, and the mails of this registry.

import { Option, type Command } from 'commander';

import { addGroup, withJson, withRegistry, type Wire } from '../commands/command-parts.ts';

const load = (command: keyof typeof import('../commands/notify/notify.ts')) => async () =>
  (await import('../commands/notify/notify.ts'))[command];

export function addNotifications(program: Command, wire: Wire): void {
  const notify = addGroup(program, 'notify', {
    summary: 'notify webhooks, chat services and people of events',
    description: 'Notify webhooks, chat services and, by mail, people of events in the registry. A server sends it.',
    examples: [
      'libretto notify add https://deploy.example.org/hooks/libretto',
      'libretto notify test ntf_4fHj2kLm9QwErTy0',
    ],
  });
  for (const add of [addAdd, addList, addShow, addUpdate, addRemove, addTest, addDeliveries, addMail])
    add(notify, wire);
}

function addAdd(notify: Command, wire: Wire): void {
  const add = withAddress(
    notify
      .command('add')
      .argument('[url]', 'the address of a webhook: https://HOST/PATH')
      .summary('add an address that is notified of events')
      .description(
        'Add an address that is notified of events. The command prints its secret once, alone on standard output; the ' +
          'receiver verifies each request with it. The address of a chat service is a secret itself: use ' +
          '--url-stdin or --url-file.',
      ),
  ).option(
    '--form <form>',
    'standard (signed webhooks, the default), slack, teams, mattermost, discord or google-chat; cannot be changed later',
  );
  withSelection(add)
    .option('--stability <stability>', 'only versions of at least this stability: stable, RC, beta, alpha or dev')
    .option('--view <token-id>', 'only what this token sees; such an endpoint is notified only of packages')
    .option(
      '--signature <v1|v1a>',
      'v1: HMAC-SHA256 with a shared secret (the default); v1a: ed25519 with a public key; cannot be changed later',
    );
  wire(
    withRegistry(
      add,
      'session',
      'libretto notify add https://deploy.example.org/hooks/libretto --package "acme/*" --stability stable',
      'libretto notify add --form slack --url-stdin --event advisory.published < address.txt',
    ),
    load('add'),
  );
}

function addList(notify: Command, wire: Wire): void {
  const list = notify
    .command('list')
    .summary('list all addresses that are notified of events')
    .description('List all addresses that are notified of events, with their state.');
  wire(withRegistry(list, 'reads', 'libretto notify list --json'), load('list'));
}

function addShow(notify: Command, wire: Wire): void {
  const show = notify
    .command('show')
    .argument('<id>', 'the id of the endpoint')
    .summary('show one endpoint and its last deliveries')
    .description('Show one endpoint and its last deliveries, without its secrets.');
  wire(withRegistry(show, 'reads', 'libretto notify show ntf_4fHj2kLm9QwErTy0'), load('show'));
}

function addUpdate(notify: Command, wire: Wire): void {
  const update = withAddress(
    notify
      .command('update')
      .argument('<id>', 'the id of the endpoint')
      .summary('change an endpoint, or give it a new secret')
      .description(
        'Change an endpoint. Only the given values change; its form and its signature cannot be changed. --rotate ' +
          'prints a new secret, alone on standard output.',
      )
      .option('--to <url>', 'another address'),
  );
  withSelection(update)
    .addOption(new Option('--no-packages', 'notify of all packages'))
    .option('--stability <stability>', 'only versions of at least this stability: stable, RC, beta, alpha or dev')
    .addOption(new Option('--no-stability', 'versions of any stability'))
    .option('--view <token-id>', 'only what this token sees; such an endpoint is notified only of packages')
    .addOption(new Option('--no-view', 'everything, without the view of a token'))
    .option('--enable', 'send events again, also after an end')
    .option('--disable', 'send no events, and keep none')
    .option('--rotate', 'make a new secret; the former one signs too for 24 hours')
    .option('--drop-old', 'with --rotate: end the former secrets at once');
  wire(
    withRegistry(
      update,
      'session',
      'libretto notify update ntf_4fHj2kLm9QwErTy0 --package "acme/*" --no-stability',
      'libretto notify update ntf_4fHj2kLm9QwErTy0 --rotate',
    ),
    load('update'),
  );
}

function addRemove(notify: Command, wire: Wire): void {
  const remove = notify
    .command('remove')
    .argument('<id>', 'the id of the endpoint')
    .summary('remove an endpoint with its deliveries')
    .description('Remove an endpoint with its secrets and its deliveries. Events that still wait are not sent.')
    .option('--yes', 'remove the endpoint');
  wire(withRegistry(remove, 'session', 'libretto notify remove ntf_4fHj2kLm9QwErTy0 --yes'), load('remove'));
}

function addTest(notify: Command, wire: Wire): void {
  const test = notify
    .command('test')
    .argument('[id]', 'the id of the endpoint')
    .summary('send a test to an endpoint, or a test mail')
    .description(
      'Send a test now, and print how it went. The command sends it itself, also without a server, and does not try ' +
        'again. The exit code is 1 if it did not arrive.',
    )
    .option('--mail <address>', 'send a mail to this address, through the configured mail server');
  wire(
    withRegistry(
      test,
      'changes',
      'libretto notify test ntf_4fHj2kLm9QwErTy0',
      'libretto notify test --mail ada@example.org',
    ),
    load('test'),
  );
}

function addDeliveries(notify: Command, wire: Wire): void {
  const deliveries = notify
    .command('deliveries')
    .argument('<id>', 'the id of the endpoint')
    .summary('list the deliveries of an endpoint, or send some again')
    .description(
      'List the deliveries of an endpoint, newest first. With a --replay option, the running server sends deliveries ' +
        'again, with the same event ids.',
    )
    .option('--limit <n>', 'the number of listed deliveries (default: 20)')
    .option('--replay <event>', 'send this event again: evt_…')
    .option(
      '--replay-since <time>',
      'send all events from this time on again: a day such as 2027-01-31, or 2027-01-31T12:00:00Z',
    )
    .option('--replay-until <time>', 'with --replay-since: events until this time');
  wire(
    withRegistry(
      deliveries,
      'changes',
      'libretto notify deliveries ntf_4fHj2kLm9QwErTy0 --limit 50',
      'libretto notify deliveries ntf_4fHj2kLm9QwErTy0 --replay-since 2027-01-31T12:00:00Z',
    ),
    load('deliveries'),
  );
}

function addMail(notify: Command, wire: Wire): void {
  const mail = notify
    .command('mail')
    .summary('show how mails go, and store the password for the mail server')
    .description(
      'Show the mail server, the sender, the password, the last mail and the number of waiting mails. The settings ' +
        '`mail` and `mailFrom` of the configuration name server and sender.',
    )
    .option('--password-stdin', 'store the password for the mail server, encrypted; it is read from standard input')
    .option('--remove-password', 'remove the stored password');
  wire(
    withJson(mail, 'libretto notify mail', 'libretto notify mail --password-stdin < password.txt'),
    async () => (await import('../commands/notify/mail.ts')).mail,
  );
}

function withAddress(command: Command): Command {
  return command
    .option('--url-stdin', 'read the address from the first line of standard input')
    .option('--url-file <file>', 'a file whose first line is the address');
}

function withSelection(command: Command): Command {
  return command
    .option('--name <text>', 'a name for people')
    .option(
      '--event <type...>',
      'the events: package.version.published, package.version.withdrawn (these two by default), ' +
        'package.version.refused, package.abandoned, repository.sync.failed, repository.sync.recovered, ' +
        'advisory.published, policy.blocked, review.waiting, token.expiring, audit.event',
    )
    .option('--package <pattern...>', 'only events of these packages: acme/core, acme/*');
}
