// Imports the teams of a configuration document: makes missing ones, changes different ones, and removes none. A team
// is found by its name.

import type { JsonObject } from '../../build/contract/json.ts';
import { undefinedIf } from '../../build/contract/errors.ts';
import type { Users } from '../../proxy/auth/users.ts';
import type { TeamRecord } from '../../proxy/teams/team.ts';
import type { Teams } from '../../proxy/teams/teams.ts';
import type { TeamEntry } from './config-document.ts';
import { teamEntry } from './export-config.ts';

export interface ImportedTeam {
  readonly what: 'team' | 'setting';
  readonly name: string;
  readonly change: 'create' | 'update';
  readonly fields: JsonObject;
}

interface TeamsDraft {
  readonly attempt: (entry: string, work: () => Promise<void>) => Promise<void>;
  readonly changes: { readonly push: (...changes: readonly ImportedTeam[]) => unknown };
}

/** `keepsRule`: the file has the setting people.packages, so the first team does not set it. */
export async function importTeams(
  entries: readonly TeamEntry[],
  { teams, users }: { readonly teams: Teams; readonly users: Users },
  draft: TeamsDraft,
  { keepsRule }: { readonly keepsRule: boolean },
): Promise<void> {
  for (const [index, entry] of entries.entries()) {
    await draft.attempt(`teams[${index}]`, async () => {
      const present = await findTeam(teams, entry.name);
      if (present === undefined) draft.changes.push(...(await createTeam(entry, teams, keepsRule)));
      else {
        const fields = await changeTeam(present, teamEntry(present, await users.list()), entry, teams);
        if (Object.keys(fields).length > 0)
          draft.changes.push({ what: 'team', name: present.name, change: 'update', fields });
      }
    });
  }
}

function findTeam(teams: Teams, name: string): Promise<TeamRecord | undefined> {
  return teams.get(name).catch(undefinedIf('NOT_FOUND'));
}

async function createTeam(entry: TeamEntry, teams: Teams, keepsRule: boolean): Promise<readonly ImportedTeam[]> {
  const { name, packages, members } = entry;
  const { closes } = await teams.create(entry, { keepsRule });
  const made = { what: 'team', name, change: 'create', fields: { packages, members } } as const;
  if (!closes) return [made];
  return [made, { what: 'setting', name: 'people.packages', change: 'create', fields: { value: 'teams' } }];
}

/** People join before others leave, and packages change last. */
async function changeTeam(
  { id }: TeamRecord,
  before: TeamEntry,
  { packages, members }: Pick<TeamEntry, 'packages' | 'members'>,
  teams: Teams,
): Promise<JsonObject> {
  const wanted = new Set(members.map((email) => email.toLowerCase()));
  const present = new Set(before.members.map((email) => email.toLowerCase()));
  const joining = members.filter((email) => !present.has(email.toLowerCase()));
  const leaving = before.members.filter((email) => !wanted.has(email.toLowerCase()));
  if (joining.length > 0) await teams.addMembers(id, joining);
  if (leaving.length > 0) await teams.removeMembers(id, leaving);
  const hasOthers = joining.length > 0 || leaving.length > 0;
  const canonical = [...new Set(packages.map((pattern) => pattern.toLowerCase()))].sort();
  const differs = canonical.join(' ') !== before.packages.join(' ');
  if (differs) await teams.update(id, { packages });
  return { ...(differs && { packages }), ...(hasOthers && { members }) };
}
