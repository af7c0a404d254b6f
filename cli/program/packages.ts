// The commands that withdraw published versions, take that back, purge them, and tell how much packages are used.

import { Option, type Command } from 'commander';

import { purgeReasons } from '../../build/contract/purged.ts';
import { example, withSettings, type Wire } from './command-parts.ts';

export function addPackages(program: Command, wire: Wire): void {
  const packages = program
    .command('package')
    .summary('withdraw or purge a published version; usage')
    .description(
      'Withdraw a published version although its source has it, or take that back; purge one for good; see how much a package is used.',
    );
  packages.showHelpAfterError('Run `libretto package --help` to see the commands.');
  packages.addHelpText(
    'after',
    example(
      'libretto package withdraw acme/hello 1.2.0',
      'libretto package restore acme/hello 1.2.0',
      'libretto package purge acme/hello 1.2.0 --reason secret',
      'libretto package statistics acme/hello',
    ),
  );
  const withdraw = withSettings(packages.command('withdraw'), 'data', 'state', 'jobs')
    .argument('<package>')
    .argument('<version>')
    .summary('withdraw a version, for good')
    .description(
      'Withdraw a version: it is no longer offered, whatever its source has. Its archive stays, so that locks that name it go on installing.',
    )
    .addOption(new Option('--child', 'the build alone, as the service runs it').hideHelp())
    .option('--json', 'print one JSON document')
    .addHelpText('after', example('libretto package withdraw acme/hello 1.2.0'));
  wire(withdraw, () => import('../commands/package/withdraw.ts'));
  const restore = withSettings(packages.command('restore'), 'data', 'state', 'jobs')
    .argument('<package>')
    .argument('<version>')
    .summary('publish a withdrawn version again')
    .description('Publish a version again that was withdrawn by hand, as its source has it now.')
    .option('--json', 'print the report of the build as JSON')
    .addHelpText('after', example('libretto package restore acme/hello 1.2.0'));
  wire(restore, () => import('../commands/package/restore.ts'));
  addPurge(packages, wire);
  const statistics = withSettings(packages.command('statistics'), 'data', 'state')
    .argument('<package>')
    .option('--days <n>', 'how many days back, 1 to 3650', '30')
    .option('--json', 'print one JSON document')
    .summary('how often it was downloaded and installed')
    .description(
      'Show downloads and installs of a package by version. Downloads are archives that were sent; installs are what Composer tells after an install or update, archives from its own cache included.',
    )
    .addHelpText('after', example('libretto package statistics acme/hello --days 7'));
  wire(statistics, () => import('../commands/package/statistics.ts'));
}

function addPurge(packages: Command, wire: Wire): void {
  const purge = withSettings(packages.command('purge'), 'data', 'state', 'jobs')
    .argument('<package>')
    .argument('<version>')
    .summary('remove a version for good: archive, records, history')
    .description(
      `Remove a version for good, and everything here that has its bytes: archives, metadata, README and CHANGELOG, history, uploads, caches, copies of the mirror. Neither its label nor its bytes are ever published again; of a dev version its contents are blocked, and the label goes on with others. At a terminal you confirm it by typing what goes. Clients are told the reason.`,
    )
    .requiredOption('--reason <reason>', `why, for clients: ${purgeReasons.join(', ')}`)
    .option('--note <text>', 'why, in your own words, for the audit log and for admins')
    .option('--reference <reference>', 'of a dev version this content alone; without it, all contents it ever had')
    .option('--dry-run', 'say what would be removed, and remove nothing')
    .option('--yes', 'do it without being asked')
    .addOption(new Option('--child', 'the builder alone, as the service runs it').hideHelp())
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      example(
        'libretto package purge acme/hello 1.2.0 --reason secret --dry-run',
        'libretto package purge acme/hello 1.2.0 --reason secret --note "a key in config/prod.php" --yes',
      ),
    );
  wire(purge, () => import('../commands/package/purge.ts'));
  const purged = withSettings(packages.command('purged'), 'data', 'state', 'jobs')
    .summary('list the versions that were purged')
    .description(
      'List the tombstones of purged versions, which keep them from being published again. The JSON document is what `libretto restore --purged` and `--recover` take.',
    )
    .option(
      '--recover [file]',
      'put a damaged or lost list together again: of what can be read of it, of such a document or data folder, and of what the announcement names. Rows of an edited list that nothing else names are dropped, and named',
    )
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      example(
        'libretto package purged',
        'libretto package purged --json > purged.json',
        'libretto package purged --recover purged.json',
      ),
    );
  wire(purged, () => import('../commands/package/purged.ts'));
}
