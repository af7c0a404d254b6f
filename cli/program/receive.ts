// The command that publishes a tree which was built elsewhere.

import type { Command } from 'commander';

import { example, withSettings, type Wire } from '../commands/command-parts.ts';

export function addReceiving(program: Command, wire: Wire): void {
  const receive = withSettings(program.command('receive'), 'data', 'state', 'jobs')
    .argument('<tree>', 'a folder with public/ and index/ of a build, copied to this machine')
    .summary('publish a tree that was built elsewhere, for example in a CI job')
    .description(
      'Publish a tree that was built elsewhere and copied to this machine. Versions that are no longer in the ' +
        'tree are withdrawn. Packages of other sources stay as published.',
    )
    .option('--as <name>', 'a fixed name for this tree on this registry (default: the name of its folder)')
    .option('--dry-run', 'show what would be published, without publishing it')
    .option('--strict', 'publish nothing if any package or version has to be left out')
    .option('--allow-republish', 'allow released versions to change their content')
    .option('--allow-withdraw', 'allow packages to lose their last version, and many packages to lose a release')
    .option('--json', 'print the report as JSON')
    .addHelpText(
      'after',
      example('libretto receive /srv/incoming/shop --dry-run', 'libretto receive /srv/incoming/shop --as shop'),
    );
  wire(receive, () => import('../commands/build/receive.ts'));
}
