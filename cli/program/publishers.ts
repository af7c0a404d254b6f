// `libretto publisher`: CI jobs that publish or read without a stored secret.

import { declaringGroup, type Declarations, type Options } from './declare.ts';

const sample = 'pub_4fHj2kLm9QwErTy0';

const rules: Options = {
  '--repository <path>': 'the repository or project of the jobs, such as acme/tool; at CircleCI github.com/acme/tool',
  '--repository-id <id>': 'its id at the forge (default: the first exchange pins it)',
  '--owner-id <id>': 'the id of its owner at the forge (default: the first exchange pins it)',
  '--workflow <name>': 'the workflow file such as release.yml, or its path (default: any)',
  '--workflow-claim <job|caller>':
    'compare the file that runs (job, the default), or the file that was started (caller), which may call others',
  '--environment <name>': 'the environment of the job (default: any, or none)',
  '--refs <tags|protected|tags-or-protected|any>':
    'the refs of the jobs (default: tags-or-protected to publish, any to read)',
  '--claim <name=value>': {
    text: 'one more claim with its exact value (repeatable; replaces the previous list)',
    repeatable: true,
  },
  '--package <pattern[:constraint]>': {
    text:
      'packages to publish or to see: acme/core, acme/*; to read also with versions: acme/core:<3.0 (repeatable; ' +
      'replaces the previous list)',
    repeatable: true,
  },
  '--stability <stability>': 'to read: the minimum stability: stable, RC, beta, alpha or dev',
  '--not-after <time>': 'to read: versions released until then: a day such as 2027-01-31, or a time',
  '--minutes <n>': 'how long a token lives (default and maximum: 15 to publish, 60 to read)',
  '--exchanges <n>': 'the maximum number of exchanges an hour (default: 60)',
  '--name <text>': 'a name for people',
};

const commands = {
  add: {
    summary: 'add a trusted publisher',
    description: 'Add a trusted publisher. Its packages need not exist yet.',
    options: {
      '--issuer <issuer>': {
        text: 'github, gitlab, or the address of an issuer of the setting oidcIssuers; or its kind, if one has this kind',
        required: true,
      },
      '--purpose <publish|read>': {
        text: 'a write token for its packages, or a read token; cannot be changed later',
        default: 'publish',
      },
      ...rules,
    },
    laterSettings: ['publicUrl', 'oidcIssuers'],
    registry: 'session',
    examples: [
      'libretto publisher add --issuer github --repository acme/tool --workflow release.yml --environment release ' +
        '--package acme/tool',
      'libretto publisher add --issuer gitlab --repository acme/shop --purpose read --package "acme/*" --minutes 60',
    ],
  },
  list: {
    summary: 'list all trusted publishers',
    description: 'List all trusted publishers.',
    registry: 'reads',
    examples: ['libretto publisher list --json'],
  },
  show: {
    operands: { '<id>': 'the id of the publisher' },
    summary: 'show one trusted publisher',
    description: 'Show one trusted publisher with its pinned ids and its last exchange.',
    registry: 'reads',
    examples: [`libretto publisher show ${sample}`],
  },
  update: {
    operands: { '<id>': 'the id of the publisher' },
    summary: 'change a trusted publisher',
    description:
      'Change a trusted publisher. Only the given values change; its issuer and its purpose cannot be changed. With ' +
      'another repository, the next exchange pins its ids. The tokens that it gave out are revoked, unless only ' +
      '--name, --minutes or --exchanges are given.',
    options: {
      ...rules,
      '--clear <repository|ids|workflow|environment|claims|packages|stability|not-after>': {
        text: 'remove this rule; after ids, the next exchange pins them anew (repeatable)',
        repeatable: true,
      },
    },
    laterSettings: ['publicUrl', 'oidcIssuers'],
    registry: 'session',
    examples: [
      `libretto publisher update ${sample} --workflow publish.yml --clear environment`,
      `libretto publisher update ${sample} --clear ids`,
    ],
  },
  remove: {
    operands: { '<id>': 'the id of the publisher' },
    summary: 'remove a trusted publisher, and revoke its tokens',
    description: 'Remove a trusted publisher. Its tokens are revoked at once.',
    options: { '--yes': 'remove the publisher' },
    registry: 'session',
    examples: [`libretto publisher remove ${sample} --yes`],
  },
  explain: {
    summary: 'explain what an ID token would get, and why not',
    description:
      'Explain what an ID token would get from each trusted publisher, and which claims do not match. The ID token ' +
      'is not used up, and may be expired. The exit code is 1 if it gets nothing.',
    options: {
      '--token-file <file>': {
        text: 'a file whose first line is the ID token, or - for standard input',
        required: true,
      },
    },
    laterSettings: ['publicUrl', 'oidcIssuers'],
    registry: 'reads',
    examples: [
      'libretto publisher explain --token-file id-token.txt',
      'printenv LIBRETTO_ID_TOKEN | libretto publisher explain --token-file -',
    ],
  },
} satisfies Declarations;

export const addPublishers = declaringGroup('publisher', commands, {
  summary: 'let CI jobs publish and read without a stored secret',
  description:
    'Let CI jobs publish and read without a stored secret. A job exchanges the ID token of its CI system for a ' +
    'token that lives some minutes.',
  examples: [
    'libretto publisher add --issuer github --repository acme/tool --workflow release.yml --package acme/tool',
    'libretto publisher explain --token-file id-token.txt',
  ],
  load: () => import('../commands/publisher/publisher.ts'),
});
