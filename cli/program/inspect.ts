// The commands that check and explain published packages, and the command that removes unused archives.

import { declaring } from './declare.ts';

export const addTrust = declaring({
  verify: {
    summary: 'check that the output tree is complete and intact',
    description:
      'Read the output tree again and check that every file it names exists with the right bytes. Every object of a ' +
      'store is read, too.',
    settings: ['data', 'output'],
    options: {
      '--fast': 'check only the existence and size of archives, READMEs, CHANGELOGs, and objects of a store',
      '--json': 'print the report as JSON',
    },
    examples: ['libretto verify --data /srv/libretto', 'libretto verify --fast'],
    load: () => import('../commands/inspect/verify.ts'),
  },
  why: {
    operands: { '<package>': 'vendor/name', '[version]': 'one version, published or not' },
    summary: 'explain which versions of a package are published, and why',
    description:
      'Show which versions of a package are published, from which source and since when; or explain why a ' +
      'version is not published. The exit code is 1 if it is neither published nor offered from another registry.',
    settings: ['data', 'state'],
    options: { '--json': 'print the answer as JSON' },
    examples: ['libretto why acme/hello', 'libretto why acme/hello 1.2.0'],
    load: () => import('../commands/inspect/why.ts'),
  },
  usage: {
    operands: { '<package>': 'vendor/name', '[constraint]': "only versions that satisfy it, in Composer's syntax" },
    summary: 'list the tokens that use a package',
    description:
      'List the tokens that downloaded or installed each version of a package. They are counted if the setting ' +
      'statistics.by is token.',
    options: {
      '--since <day>': 'only uses on this day in UTC or later',
      '--csv': 'print a CSV file',
    },
    registry: 'reads',
    examples: ['libretto usage acme/hello', 'libretto usage acme/hello "1.2.*" --since 2026-11-01'],
    load: () => import('../commands/usage/usage.ts'),
  },
  tell: {
    operands: {
      '<package>': 'vendor/name',
      '[constraint]': "only users of versions that satisfy it, in Composer's syntax",
    },
    summary: 'write to the owners of tokens that use a package',
    description: 'Send a mail to the people whose tokens and projects use a package.',
    options: {
      '--subject <text>': { text: 'the subject of the mail', required: true },
      '--text <text>': { text: 'its text; an empty line separates paragraphs', required: true },
      '--yes': 'send the mail; without it the command shows the mail',
    },
    registry: 'session',
    examples: ['libretto tell acme/hello "1.2.*" --subject "1.2 ends" --text "Please update to 1.3."'],
    load: () => import('../commands/usage/tell.ts'),
  },
  report: {
    operands: { '[lock]': 'a composer.lock file' },
    summary: 'report what a project runs',
    description: 'Report which versions of this registry a project runs, in place of its last report.',
    options: {
      '--project <name>': { text: 'the name of the project', required: true },
      '--remove': 'remove the project instead',
    },
    registry: 'changes',
    examples: ['libretto report composer.lock --project acme/shop', 'libretto report --remove --project acme/shop'],
    load: () => import('../commands/usage/report.ts'),
  },
  impact: {
    operands: { '<lock...>': 'composer.lock files' },
    summary: 'list locked packages that differ from their lock file',
    description:
      'Compare lock files with the published packages, and list packages that are missing, withdrawn or have ' +
      'other bytes now. The exit code is 1 if there are any. Packages that this registry does not know count ' +
      'as packages of other registries.',
    settings: ['data'],
    options: {
      '--url <url>':
        'the address of this registry: packages with a dist address there count as its own, also if unknown (LIBRETTO_URL)',
      '--json': 'print the report as JSON',
    },
    examples: [
      'libretto impact composer.lock',
      'libretto impact --url https://packages.example.org shop/composer.lock blog/composer.lock',
    ],
    load: () => import('../commands/inspect/impact.ts'),
  },
  prune: {
    summary: 'remove archives that are no longer referenced',
    description:
      'Remove the archives of withdrawn or replaced versions. An archive stays while a document or a recorded ' +
      'publication names it, and for the time of --keep-for, because lock files may name it.',
    settings: ['data', 'output'],
    options: {
      '--keep-for <span>': {
        text: 'the minimum time that an archive stays after it was last published: 180d, 4w or 12h',
        default: '180d',
      },
      '--dry-run': 'show what would be removed, without removing it',
      '--json': 'print the report as JSON',
    },
    examples: ['libretto prune --dry-run', 'libretto prune --keep-for 365d'],
    load: () => import('../commands/build/prune.ts'),
  },
});
