// The commands that prove and explain what is published, and the one that removes what nobody can want any more.

import type { Command } from 'commander';

import { example, withSettings, type Wire } from './command-parts.ts';

export function addTrust(program: Command, wire: Wire): void {
  const verify = withSettings(program.command('verify'), 'data')
    .summary('prove that the output tree holds what it names')
    .description('Read the output tree again and prove that everything it names is there, byte for byte.')
    .option('--fast', 'of archives, READMEs and CHANGELOGs look at size and existence only')
    .option('--json', 'print the report as JSON')
    .addHelpText('after', example('libretto verify --data /srv/libretto', 'libretto verify --fast'));
  wire(verify, () => import('../commands/inspect/verify.ts'));
  const why = withSettings(program.command('why'), 'data')
    .argument('<package>')
    .argument('[version]')
    .summary('say what is published of a package and from where, or why it is not')
    .description(
      'Say what is published of a package or of one version, from which source and since when; or what keeps it from being published. Exits with 1 where it is not published.',
    )
    .option('--json', 'print the answer as JSON')
    .addHelpText('after', example('libretto why acme/hello', 'libretto why acme/hello 1.2.0'));
  wire(why, () => import('../commands/inspect/why.ts'));
  const impact = withSettings(program.command('impact'), 'data')
    .argument('<lock...>', 'composer.lock files')
    .summary('say which locked packages are not as their lock file has them')
    .description(
      'Hold lock files against what is published: which of their packages are missing here, withdrawn, or other bytes by now. Exits with 1 if any is. Packages that this registry does not know are taken for those of others.',
    )
    .option(
      '--url <url>',
      'the address of this registry: what a lock file fetches from there is of this registry, known or not',
    )
    .option('--json', 'print the report as JSON')
    .addHelpText(
      'after',
      example(
        'libretto impact composer.lock',
        'libretto impact --url https://packages.example.org shop/composer.lock blog/composer.lock',
      ),
    );
  wire(impact, () => import('../commands/inspect/impact.ts'));
  const prune = withSettings(program.command('prune'), 'data')
    .summary('remove archives that nothing names any more')
    .description(
      'Remove the archives of versions that were withdrawn or replaced, once no document, no recorded publication and no lock file of that time names them.',
    )
    .option('--keep-for <span>', 'how long what is published no more stays at least, such as 180d, 4w or 12h', '180d')
    .option('--dry-run', 'say what would be removed, and remove nothing')
    .option('--json', 'print the report as JSON')
    .addHelpText('after', example('libretto prune --dry-run', 'libretto prune --keep-for 365d'));
  wire(prune, () => import('../commands/build/prune.ts'));
}
