// The command that reviews what releases can newly do.

import type { Command } from 'commander';

import { example, type Wire } from '../commands/command-parts.ts';

export function addReview(program: Command, wire: Wire): void {
  const review = program
    .command('review')
    .argument('<path...>', 'with --archives: two ZIPs, the old one first; with --git: folders of git repositories')
    .option('--archives', 'compare the archives of two releases: composer.json, files and code')
    .option('--git', 'count how many releases of git repositories could newly run code')
    .option('--json', 'print the review as JSON')
    .summary('review what releases can newly do')
    .description(
      'Show what a release can do that the release before could not. The command reads archives and repositories, ' +
        'and runs nothing of them.',
    )
    .addHelpText(
      'after',
      example('libretto review --archives tool-1.0.0.zip tool-1.0.1.zip', 'libretto review --git ~/src/tool'),
    );
  wire(review, () => import('../commands/review/review.ts'));
}
