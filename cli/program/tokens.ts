// `libretto token`: create, list, show, update, explain, rotate and revoke the tokens of clients.

import type { Command } from 'commander';

import { standardExpiry } from '../../proxy/auth/expiry.ts';
import { addGroup, collect, withJson, withRegistry, type Wire } from '../commands/command-parts.ts';

const load = (command: keyof typeof import('../commands/token/token.ts')) => async () =>
  (await import('../commands/token/token.ts'))[command];

/** Adds `token` and its commands to the program. */
export function addTokens(program: Command, wire: Wire): void {
  const token = addGroup(program, 'token', {
    summary: 'create, list, change and revoke tokens',
    description: 'Create, list, change and revoke the tokens of Composer clients.',
    examples: ['libretto token create --description "CI" --expires 365d', 'libretto token list'],
  });
  for (const add of [addCreate, addImport, addList, addShow, addUpdate, addExplain, addRotate, addRevoke])
    add(token, wire);
}

function addCreate(token: Command, wire: Wire): void {
  const create = token
    .command('create')
    .summary('create a token')
    .description('Create a token. The command shows the secret once.')
    .requiredOption('--description <text>', 'the purpose or owner of the token')
    .option('--kind <read|write>', 'read, or read and publish; cannot be changed later', 'read')
    .option('--limit <n>', 'requests per hour, 0 for no limit (default: the limit of the kind)')
    .option(
      '--expires <when|never>',
      'a duration such as 365d or 12h, a day such as 2027-01-31 (to its end, UTC), a time such as ' +
        '2027-01-31T12:00:00Z, or never',
      standardExpiry,
    );
  withLimits(create);
  wire(
    withRegistry(
      create,
      'session',
      'libretto token create --description "CI of the shop" --expires 365d --limit 5000',
      'libretto token create --description "Customer 17" --package "acme/shop:^1" --stability stable ' +
        '--not-after 2027-01-31',
    ),
    load('create'),
  );
}

function addImport(token: Command, wire: Wire): void {
  const read = token
    .command('import')
    .argument('<file>', 'the tokens of Repman or package.broker as JSON, or a htpasswd file')
    .summary('take over the tokens of another registry')
    .description(
      'Take over the tokens of Repman (the answer of its API) or package.broker (rows of its table): their secrets keep ' +
        'working. Each user of a htpasswd file gets a token with a new secret. A repeated import changes nothing.',
    )
    .option('--dry-run', 'show the changes without making them');
  withLimits(read);
  const examples = [
    'libretto token import tokens.json --dry-run',
    'libretto token import .htpasswd --package "acme/*"',
  ];
  wire(withJson(read, ...examples), () => import('../commands/token/import.ts'));
}

function addList(token: Command, wire: Wire): void {
  const list = token.command('list').summary('list all tokens').description('List all tokens, without their secrets.');
  wire(withRegistry(list, 'reads', 'libretto token list --json'), load('list'));
}

function addShow(token: Command, wire: Wire): void {
  const show = token
    .command('show')
    .argument('<id>', 'the id of the token')
    .summary('show one token')
    .description('Show one token, without its secret.');
  wire(withRegistry(show, 'reads', 'libretto token show tok_2kTq9'), load('show'));
}

function addUpdate(token: Command, wire: Wire): void {
  const update = token
    .command('update')
    .argument('<id>', 'the id of the token')
    .summary('change a token')
    .description(
      'Change a token. The change takes effect with the next request. The kind cannot change: create another token.',
    )
    .option('--description <text>', 'the purpose or owner of the token')
    .option('--limit <n|default>', 'requests per hour, 0 for no limit, or default for the limit of its kind')
    .option(
      '--expires <when|never>',
      'a duration from now such as 90d, a day such as 2027-01-31 (to its end, UTC), a time such as ' +
        '2027-01-31T12:00:00Z, or never',
    );
  withLimits(update).option(
    '--clear <packages|stability|not-after|networks>',
    'remove this limit (repeatable)',
    collect,
  );
  wire(
    withRegistry(
      update,
      'session',
      'libretto token update tok_2kTq9 --limit default --expires never',
      'libretto token update tok_2kTq9 --package "acme/shop:^2" --clear not-after',
    ),
    load('update'),
  );
}

function addExplain(token: Command, wire: Wire): void {
  const explain = token
    .command('explain')
    .argument('<id>', 'the id of the token')
    .argument('<package>', 'vendor/name')
    .argument('[version]', 'one version, published or not')
    .summary('explain which versions of a package a token sees')
    .description(
      'Explain which versions of a package a token sees, or whether it sees one version, and which limit hides ' +
        'the others. The exit code is 1 if the token does not see it.',
    )
    .option('--from <address>', 'check for a client with this address');
  wire(
    withRegistry(
      explain,
      'reads',
      'libretto token explain tok_2kTq9 acme/shop',
      'libretto token explain tok_2kTq9 acme/shop 2.0.0 --from 203.0.113.7',
    ),
    async () => (await import('../commands/token/explain.ts')).explain,
  );
}

function addRotate(token: Command, wire: Wire): void {
  const rotate = token
    .command('rotate')
    .argument('<id>', 'the id of the token')
    .summary('give a token a new secret')
    .description(
      'Give a token a new secret. The command shows it once. The previous secret keeps working for a while. ' +
        'All other properties of the token stay.',
    )
    .option(
      '--grace <span>',
      'how long the previous secret keeps working: 30m, 12h, 7d, or 0 to end it at once',
      '24h',
    );
  wire(withRegistry(rotate, 'session', 'libretto token rotate tok_2kTq9 --grace 7d'), load('rotate'));
}

function addRevoke(token: Command, wire: Wire): void {
  const revoke = token
    .command('revoke')
    .argument('<id>', 'the id of the token')
    .summary('revoke a token permanently')
    .description('Revoke a token permanently. The change takes effect with the next request.');
  wire(withRegistry(revoke, 'session', 'libretto token revoke tok_2kTq9'), load('revoke'));
}

function withLimits(command: Command): Command {
  return command
    .option(
      '--package <pattern[:constraint]>',
      'visible packages: acme/core, acme/* or *; with a constraint, only matching versions: acme/core:<3.0 ' +
        '(repeatable; replaces the previous list)',
      collect,
    )
    .option('--stability <stability>', 'the minimum stability of visible versions: stable, RC, beta, alpha or dev')
    .option(
      '--not-after <time>',
      'versions released until then are visible: a day such as 2027-01-31 (UTC, including that day), or a time ' +
        'such as 2027-01-31T12:00:00Z',
    )
    .option(
      '--network <range>',
      'client addresses that may use the token: 203.0.113.0/24 (repeatable; replaces the previous list)',
      collect,
    );
}
