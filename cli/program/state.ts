// The commands about the state as a whole: users, tokens, settings and the audit log, in the data folder or in a Redis.

import type { Command } from 'commander';

import { example, withSettings, type Wire } from './command-parts.ts';

export function addState(program: Command, wire: Wire): void {
  const state = program
    .command('state')
    .summary('show the state, or begin an empty one')
    .description('Show where users, tokens, settings and the audit log are kept, or begin again with none of them.');
  state
    .showHelpAfterError('Run `libretto state --help` to see the commands.')
    .addHelpText('after', example('libretto state show', 'libretto state init --force'));
  const show = withSettings(state.command('show'), 'data', 'state')
    .summary('show where the state is, and whether all of it can be read')
    .description(
      'Show where the state is, which one it is, and whether all of it can be read. Exit code 1 where it cannot be used.',
    )
    .option('--json', 'print one JSON document')
    .addHelpText('after', example('libretto state show', 'libretto state show --json'));
  wire(show, () => import('../commands/state/show.ts'));
  const init = withSettings(state.command('init'), 'data', 'state')
    .summary('make an empty state')
    .description(
      'Make an empty state. A data folder belongs to one state. --force gives up one that is lost or damaged; another one that is in its place is then taken over as it is. A state that can be used is never emptied.',
    )
    .option('--force', 'give up the state that this data folder belongs to')
    .option('--json', 'print one JSON document')
    .addHelpText('after', example('libretto state init --data /srv/libretto', 'libretto state init --force'));
  wire(init, () => import('../commands/state/init.ts'));
}
