// `libretto ci`: what a CI job does beside publishing.

import { declaringGroup, type Declarations } from './declare.ts';

const commands = {
  login: {
    summary: 'give Composer a token for some minutes',
    description:
      'Exchange the ID token of this CI job for a token that reads, and give it to Composer. On GitHub and Forgejo, the ' +
      'next steps get it in COMPOSER_AUTH, and logs hide it. Elsewhere it goes into auth.json.',
    options: {
      '--url <url>': 'the address of the registry (LIBRETTO_URL)',
      '--publisher <publisher-id>': 'the trusted publisher, if several accept this job',
      '--composer-home <directory>': 'the folder of auth.json (default: COMPOSER_HOME, if GITHUB_ENV is not set)',
      '--print': 'print a line for `eval`, with the token',
      '--insecure-http': 'send the token without TLS to an http:// address of another machine',
    },
    examples: [
      'libretto ci login --url https://packages.example.org',
      'libretto ci login --url https://packages.example.org --composer-home .composer',
      'eval "$(libretto ci login --url https://packages.example.org --print)"',
    ],
    load: () => import('../commands/ci/login.ts'),
  },
  logout: {
    summary: 'end the token of this job, and take it from Composer',
    description:
      'End the token that `ci login` gave to Composer, and remove it from COMPOSER_AUTH of the next steps and from ' +
      'auth.json. Other credentials stay. The exit code is 0 too if there is no token, so the last step of a job can ' +
      'always run it.',
    options: {
      '--url <url>': 'the address of the registry (LIBRETTO_URL)',
      '--composer-home <directory>': 'the folder of auth.json (default: COMPOSER_HOME)',
      '--insecure-http': 'send the token without TLS to an http:// address of another machine',
    },
    examples: [
      'libretto ci logout --url https://packages.example.org',
      'libretto ci logout --url https://packages.example.org --composer-home .composer',
    ],
    load: () => import('../commands/ci/logout.ts'),
  },
} satisfies Declarations;

export const addCi = declaringGroup('ci', commands, {
  summary: 'let Composer read in a CI job, without a stored secret',
  description: 'Let Composer read in a CI job, without a stored secret.',
  examples: [
    'libretto ci login --url https://packages.example.org',
    'libretto ci logout --url https://packages.example.org',
  ],
});
