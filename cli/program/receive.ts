// The command that publishes a tree which was built elsewhere.

import type { Command } from 'commander';

import { example, withSettings, type Wire } from './command-parts.ts';

export function addReceiving(program: Command, wire: Wire): void {
  const receive = withSettings(program.command('receive'), 'data', 'state', 'jobs')
    .argument('<tree>', 'the folder with public/ and index/ of a build, copied to this machine')
    .summary('publish what was built elsewhere, such as in a CI job')
    .description(
      'Publish a tree that was built elsewhere and copied here. All other sources stay as they are published; what the tree no longer has is withdrawn.',
    )
    .option('--as <name>', 'what the tree is called here, the same each time (default: the name of its folder)')
    .option('--dry-run', 'say what would be published, and publish nothing')
    .option('--strict', 'publish nothing when anything would be left out')
    .option('--allow-republish', 'let released versions change their content')
    .option('--allow-withdraw', 'let packages lose their last version, and many packages a release at once')
    .option('--json', 'print the report as JSON')
    .addHelpText(
      'after',
      example('libretto receive /srv/incoming/shop --dry-run', 'libretto receive /srv/incoming/shop --as shop'),
    );
  wire(receive, () => import('../commands/build/receive.ts'));
}
