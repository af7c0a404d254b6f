// The commands about the stored packages of other registries.

import type { Command } from 'commander';

import { addGroup, withJson, type Wire } from '../commands/command-parts.ts';

export function addMirror(program: Command, wire: Wire): void {
  const mirror = addGroup(program, 'mirror', {
    summary: 'fetch packages of other registries, and manage stored copies',
    description:
      'Fetch packages of other registries in advance, and manage the stored copies. The settings select the ' +
      'mirrored packages: `libretto settings list`.',
    examples: ['libretto settings set mirroring.enabled true', 'libretto mirror warm composer.lock'],
  });
  for (const add of [addWarm, addRefresh, addList, addVerify, addPrune]) add(mirror, wire);
}

function addWarm(mirror: Command, wire: Wire): void {
  const warm = mirror
    .command('warm')
    .argument('<lock...>', 'composer.lock files')
    .summary('fetch the packages in lock files in advance')
    .description(
      'Fetch the missing documents and archives of every mirrored package in these lock files. Afterwards an ' +
        'install needs no other registry.',
    );
  wire(
    withJson(warm, 'libretto mirror warm app/composer.lock shop/composer.lock'),
    () => import('../commands/mirror/warm.ts'),
  );
}

function addRefresh(mirror: Command, wire: Wire): void {
  const refresh = mirror
    .command('refresh')
    .argument('[package]', 'vendor/name: its documents are requested now')
    .summary('request lists of names and missing packages anew')
    .description(
      'Servers forget which packages other registries did not have, and request their lists of names anew. It works ' +
        'beside running servers. With a package, its documents are requested too; the exit code is 1 if no registry has it.',
    );
  wire(withJson(refresh, 'libretto mirror refresh vendor/name'), () => import('../commands/mirror/refresh.ts'));
}

function addList(mirror: Command, wire: Wire): void {
  const list = mirror
    .command('list')
    .summary('list the stored archives')
    .description('List the stored archives of other registries, and the origin of each archive.');
  wire(withJson(list, 'libretto mirror list --json'), () => import('../commands/mirror/list.ts'));
}

function addVerify(mirror: Command, wire: Wire): void {
  const verify = mirror
    .command('verify')
    .summary('check the stored archives')
    .description(
      'Read every stored archive of other registries, and compare it with the checksum recorded when it was accepted. ' +
        'Versions without a ZIP archive are named, because they are not mirrored.',
    );
  wire(withJson(verify, 'libretto mirror verify'), () => import('../commands/mirror/verify.ts'));
}

function addPrune(mirror: Command, wire: Wire): void {
  const prune = mirror
    .command('prune')
    .summary('remove leftovers and unused documents')
    .description(
      'Remove the leftovers of killed processes, and documents that were not requested for a while. Accepted ' +
        'archives stay, because lock files name them.',
    )
    .option('--keep-for <span>', 'how long an unrequested document is kept: 12h, 90d, 4w', '90d')
    .option('--dry-run', 'show what would be removed, without removing it');
  wire(withJson(prune, 'libretto mirror prune --dry-run'), () => import('../commands/mirror/prune.ts'));
}
