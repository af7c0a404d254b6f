// What a CI system needs to install with a token: the token in a secret variable, and a job that gives it to Composer.
// Pure.

import { authArguments } from '../../../../build/shared/text/install-lines.ts';

export interface Snippet {
  readonly system: string;
  /** where to store the secret */
  readonly sentence: string;
  readonly text: string;
}

/** `host`: of the registry, with its port. */
export function ciSnippets(host: string): readonly Snippet[] {
  const auth = `composer config --global ${authArguments(host, '"$LIBRETTO_TOKEN"')}`;
  const install = 'composer install --no-interaction';
  return [
    {
      system: 'GitHub Actions',
      sentence: 'Store the secret under Settings, Secrets and variables, Actions, as LIBRETTO_TOKEN.',
      text: lines(
        '- run: |',
        `    ${auth}`,
        `    ${install}`,
        '  env:',
        '    LIBRETTO_TOKEN: ${{ secrets.LIBRETTO_TOKEN }}',
      ),
    },
    {
      system: 'GitLab CI',
      sentence: 'Store the secret under Settings, CI/CD, Variables, as LIBRETTO_TOKEN, masked.',
      text: lines('install:', '  image: composer:2', '  script:', `    - ${auth}`, `    - ${install}`),
    },
    {
      system: 'Bitbucket Pipelines',
      sentence: 'Store the secret under Repository settings, Repository variables, as LIBRETTO_TOKEN, secured.',
      text: lines(
        'pipelines:',
        '  default:',
        '    - step:',
        '        image: composer:2',
        '        script:',
        `          - ${auth}`,
        `          - ${install}`,
      ),
    },
    {
      system: 'Any other system',
      sentence: 'Store the secret in a variable that the job sees and its log hides: LIBRETTO_TOKEN.',
      text: lines(auth, install),
    },
  ];
}

function lines(...all: readonly string[]): string {
  return all.join('\n');
}
