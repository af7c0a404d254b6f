// The commands about the stored packages of other registries.

import { declaringGroup, type Declarations } from './declare.ts';

const commands = {
  warm: {
    operands: { '<lock...>': 'composer.lock files' },
    summary: 'fetch the packages in lock files in advance',
    description:
      'Fetch the missing documents and archives of every mirrored package in these lock files. Afterwards an ' +
      'install needs no other registry.',
    registry: 'state',
    examples: ['libretto mirror warm app/composer.lock shop/composer.lock'],
    load: () => import('../commands/mirror/warm.ts'),
  },
  refresh: {
    operands: { '[package]': 'vendor/name: its documents are requested now' },
    summary: 'request lists of names and missing packages anew',
    description:
      'Servers forget which packages other registries did not have, and request their lists of names anew. It works ' +
      'beside running servers. With a package, its documents are requested too; the exit code is 1 if no registry has it.',
    registry: 'state',
    examples: ['libretto mirror refresh vendor/name'],
    load: () => import('../commands/mirror/refresh.ts'),
  },
  list: {
    summary: 'list the stored archives',
    description: 'List the stored archives of other registries, and the origin of each archive.',
    registry: 'state',
    examples: ['libretto mirror list --json'],
    load: () => import('../commands/mirror/list.ts'),
  },
  verify: {
    summary: 'check the stored archives',
    description:
      'Read every stored archive of other registries, and compare it with the checksum recorded when it was accepted. ' +
      'Versions without a ZIP archive are named, because they are not mirrored.',
    registry: 'state',
    examples: ['libretto mirror verify'],
    load: () => import('../commands/mirror/verify.ts'),
  },
  prune: {
    summary: 'remove leftovers and unused documents',
    description:
      'Remove the leftovers of killed processes, and documents that were not requested for a while. Accepted ' +
      'archives stay, because lock files name them.',
    options: {
      '--keep-for <span>': { text: 'how long an unrequested document is kept: 12h, 90d, 4w', default: '90d' },
      '--dry-run': 'show what would be removed, without removing it',
    },
    registry: 'state',
    examples: ['libretto mirror prune --dry-run'],
    load: () => import('../commands/mirror/prune.ts'),
  },
} satisfies Declarations;

export const addMirror = declaringGroup('mirror', commands, {
  summary: 'fetch packages of other registries, and manage stored copies',
  description:
    'Fetch packages of other registries in advance, and manage the stored copies. The settings select the ' +
    'mirrored packages: `libretto settings list`.',
  examples: ['libretto settings set mirroring.enabled true', 'libretto mirror warm composer.lock'],
});
