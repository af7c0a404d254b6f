// The teams of a person, and what they see.

import type { Child } from 'hono/jsx';
import type { UserView } from '../../../auth/user.ts';
import type { PackageRule } from '../../../teams/packages-of.ts';
import type { TeamRecord } from '../../../teams/team.ts';
import { A } from '../../components/place.tsx';

export interface PersonTeamsProps {
  readonly user: Pick<UserView, 'role'>;
  /** those of the person */
  readonly teams: readonly TeamRecord[];
  readonly rule: PackageRule;
}

export function PersonTeams({ user, teams, rule }: PersonTeamsProps): Child {
  return (
    <section class="stack-tight">
      <h2>Teams</h2>
      <p class="soft">{sightOf(user.role === 'admin', teams.length > 0, rule)}</p>
      {teams.length === 0 ? null : (
        <ul class="stack-tight">
          {teams.map(({ id, name, packages }) => (
            <li class="breaks">
              <A to={`/teams/${id}`}>{name}</A> <span class="soft small">{packages.slice(0, 5).join(', ')}</span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function sightOf(isAdmin: boolean, hasTeams: boolean, rule: PackageRule): string {
  if (isAdmin) return 'An admin sees all packages, with and without teams.';
  if (hasTeams) return 'They see the packages of these teams.';
  return rule === 'all'
    ? 'They are in no team, and see all packages.'
    : 'They are in no team, and see no packages. Add them to a team on its page.';
}
