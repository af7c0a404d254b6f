// The commands about packages of other registries that are kept here.

import type { Command } from 'commander';

import { example, withSettings, type Wire } from './command-parts.ts';

export function addMirror(program: Command, wire: Wire): void {
  const mirror = program
    .command('mirror')
    .summary('fetch packages of other registries ahead, and look at what is kept of them')
    .description(
      'Fetch packages of other registries ahead, and look at what is kept of them. What is mirrored is said by the settings: `libretto settings list`.',
    );
  mirror
    .showHelpAfterError('Run `libretto mirror --help` to see the commands.')
    .addHelpText(
      'after',
      example('libretto settings set mirroring.enabled true', 'libretto mirror warm composer.lock'),
    );
  const withJson = (command: Command, ...examples: string[]): Command =>
    withSettings(command, 'data', 'state')
      .option('--json', 'print one JSON document')
      .addHelpText('after', example(...examples));
  const warm = mirror
    .command('warm')
    .argument('<lock...>', 'composer.lock files')
    .summary('fetch ahead what lock files name')
    .description(
      'Fetch the documents and archives of every package in these lock files that is mirrored and not here yet, so that an install needs no other registry.',
    );
  wire(
    withJson(warm, 'libretto mirror warm app/composer.lock shop/composer.lock'),
    () => import('../commands/mirror/warm.ts'),
  );
  const list = mirror
    .command('list')
    .summary('list the archives that are kept')
    .description('List the archives that are kept of other registries, and where each of them came from.');
  wire(withJson(list, 'libretto mirror list --json'), () => import('../commands/mirror/list.ts'));
  const verify = mirror
    .command('verify')
    .summary('compare the archives with what was accepted')
    .description(
      'Read every archive that is kept of other registries, and compare it with the checksum with which it was accepted.',
    );
  wire(withJson(verify, 'libretto mirror verify'), () => import('../commands/mirror/verify.ts'));
  const prune = mirror
    .command('prune')
    .summary('remove what nothing needs')
    .description(
      'Remove what killed processes left behind, and documents that nobody asked for in a while. Archives that were accepted stay: lock files name them.',
    )
    .option('--keep-for <span>', 'how long documents are kept that nobody asks for: 12h, 90d, 4w', '90d')
    .option('--dry-run', 'say what would be removed, and remove nothing');
  wire(withJson(prune, 'libretto mirror prune --dry-run'), () => import('../commands/mirror/prune.ts'));
}
