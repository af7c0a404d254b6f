// The commands that show and undo publications.

import { childOption, declaring, declaringGroup, onBehalfOption, type Declarations } from './declare.ts';

const historyCommands = {
  list: {
    summary: 'list the recorded publications',
    description:
      'List the recorded publications, newest first: time, author, and the number of added, changed and ' +
      'removed versions.',
    settings: ['data'],
    options: { '--json': 'print the records as one JSON document' },
    examples: ['libretto history list', 'libretto history list --json'],
    isDefault: true,
    load: () => import('../commands/history/history.ts'),
  },
  diff: {
    operands: {
      '<serial>': 'the number of a publication in `libretto history list`',
      '[serial]': 'the number of a second publication (default: the current one)',
    },
    summary: 'show what changed between two publications',
    description: 'Show every version that was added, changed or removed between two publications.',
    settings: ['data'],
    options: { '--json': 'print one JSON document' },
    examples: ['libretto history diff 41', 'libretto history diff 38 41 --json'],
    load: () => import('../commands/history/diff.ts'),
  },
} satisfies Declarations;

export const addHistory = declaringGroup('history', historyCommands, {
  summary: 'list the recorded publications, and compare two of them',
  description: 'List the recorded publications, and show what changed between two of them.',
  examples: ['libretto history', 'libretto history diff 41', 'libretto history diff 38 41'],
});

export const addRollback = declaring({
  rollback: {
    operands: { '[serial]': 'the number of the publication to restore' },
    summary: 'publish earlier metadata again',
    description:
      'Publish the metadata of an earlier publication again, as a new publication. Later builds keep the ' +
      'rolled-back versions until their source has different content. ' +
      'To undo the rollback, roll back to the publication before it.',
    settings: ['data', 'state', 'keep'],
    options: {
      '--dry-run': 'show the changes without publishing',
      '--lift':
        'instead of a serial: end all rollbacks, so that the next build publishes the current content of the sources',
      ...childOption,
      ...onBehalfOption,
      '--json': 'print one JSON document',
    },
    examples: ['libretto rollback 41 --dry-run', 'libretto rollback 41', 'libretto rollback --lift'],
    load: () => import('../commands/history/rollback.ts'),
  },
});
