// `libretto team`: the commands about teams.

import { RegistryError } from '../../../build/contract/errors.ts';
import { createAuditedStore } from '../../../proxy/state/audit.ts';
import {
  addTeamMembers,
  createTeam,
  deleteTeam,
  getTeam,
  listTeams,
  removalOf,
  removeTeamMember,
  updateTeam,
  type TeamDocument,
  type TeamServices,
} from '../../../proxy/teams/operations.ts';
import { createTeams } from '../../../proxy/teams/teams.ts';
import { printLines, printWarnings, formatFields, formatTable } from '../../io/output.ts';
import { UsageError } from '../../io/usage-error.ts';
import { operationCommand, type Noun, type OperationCommand } from '../operation-command.ts';

/** The text of teams on the command line. Pure. */
function describeTeams(teams: readonly TeamDocument[]): string[] {
  const rows = teams.map(({ id, name, packages, members }) => [
    id,
    String(members.length),
    name,
    packages.length > 3 ? `${packages.slice(0, 3).join(', ')} and ${packages.length - 3} more` : packages.join(', '),
  ]);
  return formatTable(['ID', 'MEMBERS', 'NAME', 'PACKAGES'], rows);
}

function describeTeam({ id, name, packages, members, created_at, created_by }: TeamDocument): string[] {
  return formatFields([
    ['id', id],
    ['name', name],
    ['packages', packages.join(', ')],
    ['members', members.length === 0 ? 'none' : members.map((member) => member.email ?? member.id).join(', ')],
    ['made', `${created_at.replace(/\.\d+Z$/, 'Z')} by ${created_by}`],
  ]);
}

/** Said where teams begin or end. */
const tokensStay =
  'Tokens that people made for others still see what they saw, and maintainers in a team without `*` cannot revoke theirs. ' +
  '`libretto token list` shows what each one sees, and `libretto token show ID` who made it.';

type TeamCommand = OperationCommand<TeamServices>;

const noun: Noun<TeamServices> = {
  name: 'team',
  flags: { name: 'the name', packages: '--package', members: '--member' },
  compose: ({ state }, context) => {
    const now = (): number => context.now().getTime();
    const store = createAuditedStore({ store: state, now });
    const { randomBytes } = context;
    return { services: { state, teamsOf: (actor) => createTeams({ store, now, randomBytes, actor }) } };
  },
};

export const list = operationCommand(noun, async ({ all, json, context, print }) => {
  const teams = await all(listTeams);
  if (teams.length === 0 && !json)
    printLines(context.remarks, ['There is no team. `libretto team create --help` shows how to make one.']);
  else print({ teams }, () => describeTeams(teams));
});

export const show = operationCommand(noun, async (command) => command.print(await named(command), describeTeam));

export const create = operationCommand(
  noun,
  async ({ flags, operands: [name = ''], call, report, context }) => {
    const { package: packages = [], member: members = [] } = flags as Readonly<Record<string, readonly string[]>>;
    if (packages.length === 0)
      throw new UsageError('A team needs packages: add --package, such as --package "acme/*". `*` means all packages.');
    const team = await call(createTeam, { name, packages, members });
    report(team, describeTeam);
    if (team.changed_people_packages)
      printWarnings(context.stderr, [
        'This is the first team, so the setting people.packages is now `teams`: people without a team see no packages, ' +
          'except admins. To let them see all packages again, run `libretto settings set people.packages all`.',
        tokensStay,
      ]);
  },
  { makes: true },
);

export const update = operationCommand(
  noun,
  async (command) => {
    const { name, package: packages } = command.flags as { readonly name?: string; readonly package?: string[] };
    if (name === undefined && packages === undefined)
      throw new UsageError('Nothing to change was given: --name or --package.');
    const { id } = await named(command);
    command.report(await command.call(updateTeam, { id, name, packages }), describeTeam);
  },
  { changes: true },
);

export const remove = operationCommand(
  noun,
  async (command) => {
    const team = await named(command);
    const { id, name } = team;
    command.confirm(`remove the team ${id} (${name})`, `${removalOf(team)} ${tokensStay}`);
    command.report(await command.call(deleteTeam, { id }), () => [`Removed the team ${id} (${name}).`, tokensStay]);
  },
  { changes: true },
);

export const addMember = operationCommand(
  noun,
  async (command) => {
    const { id } = await named(command);
    command.report(await command.call(addTeamMembers, { id, members: command.operands.slice(1) }), describeTeam);
  },
  { changes: true },
);

export const removeMember = operationCommand(
  noun,
  async (command) => {
    let team = await named(command);
    const members = membersOf(team, command.operands.slice(1));
    if (members.length > 1 && command.config === undefined)
      throw new UsageError('Name one person at a time: the console of a remote registry confirms each removal.');
    for (const user of members) team = await command.call(removeTeamMember, { id: team.id, user });
    command.report(team, describeTeam);
  },
  { changes: true },
);

/** The ids of these members, by id or e-mail address. Throws UsageError for one who is in the team no more. */
function membersOf({ name, members }: TeamDocument, people: readonly string[]): readonly string[] {
  return people.map((text) => {
    const wanted = text.trim();
    const found = members.find(({ id, email }) => id === wanted || email?.toLowerCase() === wanted.toLowerCase());
    if (found !== undefined) return found.id;
    throw new UsageError(`${JSON.stringify(text)} is not in the team ${name}. Nobody was removed.`);
  });
}

/** The team that the first operand names, by id or name. Throws NOT_FOUND. */
async function named({
  operands: [text = ''],
  call,
  all,
}: Pick<TeamCommand, 'operands' | 'call' | 'all'>): Promise<TeamDocument> {
  if (text.startsWith('tea_')) return call(getTeam, { id: text });
  const found = (await all(listTeams)).find(({ name }) => name.toLowerCase() === text.trim().toLowerCase());
  if (found !== undefined) return found;
  throw new RegistryError('NOT_FOUND', { message: `There is no team ${JSON.stringify(text.slice(0, 100))}.` });
}
