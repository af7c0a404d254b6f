// The commands that list packages, withdraw and restore published versions, purge them, and show downloads.

import type { Command } from 'commander';

import { purgeReasons } from '../../build/contract/purged.ts';
import {
  addGroup,
  childOption,
  example,
  onBehalfOption,
  orRemote,
  withRegistry,
  withSettings,
  type Wire,
} from '../commands/command-parts.ts';

export function addPackages(program: Command, wire: Wire): void {
  const packages = addGroup(program, 'package', {
    summary: 'list packages, withdraw or purge versions, and show usage',
    description:
      'List the published packages. Withdraw a published version that its source still has, or publish it again. Purge a version ' +
      'permanently. Show how much a package is used.',
    examples: [
      'libretto package list',
      'libretto package withdraw acme/hello 1.2.0',
      'libretto package restore acme/hello 1.2.0',
      'libretto package purge acme/hello 1.2.0 --reason secret',
      'libretto package statistics acme/hello',
    ],
  });
  for (const add of [addList, addWithdraw, addRestore, addPurge, addRecoverPurged, addStatistics]) add(packages, wire);
}

function addList(packages: Command, wire: Wire): void {
  const list = orRemote(withSettings(packages.command('list'), 'data', 'state'))
    .argument('[pattern...]', 'a name such as acme/hello; * matches any characters')
    .summary('list the published packages')
    .description(
      'List the published packages: the newest version, the number of versions, the type, and whether the package is ' +
        'abandoned. With --url, the list has the packages and versions that the token may see. With --purged, it lists the purged versions instead.',
    )
    .option('--purged', 'list the purged versions, which are never published again')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      example(
        'libretto package list',
        'libretto package list "acme/*"',
        'libretto package list --purged --json > purged.json',
        'LIBRETTO_TOKEN=lib_r_… libretto package list --url https://packages.example.org --json',
      ),
    );
  wire(list, () => import('../commands/package/list.ts'));
}

function addWithdraw(packages: Command, wire: Wire): void {
  const withdraw = withSettings(packages.command('withdraw'), 'jobs')
    .argument('<package>', 'vendor/name')
    .argument('<version>', 'the published version')
    .summary('withdraw a published version')
    .description(
      'Withdraw a version: the registry no longer offers it, even if its source still has it. Its archive ' +
        'stays, so existing lock files still install it, unless the policy blocks it.',
    )
    .addOption(childOption())
    .addOption(onBehalfOption());
  wire(
    withRegistry(withdraw, 'session', 'libretto package withdraw acme/hello 1.2.0'),
    () => import('../commands/package/withdraw.ts'),
  );
}

function addRestore(packages: Command, wire: Wire): void {
  const restore = withSettings(packages.command('restore'), 'data', 'state', 'jobs')
    .argument('<package>', 'vendor/name')
    .argument('<version>', 'the withdrawn version')
    .summary('publish a withdrawn version again')
    .description('Publish a manually withdrawn version again, with the current content of its source.')
    .addOption(childOption())
    .addOption(onBehalfOption())
    .option('--json', 'print the report of the build as JSON')
    .addHelpText('after', example('libretto package restore acme/hello 1.2.0'));
  wire(restore, () => import('../commands/package/restore.ts'));
}

function addStatistics(packages: Command, wire: Wire): void {
  const statistics = packages
    .command('statistics')
    .argument('<package>', 'vendor/name')
    .option('--days <n>', 'the number of days, 1 to 3650', '30')
    .summary('show the downloads and installs of a package')
    .description(
      'Show the downloads and installs of a package by version. Downloads are archives that the server sent. ' +
        'Installs are reported by Composer after an install or update, including archives from its own cache.',
    );
  wire(
    withRegistry(statistics, 'reads', 'libretto package statistics acme/hello --days 7'),
    () => import('../commands/package/statistics.ts'),
  );
}

function addPurge(packages: Command, wire: Wire): void {
  const purge = withSettings(packages.command('purge'), 'data', 'state', 'jobs')
    .argument('<package>', 'vendor/name')
    .argument('<version>', 'the version to purge')
    .summary('remove a version permanently: archive, records, history')
    .description(
      'Remove a version permanently, with every copy of its bytes on this registry: archives, metadata, README ' +
        'and CHANGELOG, history, uploads, caches, mirror copies. Its version number and its bytes are never ' +
        'published again. For a dev version, only its contents are blocked: the branch can publish new content. ' +
        'At a terminal, the command asks for a typed confirmation. Clients see the reason.',
    )
    .requiredOption('--reason <reason>', `the reason that clients see: ${purgeReasons.join(', ')}`)
    .option('--note <text>', 'an explanation for admins and the audit log')
    .option('--reference <reference>', 'for a dev version: purge only this content (default: all contents it ever had)')
    .option('--dry-run', 'show what would be removed, without removing it')
    .option('--yes', 'do not ask for confirmation')
    .addOption(childOption())
    .addOption(onBehalfOption())
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      example(
        'libretto package purge acme/hello 1.2.0 --reason secret --dry-run',
        'libretto package purge acme/hello 1.2.0 --reason secret --note "a key in config/prod.php" --yes',
      ),
    );
  wire(purge, () => import('../commands/package/purge.ts'));
}

function addRecoverPurged(packages: Command, wire: Wire): void {
  const recover = withSettings(packages.command('recover-purged'), 'data', 'state', 'jobs')
    .argument('[file]', 'output of `libretto package list --purged --json`, or a data folder with such a list')
    .summary('rebuild a damaged or lost list of purged versions')
    .description(
      'Rebuild the list of purged versions from its readable parts, from FILE, from the announcement file, from ' +
        'history, and from the purges and withdrawals in the state. Rows of an edited list that no other place ' +
        'confirms are dropped and printed.',
    )
    .option('--dry-run', 'show what the recovery would add and purge, without changing anything')
    .option('--yes', 'purge versions of this registry that the added tombstones name')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      example('libretto package recover-purged purged.json --dry-run', 'libretto package recover-purged purged.json'),
    );
  wire(recover, () => import('../commands/package/recover-purged.ts'));
}
