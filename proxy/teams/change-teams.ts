// One change of one team, as a commit: reads everything that the change depends on, and starts again if any of it
// changed meanwhile.

import type { JsonObject } from '../../build/contract/json.ts';
import { userKey } from '../auth/user.ts';
import type { AuditDraft, AuditedStore } from '../state/audit.ts';
import { assertNobodySeesMore, type TeamMember } from './members.ts';
import { packageRuleKey, readPackageRule } from './package-rule.ts';
import type { PackageRule } from './packages-of.ts';
import { readTeamRoster, teamRosterKey } from './team-roster.ts';
import { teamKey, type TeamRecord } from './team.ts';

export interface TeamChange {
  /** undefined: the change makes the team */
  readonly before?: TeamRecord | undefined;
  /** undefined: the change removes the team. The same as `before`: nothing is to do */
  readonly after: TeamRecord | undefined;
  /** those who become members: they must still be users at the commit */
  readonly people?: readonly TeamMember[];
  /** true: people.packages becomes `teams` in the same commit */
  readonly closes?: boolean;
  readonly event?: AuditDraft;
}

export interface Present {
  readonly teams: readonly TeamRecord[];
  readonly rule: PackageRule;
}

/** Resolves to the team after the change; after its removal, as it was. */
export async function changeTeams(
  store: AuditedStore,
  draw: (present: Present) => TeamChange | Promise<TeamChange>,
): Promise<{ readonly record: TeamRecord; readonly closes: boolean }> {
  for (;;) {
    const roster = await readTeamRoster(store);
    const { rule, revision: ruleRevision } = await readPackageRule(store);
    const { teams } = roster;
    const { before, after, people = [], closes = false, event } = await draw({ teams, rule });
    const record = after ?? before;
    if (record === undefined) throw new Error('a change of no team');
    if (event === undefined || after === before) return { record, closes: false };
    const others = teams.filter(({ id }) => id !== record.id);
    const next = after === undefined ? others : [...others, after];
    await assertNobodySeesMore(store, rule, teams, next);
    const key = teamKey(record.id);
    const done = await store.commit(
      {
        conditions: [
          { key: teamRosterKey, revision: roster.revision },
          { key: packageRuleKey, revision: ruleRevision },
          ...people.map((person) => ({ key: userKey(person.record.id), revision: person.revision })),
        ],
        puts: [
          { key: teamRosterKey, value: { teams: next.length } },
          ...(after === undefined ? [] : [{ key, value: { ...after } as unknown as JsonObject }]),
          ...(closes ? [{ key: packageRuleKey, value: 'teams' }] : []),
        ],
        deletes: after === undefined ? [key] : [],
      },
      event,
    );
    if (done) return { record, closes };
  }
}
