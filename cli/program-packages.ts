// The commands that withdraw published versions and take that back.

import { Option, type Command } from 'commander';

import { example, withSettings, type Wire } from './command-parts.ts';

export function addPackages(program: Command, wire: Wire): void {
  const packages = program.command('package').summary('withdraw a published version, or take that back').description('Withdraw a published version although its source has it, or take that back.');
  packages.showHelpAfterError('Run `libretto package --help` to see the commands.');
  packages.addHelpText('after', example('libretto package withdraw acme/hello 1.2.0', 'libretto package restore acme/hello 1.2.0'));
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
}
