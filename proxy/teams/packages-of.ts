// Which packages a person sees. Pure.

import type { Role } from '../core/tokens/person.ts';
import type { TeamRecord } from './team.ts';

/** The setting people.packages, for people without a team. `all`: they see all packages. `teams`: they see none. */
export type PackageRule = 'all' | 'teams';

export interface Person {
  readonly id: string;
  readonly role: Role;
}

/**
 * The patterns of the packages; null: all. Admins see all, and others the packages of all their teams. The rule counts
 * for people without a team.
 */
export function packagesOf(
  { id, role }: Person,
  teams: readonly Pick<TeamRecord, 'packages' | 'members'>[],
  rule: PackageRule,
): readonly string[] | null {
  if (role === 'admin') return null;
  const own = teams.filter(({ members }) => members.some((member) => member === id));
  if (own.length === 0) return rule === 'all' ? null : [];
  const patterns = new Set(own.flatMap(({ packages }) => packages));
  return patterns.has('*') || patterns.has('*/*') ? null : [...patterns].sort();
}
