// The command that takes over another registry, and its flags.

import type { Command } from 'commander';

import { example, withSettings, type Wire } from '../commands/command-parts.ts';
import { withCredentials } from './repositories.ts';

export function addAdopt(program: Command, wire: Wire): void {
  const adopt = withCredentials(withSettings(program.command('adopt'), 'data', 'output', 'state', 'jobs'))
    .argument('<url>', 'the address of a Composer repository: of Satis, Packeton, GitLab, Nexus, Artifactory, …')
    .summary('take over the packages of another registry')
    .description(
      'Take over the packages of another Composer registry. Archives stay byte for byte, with their references, ' +
        'checksums and dates, so that lock files stay valid. A run that was interrupted goes on where it ended. ' +
        'Versions that are published here never change.',
    )
    .option('--plan', 'show what would be taken over, and what cannot be; only metadata is fetched')
    .option('--continue', 'take over what is new there since the last run, and report what differs')
    .option('--only <name...>', 'only these packages (* matches any characters)')
    .option('--register-sources', 'register the git repositories of the packages, where they can be read from here')
    .option('--as <name>', 'a fixed name for that registry here (default: its host and path)')
    .option('--auth-json <file>', 'an auth.json of Composer, for all hosts (default: COMPOSER_AUTH)')
    .option('--json', 'print the report as JSON')
    .addHelpText(
      'after',
      example(
        'libretto adopt https://satis.example.org --plan',
        'libretto adopt https://satis.example.org --username deploy --password-file - < password.txt',
        'libretto adopt https://satis.example.org --continue',
      ),
    );
  wire(adopt, () => import('../commands/adopt/adopt.ts'));
}
