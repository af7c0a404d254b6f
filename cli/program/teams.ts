// `libretto team`: groups of people with the packages that they see.

import { declaringGroup, type Declarations } from './declare.ts';

const packageText = 'packages of the team: acme/core, acme/*, or * for all (repeatable';

const commands = {
  create: {
    operands: { '<name>': 'the name of the new team' },
    summary: 'make a team',
    description:
      'Make a team. The first team sets people.packages to `teams`: people without a team then see no packages.',
    options: {
      '--package <pattern>': { text: `${packageText})`, repeatable: true },
      '--member <user>': { text: 'a member, by id or email (repeatable)', repeatable: true },
    },
    registry: 'session',
    examples: [
      'libretto team create Shop --package "acme/shop-*" --package acme/core --member ada@example.org',
      'libretto team create Everything --package "*"',
    ],
  },
  list: {
    summary: 'list all teams',
    description: 'List all teams.',
    registry: 'reads',
    examples: ['libretto team list --json'],
  },
  show: {
    operands: { '<team>': 'an id or a name' },
    summary: 'show one team',
    description: 'Show the packages and the members of one team.',
    registry: 'reads',
    examples: ['libretto team show Shop'],
  },
  update: {
    operands: { '<team>': 'an id or a name' },
    summary: 'change the name or the packages of a team',
    description: 'Change a team. Only the given values change. They count with the next request of a member.',
    options: {
      '--name <text>': 'another name',
      '--package <pattern>': { text: `${packageText}; replaces the previous list)`, repeatable: true },
    },
    registry: 'session',
    examples: ['libretto team update Shop --package "acme/shop-*" --package acme/core'],
  },
  remove: {
    operands: { '<team>': 'an id or a name' },
    summary: 'remove a team',
    description: 'Remove a team. Its members lose its packages, and nobody sees more than before.',
    options: { '--yes': 'remove the team' },
    registry: 'session',
    examples: ['libretto team remove Shop --yes'],
  },
  'add-member': {
    operands: { '<team>': 'an id or a name', '<user...>': 'ids or emails' },
    summary: 'add people to a team',
    description: 'Add people to a team. They see its packages with their next request.',
    registry: 'session',
    examples: ['libretto team add-member Shop ada@example.org bob@example.org'],
  },
  'remove-member': {
    operands: { '<team>': 'an id or a name', '<user...>': 'ids or emails' },
    summary: 'remove people from a team',
    description: 'Remove people from a team. They lose its packages with their next request.',
    registry: 'session',
    examples: ['libretto team remove-member Shop bob@example.org'],
  },
} satisfies Declarations;

export const addTeams = declaringGroup('team', commands, {
  summary: 'decide which packages people see',
  description:
    'Decide which packages people see. The members of a team see its packages, in the console, in the API and with ' +
    'their personal tokens. Admins see all packages.',
  examples: [
    'libretto team create Shop --package "acme/shop-*" --member ada@example.org',
    'libretto team add-member Shop bob@example.org',
  ],
  load: () => import('../commands/team/team.ts'),
});
