// The commands that show and undo publications.

import type { Command } from 'commander';

import { addGroup, childOption, example, onBehalfOption, withSettings, type Wire } from '../commands/command-parts.ts';

export function addHistory(program: Command, wire: Wire): void {
  const history = addGroup(program, 'history', {
    summary: 'list the recorded publications, and compare two of them',
    description: 'List the recorded publications, and show what changed between two of them.',
    examples: ['libretto history', 'libretto history diff 41', 'libretto history diff 38 41'],
  });
  const list = withSettings(history.command('list', { isDefault: true }), 'data')
    .summary('list the recorded publications')
    .description(
      'List the recorded publications, newest first: time, author, and the number of added, changed and ' +
        'removed versions.',
    )
    .option('--json', 'print the records as one JSON document')
    .addHelpText('after', example('libretto history list', 'libretto history list --json'));
  wire(list, () => import('../commands/history/history.ts'));
  const diff = withSettings(history.command('diff'), 'data')
    .argument('<serial>', 'the number of a publication in `libretto history list`')
    .argument('[serial]', 'the number of a second publication (default: the current one)')
    .summary('show what changed between two publications')
    .description('Show every version that was added, changed or removed between two publications.')
    .option('--json', 'print one JSON document')
    .addHelpText('after', example('libretto history diff 41', 'libretto history diff 38 41 --json'));
  wire(diff, () => import('../commands/history/diff.ts'));
}

export function addRollback(program: Command, wire: Wire): void {
  const rollback = withSettings(program.command('rollback'), 'data', 'state', 'keep')
    .argument('[serial]', 'the number of the publication to restore')
    .summary('publish earlier metadata again')
    .description(
      'Publish the metadata of an earlier publication again, as a new publication. Later builds keep the ' +
        'rolled-back versions until their source has different content. ' +
        'To undo the rollback, roll back to the publication before it.',
    )
    .option('--dry-run', 'show the changes without publishing')
    .option(
      '--lift',
      'instead of a serial: end all rollbacks, so that the next build publishes the current content of the sources',
    )
    .addOption(childOption())
    .addOption(onBehalfOption())
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      example('libretto rollback 41 --dry-run', 'libretto rollback 41', 'libretto rollback --lift'),
    );
  wire(rollback, () => import('../commands/history/rollback.ts'));
}
