// The command that takes over another registry, and its flags.

import { declaring } from './declare.ts';
import { credentials } from './repositories.ts';

export const addAdopt = declaring({
  adopt: {
    operands: { '<url>': 'the address of a Composer repository: of Satis, Packeton, GitLab, Nexus, Artifactory, …' },
    summary: 'take over the packages of another registry',
    description:
      'Take over the packages of another Composer registry. Archives stay byte for byte, with their references, ' +
      'checksums and dates, so that lock files stay valid. A run that was interrupted goes on where it ended. ' +
      'Versions that are published here never change.',
    settings: ['data', 'output', 'state', 'jobs'],
    options: {
      ...credentials,
      '--plan': 'show what would be taken over, and what cannot be; only metadata is fetched',
      '--continue': 'take over what is new there since the last run, and report what differs',
      '--only <name...>': 'only these packages (* matches any characters)',
      '--register-sources': 'register the git repositories of the packages, where they can be read from here',
      '--as <name>': 'a fixed name for that registry here (default: its host and path)',
      '--auth-json <file>': 'an auth.json of Composer, for all hosts (default: COMPOSER_AUTH)',
      '--json': 'print the report as JSON',
    },
    examples: [
      'libretto adopt https://satis.example.org --plan',
      'libretto adopt https://satis.example.org --username deploy --password-file - < password.txt',
      'libretto adopt https://satis.example.org --continue',
    ],
    load: () => import('../commands/adopt/adopt.ts'),
  },
});
