// The commands that list packages, withdraw and restore published versions, purge them, and show downloads.

import { purgeReasons } from '../../build/contract/purged.ts';
import { childOption, declaringGroup, onBehalfOption, remoteOptions, type Declarations } from './declare.ts';

const commands = {
  list: {
    operands: { '[pattern...]': 'a name such as acme/hello; * matches any characters' },
    summary: 'list the published packages',
    description:
      'List the published packages: the newest version, the number of versions, the type, and whether the package is ' +
      'abandoned. With --url, the list has the packages and versions that the token may see. With --purged, it lists the purged versions instead.',
    settings: ['data', 'state'],
    options: {
      ...remoteOptions,
      '--purged': 'list the purged versions, which are never published again',
      '--json': 'print one JSON document',
    },
    examples: [
      'libretto package list',
      'libretto package list "acme/*"',
      'libretto package list --purged --json > purged.json',
      'LIBRETTO_TOKEN=lib_r_… libretto package list --url https://packages.example.org --json',
    ],
    load: () => import('../commands/package/list.ts'),
  },
  withdraw: {
    operands: { '<package>': 'vendor/name', '<version>': 'the published version' },
    summary: 'withdraw a published version',
    description:
      'Withdraw a version: the registry no longer offers it, even if its source still has it. Its archive ' +
      'stays, so existing lock files still install it, unless the policy blocks it.',
    settings: ['jobs'],
    options: {
      ...childOption,
      ...onBehalfOption,
    },
    registry: 'session',
    examples: ['libretto package withdraw acme/hello 1.2.0'],
    load: () => import('../commands/package/withdraw.ts'),
  },
  restore: {
    operands: { '<package>': 'vendor/name', '<version>': 'the withdrawn version' },
    summary: 'publish a withdrawn version again',
    description: 'Publish a manually withdrawn version again, with the current content of its source.',
    settings: ['data', 'state', 'jobs'],
    options: {
      ...childOption,
      ...onBehalfOption,
      '--json': 'print the report of the build as JSON',
    },
    examples: ['libretto package restore acme/hello 1.2.0'],
    load: () => import('../commands/package/restore.ts'),
  },
  purge: {
    operands: { '<package>': 'vendor/name', '<version>': 'the version to purge' },
    summary: 'remove a version permanently: archive, records, history',
    description:
      'Remove a version permanently, with every copy of its bytes on this registry: archives, metadata, README ' +
      'and CHANGELOG, history, uploads, caches, mirror copies. Its version number and its bytes are never ' +
      'published again. For a dev version, only its contents are blocked: the branch can publish new content. ' +
      'At a terminal, the command asks for a typed confirmation. Clients see the reason.',
    settings: ['data', 'state', 'jobs'],
    options: {
      '--reason <reason>': { text: `the reason that clients see: ${purgeReasons.join(', ')}`, required: true },
      '--note <text>': 'an explanation for admins and the audit log',
      '--reference <reference>': 'for a dev version: purge only this content (default: all contents it ever had)',
      '--dry-run': 'show what would be removed, without removing it',
      '--yes': 'do not ask for confirmation',
      ...childOption,
      ...onBehalfOption,
      '--json': 'print one JSON document',
    },
    examples: [
      'libretto package purge acme/hello 1.2.0 --reason secret --dry-run',
      'libretto package purge acme/hello 1.2.0 --reason secret --note "a key in config/prod.php" --yes',
    ],
    load: () => import('../commands/package/purge.ts'),
  },
  'recover-purged': {
    operands: { '[file]': 'output of `libretto package list --purged --json`, or a data folder with such a list' },
    summary: 'rebuild a damaged or lost list of purged versions',
    description:
      'Rebuild the list of purged versions from its readable parts, from FILE, from the announcement file, from ' +
      'history, and from the purges and withdrawals in the state. Rows of an edited list that no other place ' +
      'confirms are dropped and printed.',
    settings: ['data', 'state', 'jobs'],
    options: {
      '--dry-run': 'show what the recovery would add and purge, without changing anything',
      '--yes': 'purge versions of this registry that the added tombstones name',
      '--json': 'print one JSON document',
    },
    examples: ['libretto package recover-purged purged.json --dry-run', 'libretto package recover-purged purged.json'],
    load: () => import('../commands/package/recover-purged.ts'),
  },
  statistics: {
    operands: { '<package>': 'vendor/name' },
    summary: 'show the downloads and installs of a package',
    description:
      'Show the downloads and installs of a package by version. Downloads are archives that the server sent. ' +
      'Installs are reported by Composer after an install or update, including archives from its own cache.',
    options: { '--days <n>': { text: 'the number of days, 1 to 3650', default: '30' } },
    registry: 'reads',
    examples: ['libretto package statistics acme/hello --days 7'],
    load: () => import('../commands/package/statistics.ts'),
  },
} satisfies Declarations;

export const addPackages = declaringGroup('package', commands, {
  summary: 'list packages, withdraw or purge versions, and show usage',
  description:
    'List the published packages. Withdraw a published version that its source still has, or publish it again. Purge a version ' +
    'permanently. Show how much a package is used.',
  examples: [
    'libretto package list',
    'libretto package withdraw acme/hello 1.2.0',
    'libretto package restore acme/hello 1.2.0',
    'libretto package purge acme/hello 1.2.0 --reason secret',
    'libretto package statistics acme/hello',
  ],
});
