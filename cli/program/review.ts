// The command that reviews what an update brings.

import type { Command } from 'commander';

import { example, orRemote, withSettings, type Wire } from '../commands/command-parts.ts';

export function addReview(program: Command, wire: Wire): void {
  const review = orRemote(withSettings(program.command('review'), 'data', 'state'))
    .argument('<old>', 'the composer.lock before; - for standard input')
    .argument('<new>', 'the composer.lock after it; - for standard input')
    .requiredOption('--lock', 'compare two composer.lock files')
    .option('--json', 'print the review as JSON')
    .option('--sarif', 'print the findings as SARIF 2.1.0')
    .option('--markdown', 'print the text of a comment for a merge request')
    .option('--comment', "in a CI job: make or renew one comment on the job's merge request")
    .option('--fail-on <kind>', 'exit with 1 for a package that is remarkable, held, or has a new advisory')
    .summary('review what an update of composer.lock brings')
    .description(
      'Compare two lock files, and show which packages changed and what the new versions can do that the old ones ' +
        'could not. A registry is not required. A data folder or a remote registry adds advisories, malware and what ' +
        'its policy holds. --fail-on takes remarkable, held or advisory; malware fails with each.',
    )
    .addHelpText(
      'after',
      example(
        'libretto review --lock old.lock composer.lock',
        'git show main:composer.lock | libretto review --lock - composer.lock --fail-on remarkable',
        'libretto review --lock old.lock composer.lock --sarif > review.sarif',
        'libretto review --lock old.lock composer.lock --comment',
      ),
    );
  wire(review, () => import('../commands/review/review.ts'));
}
