// The text of teams on the command line. Pure.

import type { TeamDocument } from '../../proxy/teams/operations.ts';
import { formatFields, formatTable } from '../io/output.ts';

export function describeTeams(teams: readonly TeamDocument[]): string[] {
  const rows = teams.map(({ id, name, packages, members }) => [
    id,
    String(members.length),
    name,
    packages.length > 3 ? `${packages.slice(0, 3).join(', ')} and ${packages.length - 3} more` : packages.join(', '),
  ]);
  return formatTable(['ID', 'MEMBERS', 'NAME', 'PACKAGES'], rows);
}

export function describeTeam({ id, name, packages, members, created_at, created_by }: TeamDocument): string[] {
  return formatFields([
    ['id', id],
    ['name', name],
    ['packages', packages.join(', ')],
    ['members', members.length === 0 ? 'none' : members.map((member) => member.email ?? member.id).join(', ')],
    ['made', `${created_at.replace(/\.\d+Z$/, 'Z')} by ${created_by}`],
  ]);
}

/** Said where teams begin or end. */
export const tokensStay =
  'Tokens that people made for others still see what they saw, and maintainers in a team without `*` cannot revoke theirs. ' +
  '`libretto token list` shows what each one sees, and `libretto token show ID` who made it.';
