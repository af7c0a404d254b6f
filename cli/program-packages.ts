// The commands that withdraw published versions, take that back, and tell how much packages are used.

import { Option, type Command } from 'commander';

import { example, withSettings, type Wire } from './command-parts.ts';

export function addPackages(program: Command, wire: Wire): void {
  const packages = program.command('package').summary('withdraw a published version, or take that back; usage').description('Withdraw a published version although its source has it, or take that back; see how much a package is used.');
  packages.showHelpAfterError('Run `libretto package --help` to see the commands.');
  packages.addHelpText('after', example('libretto package withdraw acme/hello 1.2.0', 'libretto package restore acme/hello 1.2.0', 'libretto package statistics acme/hello'));
  const withdraw = withSettings(packages.command('withdraw'), 'data', 'state', 'jobs')
    .argument('<package>')
    .argument('<version>')
    .summary('withdraw a version, for good')
    .description('Withdraw a version: it is no longer offered, whatever its source has. Its archive stays, so that locks that name it go on installing.')
    .addOption(new Option('--child', 'the build alone, as the service runs it').hideHelp())
    .option('--json', 'print one JSON document')
    .addHelpText('after', example('libretto package withdraw acme/hello 1.2.0'));
  wire(withdraw, () => import('./commands/package-withdraw.ts'));
  const restore = withSettings(packages.command('restore'), 'data', 'state', 'jobs')
    .argument('<package>')
    .argument('<version>')
    .summary('publish a withdrawn version again')
    .description('Publish a version again that was withdrawn by hand, as its source has it now.')
    .option('--json', 'print the report of the build as JSON')
    .addHelpText('after', example('libretto package restore acme/hello 1.2.0'));
  wire(restore, () => import('./commands/package-restore.ts'));
  const statistics = withSettings(packages.command('statistics'), 'data', 'state')
    .argument('<package>')
    .option('--days <n>', 'how many days back, 1 to 3650', '30')
    .option('--json', 'print one JSON document')
    .summary('how often it was downloaded and installed')
    .description('Show downloads and installs of a package by version. Downloads are archives that were sent; installs are what Composer tells after an install or update, archives from its own cache included.')
    .addHelpText('after', example('libretto package statistics acme/hello --days 7'));
  wire(statistics, () => import('./commands/package-statistics.ts'));
}
