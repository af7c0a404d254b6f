// The commands that publish packages of this machine, and that convert the configuration of another tool.

import { declaring, declaringGroup, type Declarations } from './declare.ts';

export const addPublishing = declaring({
  build: {
    operands: {
      '[source...]':
        'a folder, a git repository or its URL; a prefix git:, dir: or artifact: (a folder of ZIPs and tars) sets the ' +
        'type of an ambiguous source',
    },
    summary: 'publish packages from directories and git repositories',
    description:
      'Publish packages from directories and git repositories. The data folder records the sources. Without ' +
      'SOURCE, the command builds the recorded sources ' +
      'and the sources in libretto.json; without any of these, packages-src. A source is read on this machine; ' +
      'a repository of `libretto repository add` is fetched by the server, at each push or at an interval.',
    settings: ['data', 'output', 'state', 'jobs', 'keep', 'site'],
    options: {
      '--only <name...>': 'build only these packages (* matches any characters); others stay as published',
      '--subdirectory <pattern>': {
        text: 'folders of a git SOURCE that are packages: packages/* (repeatable)',
        repeatable: true,
      },
      '--forget <source>': {
        text: 'withdraw the packages of this source, and remove the source (repeatable)',
        repeatable: true,
      },
      '--relocate <old=new>': {
        text: 'read the sources at or below the path OLD below NEW from now on (repeatable)',
        repeatable: true,
      },
      '--strict': 'publish nothing if any package or version has to be left out',
      '--allow-republish': 'allow released versions to change their content',
      '--allow-withdraw': 'allow packages to lose their last version, and many packages to lose a release',
      '--json': 'print the report as JSON',
    },
    examples: [
      'libretto build ./packages https://git.example.org/acme/tool.git',
      'libretto build --only acme/hello',
      "libretto build https://git.example.org/acme/mono.git --subdirectory 'packages/*'",
      'libretto build --forget ./packages',
      'libretto build --relocate /srv/packages=/data/packages',
    ],
    load: () => import('../commands/build/build.ts'),
  },
});

const importsCommands = {
  satis: {
    operands: { '<file>': 'a satis.json' },
    summary: 'convert a satis.json into a libretto.json',
    description:
      'Convert a satis.json into a libretto.json. List every option that cannot be converted, with the reason.',
    options: {
      '--out <file>': {
        text: 'the file to write; - for standard output; an existing file is not replaced',
        default: 'libretto.json',
      },
      '--json': 'print one JSON document with the result for each option',
    },
    examples: ['libretto import satis satis.json', 'libretto import satis satis.json --out -'],
    load: () => import('../commands/satis/import-satis.ts'),
  },
} satisfies Declarations;

export const addImports = declaringGroup('import', importsCommands, {
  summary: 'import the configuration of another tool',
  description: 'Import the configuration of another tool.',
  examples: ['libretto import satis satis.json'],
});
