// The commands that carry packages from one registry to another without a network between them.

import type { Command } from 'commander';

import { example, withSettings, type Wire } from '../commands/command-parts.ts';

export function addBundle(program: Command, wire: Wire): void {
  const bundle = withSettings(program.command('bundle'), 'data', 'state')
    .summary('write the packages to one file, for a registry without a network')
    .description(
      'Write the published packages, and the stored packages of other registries, to one file. ' +
        '`libretto receive` takes it on another registry, which needs no network for that. The same packages give ' +
        'the same bytes.',
    )
    .option('--since <serial>', 'without the archives that this publication had: the other registry has them')
    .option('--lock <file...>', 'only what these composer.lock files need')
    .option('--token <id>', 'only what the token with this id sees now')
    .option('--name <name>', 'the name of this registry on the other one (default: the host of `publicUrl`)')
    .option(
      '--out <file>',
      'a new file, or a folder for it (default: NAME-SERIAL.bundle.tar here); no file is replaced',
    )
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      example(
        'libretto bundle --out /media/usb',
        'libretto bundle --since 41 --out /media/usb',
        'libretto bundle --lock app/composer.lock shop/composer.lock',
        'libretto bundle --token tok_9QwErTy04fHj2kLm',
      ),
    );
  wire(bundle, () => import('../commands/bundle/bundle.ts'));
}

export function addReceiving(program: Command, wire: Wire): void {
  const receive = withSettings(program.command('receive'), 'data', 'state', 'jobs')
    .argument('<tree>', 'a bundle, or a folder with public/ and index/ of a build, copied to this machine')
    .summary('publish a tree or a bundle that was made elsewhere')
    .description(
      'Publish a tree that was built elsewhere and copied to this machine, or a file that `libretto bundle` made. ' +
        'Everything is checked before anything is published. Versions that are no longer in the tree are withdrawn. ' +
        'Packages of other sources stay as published, and a bundle of lock files or of a token withdraws nothing.',
    )
    .option(
      '--as <name>',
      'a fixed name for this tree on this registry (default: the name of its folder; of a bundle, the name in it)',
    )
    .option('--dry-run', 'show what would be published, without publishing it')
    .option('--strict', 'publish nothing if any package or version has to be left out')
    .option('--allow-republish', 'allow released versions to change their content')
    .option('--allow-withdraw', 'allow packages to lose their last version, and many packages to lose a release')
    .option('--json', 'print the report as JSON')
    .addHelpText(
      'after',
      example(
        'libretto receive /srv/incoming/shop --dry-run',
        'libretto receive /srv/incoming/shop --as shop',
        'libretto receive /media/usb/packages.example.org-42.bundle.tar',
      ),
    );
  wire(receive, () => import('../commands/build/receive.ts'));
}
