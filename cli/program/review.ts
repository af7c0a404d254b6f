// The command that reviews what updates and releases can newly do.

import { declaring, remoteOptions } from './declare.ts';

export const addReview = declaring({
  review: {
    operands: {
      '<path...>':
        'with --lock or --archives: two files, the old one first, - for standard input; with --git: folders of git ' +
        'repositories',
    },
    summary: 'review what an update or a release can newly do',
    description:
      'Show what new versions can do that the old ones could not: of two lock files, two archives, or the releases of ' +
      'git repositories. Nothing of a package is run. For lock files, a data folder or a remote registry adds ' +
      'advisories, malware and what its policy holds. --fail-on takes remarkable, held or advisory; malware fails ' +
      'with each.',
    settings: ['data', 'state'],
    options: {
      ...remoteOptions,
      '--lock': 'compare two composer.lock files',
      '--archives': 'compare the archives of two releases: composer.json, files and code',
      '--git': 'count how many releases of git repositories could newly run code',
      '--json': 'print the review as JSON',
      '--sarif': 'with --lock: print the findings as SARIF 2.1.0',
      '--markdown': 'with --lock: print the text of a comment for a merge request',
      '--comment': "with --lock, in a CI job: make or renew one comment on the job's merge request",
      '--fail-on <kind>': 'with --lock: exit with 3 for a package that is remarkable, held, or has a new advisory',
    },
    examples: [
      'libretto review --lock old.lock composer.lock',
      'git show main:composer.lock | libretto review --lock - composer.lock --fail-on remarkable',
      'libretto review --lock old.lock composer.lock --sarif > review.sarif',
      'libretto review --lock old.lock composer.lock --comment',
      'libretto review --archives tool-1.0.0.zip tool-1.0.1.zip',
      'libretto review --git ~/src/tool',
    ],
    load: () => import('../commands/review/review.ts'),
  },
});
