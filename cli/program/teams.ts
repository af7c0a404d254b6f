// `libretto team`: groups of people with the packages that they see.

import type { Command } from 'commander';

import { addGroup, collect, withRegistry, type Wire } from '../commands/command-parts.ts';

const load = (command: keyof typeof import('../commands/team/team.ts')) => async () =>
  (await import('../commands/team/team.ts'))[command];

export function addTeams(program: Command, wire: Wire): void {
  const team = addGroup(program, 'team', {
    summary: 'decide which packages people see',
    description:
      'Decide which packages people see. The members of a team see its packages, in the console, in the API and with ' +
      'their personal tokens. Admins see all packages.',
    examples: [
      'libretto team create Shop --package "acme/shop-*" --member ada@example.org',
      'libretto team add-member Shop bob@example.org',
    ],
  });
  for (const add of [addCreate, addList, addShow, addUpdate, addRemove, addMembers]) add(team, wire);
}

const packageText = 'packages of the team: acme/core, acme/*, or * for all (repeatable';

function addCreate(team: Command, wire: Wire): void {
  const create = team
    .command('create')
    .argument('<name>', 'the name of the new team')
    .summary('make a team')
    .description(
      'Make a team. The first team sets people.packages to `teams`: people without a team then see no packages.',
    )
    .option('--package <pattern>', `${packageText})`, collect)
    .option('--member <user>', 'a member, by id or email (repeatable)', collect);
  wire(
    withRegistry(
      create,
      'session',
      'libretto team create Shop --package "acme/shop-*" --package acme/core --member ada@example.org',
      'libretto team create Everything --package "*"',
    ),
    load('create'),
  );
}

function addList(team: Command, wire: Wire): void {
  const list = team.command('list').summary('list all teams').description('List all teams.');
  wire(withRegistry(list, 'reads', 'libretto team list --json'), load('list'));
}

function addShow(team: Command, wire: Wire): void {
  const show = team
    .command('show')
    .argument('<team>', 'an id or a name')
    .summary('show one team')
    .description('Show the packages and the members of one team.');
  wire(withRegistry(show, 'reads', 'libretto team show Shop'), load('show'));
}

function addUpdate(team: Command, wire: Wire): void {
  const update = team
    .command('update')
    .argument('<team>', 'an id or a name')
    .summary('change the name or the packages of a team')
    .description('Change a team. Only the given values change. They count with the next request of a member.')
    .option('--name <text>', 'another name')
    .option('--package <pattern>', `${packageText}; replaces the previous list)`, collect);
  wire(
    withRegistry(update, 'session', 'libretto team update Shop --package "acme/shop-*" --package acme/core'),
    load('update'),
  );
}

function addRemove(team: Command, wire: Wire): void {
  const remove = team
    .command('remove')
    .argument('<team>', 'an id or a name')
    .summary('remove a team')
    .description('Remove a team. Its members lose its packages, and nobody sees more than before.')
    .option('--yes', 'remove the team');
  wire(withRegistry(remove, 'session', 'libretto team remove Shop --yes'), load('remove'));
}

function addMembers(team: Command, wire: Wire): void {
  const add = team
    .command('add-member')
    .argument('<team>', 'an id or a name')
    .argument('<user...>', 'ids or emails')
    .summary('add people to a team')
    .description('Add people to a team. They see its packages with their next request.');
  wire(
    withRegistry(add, 'session', 'libretto team add-member Shop ada@example.org bob@example.org'),
    load('addMember'),
  );
  const remove = team
    .command('remove-member')
    .argument('<team>', 'an id or a name')
    .argument('<user...>', 'ids or emails')
    .summary('remove people from a team')
    .description('Remove people from a team. They lose its packages with their next request.');
  wire(withRegistry(remove, 'session', 'libretto team remove-member Shop bob@example.org'), load('removeMember'));
}
