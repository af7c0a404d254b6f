// The commands that carry packages from one registry to another without a network between them.

import { declaring } from './declare.ts';

export const addBundle = declaring({
  bundle: {
    summary: 'write the packages to one file, for a registry without a network',
    description:
      'Write the published packages, and the stored packages of other registries, to one file. ' +
      '`libretto receive` takes it on another registry, which needs no network for that. The same packages give ' +
      'the same bytes.',
    settings: ['data', 'state'],
    options: {
      '--since <serial>': 'without the archives that this publication had: the other registry has them',
      '--lock <file...>': 'only what these composer.lock files need',
      '--token <id>': 'only what the token with this id sees now',
      '--name <name>': 'the name of this registry on the other one (default: the host of `publicUrl`)',
      '--out <file>': 'a new file, or a folder for it (default: NAME-SERIAL.bundle.tar here); no file is replaced',
      '--json': 'print the result as JSON',
    },
    examples: [
      'libretto bundle --out /media/usb',
      'libretto bundle --since 41 --out /media/usb',
      'libretto bundle --lock app/composer.lock shop/composer.lock',
      'libretto bundle --token tok_9QwErTy04fHj2kLm',
    ],
    load: () => import('../commands/bundle/bundle.ts'),
  },
});

export const addReceiving = declaring({
  receive: {
    operands: { '<tree>': 'a bundle, or a folder with public/ and index/ of a build, copied to this machine' },
    summary: 'publish a tree or a bundle that was made elsewhere',
    description:
      'Publish a tree that was built elsewhere and copied to this machine, or a file that `libretto bundle` made. ' +
      'Everything is checked before anything is published. Versions that are no longer in the tree are withdrawn. ' +
      'Packages of other sources stay as published, and a bundle of lock files or of a token withdraws nothing.',
    settings: ['data', 'state', 'jobs'],
    options: {
      '--as <name>':
        'a fixed name for this tree on this registry (default: the name of its folder; of a bundle, the name in it)',
      '--dry-run': 'show what would be published, without publishing it',
      '--strict': 'publish nothing if any package or version has to be left out',
      '--allow-republish': 'allow released versions to change their content',
      '--allow-withdraw': 'allow packages to lose their last version, and many packages to lose a release',
      '--json': 'print the report as JSON',
    },
    examples: [
      'libretto receive /srv/incoming/shop --dry-run',
      'libretto receive /srv/incoming/shop --as shop',
      'libretto receive /media/usb/packages.example.org-42.bundle.tar',
    ],
    load: () => import('../commands/build/receive.ts'),
  },
});
