// The commands about the state as a whole: users, tokens, settings and the audit log, in the data folder or in a Redis.

import type { Command } from 'commander';

import { example, withSettings, type Wire } from '../commands/command-parts.ts';

export function addState(program: Command, wire: Wire): void {
  const state = program
    .command('state')
    .summary('show the state, or create an empty one')
    .description('Show where users, tokens, settings and the audit log are stored, or create an empty state.');
  state
    .showHelpAfterError('Run `libretto state --help` to see the commands.')
    .addHelpText('after', example('libretto state show', 'libretto state init --force'));
  const show = withSettings(state.command('show'), 'data', 'state')
    .summary('show where the state is, and whether it is readable')
    .description(
      'Show where the state is, its identity, and whether it is completely readable. The exit code is 1 if the ' +
        'state cannot be used.',
    )
    .option('--json', 'print one JSON document')
    .addHelpText('after', example('libretto state show', 'libretto state show --json'));
  wire(show, () => import('../commands/state/show.ts'));
  const init = withSettings(state.command('init'), 'data', 'state')
    .summary('create an empty state')
    .description(
      'Create an empty state. A data folder belongs to one state. --force gives up a lost or damaged state; if ' +
        'another state is in its place, the data folder then uses that state unchanged. A usable state is never ' +
        'emptied.',
    )
    .option('--force', 'give up the state of this data folder')
    .option('--json', 'print one JSON document')
    .addHelpText('after', example('libretto state init --data /srv/libretto', 'libretto state init --force'));
  wire(init, () => import('../commands/state/init.ts'));
}
