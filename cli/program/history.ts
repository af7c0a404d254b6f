// The commands that look at what was published, and take it back.

import type { Command } from 'commander';

import { example, withSettings, type Wire } from './command-parts.ts';

export function addHistory(program: Command, wire: Wire): void {
  const history = withSettings(program.command('history'), 'data')
    .summary('list what was published when')
    .description(
      'List the publications that are recorded, the newest first: when, by whom, and how many versions came, changed and went.',
    )
    .option('--json', 'print the records as one JSON document')
    .addHelpText('after', example('libretto history', 'libretto history --json'));
  wire(history, () => import('../commands/history/history.ts'));
  const diff = withSettings(program.command('diff'), 'data')
    .argument('<serial>', 'the number of a publication, as `libretto history` shows it')
    .argument('[serial]', 'another one (default: the present one)')
    .summary('show what changed between two publications')
    .description('Show every version that came, changed or went between two publications.')
    .option('--json', 'print one JSON document')
    .addHelpText('after', example('libretto diff 41', 'libretto diff 38 41 --json'));
  wire(diff, () => import('../commands/history/diff.ts'));
  const rollback = withSettings(program.command('rollback'), 'data', 'state', 'keep')
    .argument('[serial]', 'the number of the publication to go back to')
    .summary('publish earlier metadata again')
    .description(
      'Publish the metadata of an earlier publication again, as a new one. Builds leave what it took back alone until its source has another content for ' +
        'the version. To take the rollback itself back, roll back to the publication before it.',
    )
    .option('--dry-run', 'publish nothing: show what would change')
    .option(
      '--lift',
      'in place of a serial: let the next build publish what sources have, whatever rollbacks took back',
    )
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      example('libretto rollback 41 --dry-run', 'libretto rollback 41', 'libretto rollback --lift'),
    );
  wire(rollback, () => import('../commands/history/rollback.ts'));
}
