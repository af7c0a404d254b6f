// Making, listing, changing and removing teams. The command line, the management API and the console call this. Every
// change is one commit with its audit event (I8). It counts with the next request of a member.

import { invalidInput, RegistryError } from '../../build/contract/errors.ts';
import type { JsonObject } from '../../build/contract/json.ts';
import type { AuditedStore, ChangeParts, AuditDraft } from '../state/audit.ts';
import { findMembers, assertNobodySeesMore, type TeamMember } from './members.ts';
import { checkedFields, mostMembers, mostTeams, type TeamDraft, type TeamPatch } from './team-fields.ts';
import { listTeams, readTeamRoster, teamRosterKey } from './team-roster.ts';
import { mintTeamId, parseTeamId, type TeamRecord, teamKey } from './team.ts';
import { userKey } from '../auth/user.ts';
import { packageRuleKey, readPackageRule } from './package-rule.ts';
import type { PackageRule } from './packages-of.ts';

// One change of one team, as a commit: reads everything that the change depends on, and starts again if any of it
// changed meanwhile.

interface TeamChange {
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

interface Present {
  readonly teams: readonly TeamRecord[];
  readonly rule: PackageRule;
}

/** Resolves to the team after the change; after its removal, as it was. */
async function changeTeams(
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

export interface MadeTeam {
  readonly record: TeamRecord;
  /** true: it is the first team, so the setting people.packages became `teams` */
  readonly closes: boolean;
}

export type Teams = ReturnType<typeof createTeams>;

export type TeamsOptions = ChangeParts;

/** Every call may throw RegistryError: NOT_FOUND, CONFLICT, INVALID_INPUT. */
export function createTeams(options: TeamsOptions) {
  const { store } = options;
  return {
    /**
     * The first team sets people.packages to `teams` in the same commit: from then on, people without a team see no
     * packages. `keepsRule`: leaves the setting as it is.
     */
    create: (draft: TeamDraft, { keepsRule = false }: { readonly keepsRule?: boolean } = {}) =>
      create(options, draft, keepsRule),
    /** Oldest first. */
    list: () => listTeams(store),
    /** Finds a team by id or name. */
    get: async (idOrName: string) => findTeam(await listTeams(store), idOrName),
    update: (idOrName: string, patch: TeamPatch) => update(options, idOrName, patch),
    remove: (idOrName: string) => remove(options, idOrName),
    /** `people`: ids or e-mail addresses. Who is a member already stays one. */
    addMembers: (idOrName: string, people: readonly string[]) => addMembers(options, idOrName, people),
    /** Who is no member stays none. */
    removeMembers: (idOrName: string, people: readonly string[]) => removeMembers(options, idOrName, people),
  };
}

async function create(options: TeamsOptions, draft: TeamDraft, keepsRule: boolean): Promise<MadeTeam> {
  const { store, now, randomBytes, actor } = options;
  const { name = '', packages = [] } = checkedFields(draft);
  const at = new Date(now()).toISOString();
  const id = mintTeamId(randomBytes);
  const { record, closes } = await changeTeams(store, async ({ teams, rule }) => {
    const members = await findMembers(store, draft.members ?? []);
    const team: TeamRecord = {
      id,
      name,
      packages,
      members: members.map((member) => member.record.id).sort(),
      created_at: at,
      created_by: actor,
      updated_at: at,
    };
    assertRoom(team, teams);
    const first = teams.length === 0 && rule === 'all' && !keepsRule;
    const emails = members.map((member) => member.record.email);
    const details = { name, packages: [...packages], members: emails, ...(first && { people_packages: 'teams' }) };
    return {
      after: team,
      people: members,
      closes: first,
      event: { actor, action: 'team.create', subject: id, details },
    };
  });
  return { record, closes };
}

async function update({ store, now, actor }: TeamsOptions, text: string, patch: TeamPatch): Promise<TeamRecord> {
  const fields = checkedFields(patch);
  if (Object.keys(fields).length === 0) throw invalidInput({ path: '', message: 'nothing to change was given' });
  return edit(store, text, ({ before, teams }) => {
    const after = { ...before, ...fields, updated_at: new Date(now()).toISOString() };
    assertRoom(after, teams);
    return {
      before,
      after,
      event: { actor, action: 'team.update', subject: before.id, details: { ...fields } as JsonObject },
    };
  });
}

async function remove({ store, actor }: TeamsOptions, text: string): Promise<TeamRecord> {
  return edit(store, text, ({ before }) => {
    const { id, name, members } = before;
    return {
      before,
      after: undefined,
      event: { actor, action: 'team.remove', subject: id, details: { name, members: [...members] } },
    };
  });
}

async function addMembers(options: TeamsOptions, text: string, people: readonly string[]): Promise<TeamRecord> {
  const { store, now, actor } = options;
  return edit(store, text, async ({ before, teams }) => {
    const found = await findMembers(store, people);
    const added = found.filter(({ record }) => !before.members.includes(record.id));
    if (added.length === 0) return { before, after: before };
    const members = [...before.members, ...added.map(({ record }) => record.id)].sort();
    const after = { ...before, members, updated_at: new Date(now()).toISOString() };
    assertRoom(after, teams);
    const details = { name: before.name, members: added.map(({ record }) => record.email) };
    return { before, after, people: added, event: { actor, action: 'team.add_member', subject: before.id, details } };
  });
}

async function removeMembers(options: TeamsOptions, text: string, people: readonly string[]): Promise<TeamRecord> {
  const { store, now, actor } = options;
  return edit(store, text, async ({ before }) => {
    const found = await findMembers(store, people);
    const gone = found.filter(({ record }) => before.members.includes(record.id));
    if (gone.length === 0) return { before, after: before };
    const members = before.members.filter((id) => !gone.some(({ record }) => record.id === id));
    const after = { ...before, members, updated_at: new Date(now()).toISOString() };
    const details = { name: before.name, members: gone.map(({ record }) => record.email) };
    return { before, after, event: { actor, action: 'team.remove_member', subject: before.id, details } };
  });
}

interface Editing {
  readonly before: TeamRecord;
  /** all teams */
  readonly teams: readonly TeamRecord[];
}

async function edit(
  store: AuditedStore,
  text: string,
  work: (editing: Editing) => TeamChange | Promise<TeamChange>,
): Promise<TeamRecord> {
  const { record } = await changeTeams(store, ({ teams }) => work({ before: findTeam(teams, text), teams }));
  return record;
}

/** By id or name. Throws NOT_FOUND. */
function findTeam(teams: readonly TeamRecord[], text: string): TeamRecord {
  const id = parseTeamId(text);
  const found = teams.find((team) => (id === undefined ? isNamed(team, text) : team.id === id));
  if (found !== undefined) return found;
  throw new RegistryError('NOT_FOUND', { message: `There is no team ${JSON.stringify(text.slice(0, 100))}.` });
}

function isNamed({ name }: TeamRecord, text: string): boolean {
  return name.toLowerCase() === text.trim().toLowerCase();
}

/** Throws CONFLICT for the name of another team, and for too many teams or members. */
function assertRoom({ id, name, members }: TeamRecord, teams: readonly TeamRecord[]): void {
  const others = teams.filter((team) => team.id !== id);
  if (others.some((team) => isNamed(team, name)))
    throw new RegistryError('CONFLICT', { message: `Another team has the name ${name}. Choose another one.` });
  if (others.length >= mostTeams)
    throw new RegistryError('CONFLICT', { message: `There are ${mostTeams} teams, and no more are possible.` });
  if (members.length > mostMembers)
    throw new RegistryError('CONFLICT', { message: `A team has at most ${mostMembers} members. Make another team.` });
}
