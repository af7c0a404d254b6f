// `libretto publisher`: CI jobs that publish or read without a stored secret.

import type { Command } from 'commander';

import { addGroup, collect, withRegistry, withSettings, type Wire } from '../commands/command-parts.ts';

const sample = 'pub_4fHj2kLm9QwErTy0';

const load = (command: keyof typeof import('../commands/publisher/publisher.ts')) => async () =>
  (await import('../commands/publisher/publisher.ts'))[command];

export function addPublishers(program: Command, wire: Wire): void {
  const publisher = addGroup(program, 'publisher', {
    summary: 'let CI jobs publish and read without a stored secret',
    description:
      'Let CI jobs publish and read without a stored secret. A job exchanges the ID token of its CI system for a ' +
      'token that lives some minutes.',
    examples: [
      'libretto publisher add --issuer github --repository acme/tool --workflow release.yml --package acme/tool',
      'libretto publisher explain --token-file id-token.txt',
    ],
  });
  for (const add of [addAdd, addList, addShow, addUpdate, addRemove, addExplain]) add(publisher, wire);
}

function addAdd(publisher: Command, wire: Wire): void {
  const add = publisher
    .command('add')
    .summary('add a trusted publisher')
    .description('Add a trusted publisher. Its packages need not exist yet.')
    .requiredOption(
      '--issuer <issuer>',
      'github, gitlab, or the address of an issuer of the setting oidcIssuers; or its kind, if one has this kind',
    )
    .option(
      '--purpose <publish|read>',
      'a write token for its packages, or a read token; cannot be changed later',
      'publish',
    );
  withRules(add);
  wire(
    withRegistry(
      withSettings(add, 'publicUrl', 'oidcIssuers'),
      'session',
      'libretto publisher add --issuer github --repository acme/tool --workflow release.yml --environment release ' +
        '--package acme/tool',
      'libretto publisher add --issuer gitlab --repository acme/shop --purpose read --package "acme/*" --minutes 60',
    ),
    load('add'),
  );
}

function addList(publisher: Command, wire: Wire): void {
  const list = publisher
    .command('list')
    .summary('list all trusted publishers')
    .description('List all trusted publishers.');
  wire(withRegistry(list, 'reads', 'libretto publisher list --json'), load('list'));
}

function addShow(publisher: Command, wire: Wire): void {
  const show = publisher
    .command('show')
    .argument('<id>', 'the id of the publisher')
    .summary('show one trusted publisher')
    .description('Show one trusted publisher with its pinned ids and its last exchange.');
  wire(withRegistry(show, 'reads', `libretto publisher show ${sample}`), load('show'));
}

function addUpdate(publisher: Command, wire: Wire): void {
  const update = publisher
    .command('update')
    .argument('<id>', 'the id of the publisher')
    .summary('change a trusted publisher')
    .description(
      'Change a trusted publisher. Only the given values change; its issuer and its purpose cannot be changed. With ' +
        'another repository, the next exchange pins its ids. The tokens that it gave out are revoked, unless only ' +
        '--name, --minutes or --exchanges are given.',
    );
  withRules(update).option(
    '--clear <repository|ids|workflow|environment|claims|packages|stability|not-after>',
    'remove this rule; after ids, the next exchange pins them anew (repeatable)',
    collect,
  );
  wire(
    withRegistry(
      withSettings(update, 'publicUrl', 'oidcIssuers'),
      'session',
      `libretto publisher update ${sample} --workflow publish.yml --clear environment`,
      `libretto publisher update ${sample} --clear ids`,
    ),
    load('update'),
  );
}

function addRemove(publisher: Command, wire: Wire): void {
  const remove = publisher
    .command('remove')
    .argument('<id>', 'the id of the publisher')
    .summary('remove a trusted publisher, and revoke its tokens')
    .description('Remove a trusted publisher. Its tokens are revoked at once.')
    .option('--yes', 'remove the publisher');
  wire(withRegistry(remove, 'session', `libretto publisher remove ${sample} --yes`), load('remove'));
}

function addExplain(publisher: Command, wire: Wire): void {
  const explain = publisher
    .command('explain')
    .summary('explain what an ID token would get, and why not')
    .description(
      'Explain what an ID token would get from each trusted publisher, and which claims do not match. The ID token ' +
        'is not used up, and may be expired. The exit code is 1 if it gets nothing.',
    )
    .requiredOption('--token-file <file>', 'a file whose first line is the ID token, or - for standard input');
  wire(
    withRegistry(
      withSettings(explain, 'publicUrl', 'oidcIssuers'),
      'reads',
      'libretto publisher explain --token-file id-token.txt',
      'printenv LIBRETTO_ID_TOKEN | libretto publisher explain --token-file -',
    ),
    load('explain'),
  );
}

function withRules(command: Command): Command {
  return command
    .option(
      '--repository <path>',
      'the repository or project of the jobs, such as acme/tool; at CircleCI github.com/acme/tool',
    )
    .option('--repository-id <id>', 'its id at the forge (default: the first exchange pins it)')
    .option('--owner-id <id>', 'the id of its owner at the forge (default: the first exchange pins it)')
    .option('--workflow <name>', 'the workflow file such as release.yml, or its path (default: any)')
    .option(
      '--workflow-claim <job|caller>',
      'compare the file that runs (job, the default), or the file that was started (caller), which may call others',
    )
    .option('--environment <name>', 'the environment of the job (default: any, or none)')
    .option(
      '--refs <tags|protected|tags-or-protected|any>',
      'the refs of the jobs (default: tags-or-protected to publish, any to read)',
    )
    .option(
      '--claim <name=value>',
      'one more claim with its exact value (repeatable; replaces the previous list)',
      collect,
    )
    .option(
      '--package <pattern[:constraint]>',
      'packages to publish or to see: acme/core, acme/*; to read also with versions: acme/core:<3.0 (repeatable; ' +
        'replaces the previous list)',
      collect,
    )
    .option('--stability <stability>', 'to read: the minimum stability: stable, RC, beta, alpha or dev')
    .option('--not-after <time>', 'to read: versions released until then: a day such as 2027-01-31, or a time')
    .option('--minutes <n>', 'how long a token lives (default and maximum: 15 to publish, 60 to read)')
    .option('--exchanges <n>', 'the maximum number of exchanges an hour (default: 60)')
    .option('--name <text>', 'a name for people');
}
