// Stores what a project runs, as of its last report: a project uses packages as a token does, in the same rows. Only
// versions that are known here and that the reporter sees are stored, so a report tells nothing of others. A project
// belongs to who made the token of the report; to the token or publisher itself if that sees only some packages. It also
// lists projects, and what each one runs: those that the caller may list, and packages that they see.

import { RegistryError } from '../../build/contract/errors.ts';
import { parsePackageName, type PackageName } from '../../build/contract/name.ts';
import { createTurns } from '../../build/shared/concurrency/yielding.ts';
import { UnusableFile } from '../../build/shared/files/unusable-file.ts';
import { compareText } from '../../build/shared/text/compare-text.ts';
import { maySee } from '../auth/caller-tokens.ts';
import { actorOf, viewOf, type Caller, type Operator } from '../auth/caller.ts';
import type { StateStore } from '../core/state/state-store.ts';
import { parseTokenId, parseTokenRecord, tokenKey } from '../core/tokens/token.ts';
import { filterOf, passes, type View } from '../core/views/view.ts';
import type { Call } from '../registry/operation.ts';
import { paginate } from '../registry/page.ts';
import { addUses, hold, type Guards } from './add-uses.ts';
import { removeRows } from './expired-uses.ts';
import { stateOfVersions, type UsageServices } from './read-usage.ts';
import { mostKept, parseProject, parseUsageRow, projectKey, usedByKey, usedKey, type Project } from './usage-row.ts';
import type { ProjectDocument } from './usage-schema.ts';
import { userOfToken } from './user-of-token.ts';
import { digestOf } from '../../build/shared/text/digest-of.ts';

export interface ProjectReport {
  readonly name: string;
  readonly locked: readonly { readonly name: string; readonly version: string }[];
}

const mostProjects = 1000;
const mostOfLimited = 100; // so a limited token leaves room for others
const rowsInCommit = 200;
const packagesAtOnce = 16;

/**
 * Replaces what was known of the project. A report without known packages removes the project. A report without any
 * package removes all projects of this name that the caller may see. Resolves with the number of known packages. Throws CONFLICT if there are too many projects.
 */
export async function reportProject(
  { state, policyAdmin }: Pick<UsageServices, 'state' | 'policyAdmin'>,
  { name, locked }: ProjectReport,
  { caller, nowMs }: { readonly caller: Caller | Operator; readonly nowMs: number },
): Promise<number> {
  const view = caller.kind === 'operator' ? undefined : viewOf(caller);
  const { owner, most, ...reporter } = await reporterOf(state, caller, view);
  const id = `prj_${digestOf(`${owner}\n${name}`).slice(0, 20)}`;
  const projects = await readProjects(state);
  const known = await knownVersions(policyAdmin, locked, view);
  if (known.size === 0) {
    const isGone = (one: Project): boolean => locked.length === 0 && one.name === name && maySee(caller, one);
    for (const one of projects) if (one.id === id || isGone(one)) await replace(state, one.id, known, undefined);
    return 0;
  }
  const isFull = projects.length >= mostProjects || projects.filter((one) => one.owner === owner).length >= most;
  if (isFull && !projects.some((one) => one.id === id))
    throw new RegistryError('CONFLICT', {
      message:
        `A registry has at most ${mostProjects} projects, and a limited token ${mostOfLimited}. Remove one: ` +
        '`libretto report --remove --project NAME`.',
    });
  const today = new Date(nowMs).toISOString().slice(0, 10);
  const guards = await replace(state, id, known, { id, name, reported: today, created_by: reporter.created_by, owner });
  const who = { id, description: name, kind: 'project', person: null, ...reporter } as const;
  const uses = [...known].map(([used, version]) => {
    return { name: used, user: id, who, versions: new Map([[version, [0, 0] as const]]) };
  });
  for (let from = 0; from < uses.length; from += rowsInCommit)
    await addUses(state, uses.slice(from, from + rowsInCommit), { today, oldest: '', ...mostKept }, guards);
  return known.size;
}

/**
 * Stores the project, or removes it (undefined), and removes the rows of versions that it no longer runs. Resolves with
 * what holds until the next report: rows of that one stay.
 */
async function replace(
  state: StateStore,
  id: string,
  known: ReadonlyMap<string, string>,
  project: Project | undefined,
): Promise<Guards> {
  const [key, prefix, list] = [projectKey(id), usedByKey(id, ''), digestOf(JSON.stringify([...known]))];
  const change = project ? { puts: [{ key, value: { ...project, list } }], deletes: [] } : { puts: [], deletes: [key] };
  await state.commit({ conditions: [], ...change, quiet: true });
  const entry = await state.get(key);
  const isLast = parseProject(entry?.value)?.list === (project && list);
  const guards = [{ key, revision: isLast ? (entry?.revision ?? null) : -1 }];
  for (const name of (await state.range(prefix)).map((one) => one.key.slice(prefix.length)))
    for (let row; (await hold(state, guards)) && (row = await state.get(usedKey(name, id))) !== undefined;) {
      if (Object.keys(parseUsageRow(row.value)?.versions ?? {}).join('\n') === known.get(name)) break;
      await removeRows(state, name, [row], 0, guards);
    }
  return guards;
}

/** Versions that are stored here, or were withdrawn, and that the view shows. Others get their turn in between. */
async function knownVersions(
  policyAdmin: UsageServices['policyAdmin'],
  locked: ProjectReport['locked'],
  view: View | undefined,
): Promise<ReadonlyMap<string, string>> {
  const known = new Map<string, string>();
  const turn = createTurns();
  const look = async ({ name: text, version }: ProjectReport['locked'][number]): Promise<void> => {
    const name = parsePackageName(text.toLowerCase());
    const filter = name === undefined ? 'none' : filterOf(view, name);
    if (name === undefined || filter === 'none') return;
    const standing = await policyAdmin.standing(name).catch(ifDamaged);
    if (standing?.versions.some((one) => one.version === version && passes(filter, one.release)) === true)
      known.set(name, version);
  };
  for (let from = 0; from < locked.length; from += packagesAtOnce) {
    await turn();
    await Promise.all(locked.slice(from, from + packagesAtOnce).map(look));
  }
  return known;
}

/** Tokens of a trusted publisher last for minutes: the publisher stands for them. */
async function reporterOf(state: StateStore, caller: Caller | Operator, view: View | undefined) {
  const user = caller.kind === 'token' ? await userOfToken(state, caller.token.id) : undefined;
  const { id = '', created_by = actorOf(caller), run_url = null } = user?.who ?? {};
  const isLimited = user !== undefined && view !== undefined;
  return { created_by, run_url, owner: isLimited ? id : created_by, most: isLimited ? mostOfLimited : mostProjects };
}

/** A damaged package hides no others: nothing is known of it. */
function ifDamaged(error: unknown): undefined {
  if (!(error instanceof UnusableFile)) throw error;
}

type State = Pick<StateStore, 'get' | 'range'>;
type Page = Parameters<typeof paginate>[1];

async function readProjects(state: State): Promise<readonly Project[]> {
  return (await state.range(projectKey(''))).flatMap(({ value }) => parseProject(value) ?? []);
}

/** By name; `q`: a part of it. */
export async function listProjects(
  services: UsageServices,
  { q = '', ...page }: Page & { readonly q?: string | undefined },
  call: Call,
) {
  const isAsked = (one: Project): boolean => one.name.toLowerCase().includes(q.trim().toLowerCase());
  const found = (await readProjects(services.state)).filter((one) => maySee(call.caller, one) && isAsked(one));
  const placeOf = ({ name, id }: Project): string => `${name} ${id}`;
  const sorted = found.toSorted((one, other) => compareText(placeOf(one), placeOf(other)));
  const { data, next_cursor } = paginate(sorted, page, placeOf);
  return { data: await Promise.all(data.map((one) => describeProject(services, one, call))), next_cursor };
}

/** Throws NOT_FOUND. */
export async function readProject(
  services: UsageServices,
  { id, ...page }: Page & { readonly id: string },
  call: Call,
) {
  const found = (await readProjects(services.state)).find((one) => one.id === id && maySee(call.caller, one));
  if (found === undefined) throw new RegistryError('NOT_FOUND', { message: 'Project not found.' });
  const { data: names, next_cursor } = paginate(await namesIn(services.state, id, call), page, (name) => name);
  const runs = names.map(async (name) => {
    const standing = await services.policyAdmin.standing(name).catch(ifDamaged);
    const stateOf = await stateOfVersions(services, name, standing);
    const versions = await versionsOf(services.state, id, name);
    return versions.map((version) => ({ package: name, version, ...stateOf(version) }));
  });
  return {
    project: await describeProject(services, found, call),
    data: (await Promise.all(runs)).flat(),
    next_cursor,
  };
}

/** A row is a package: a report has one version of it. Only rows of packages with listed versions are read. */
async function describeProject(
  { state, policyAdmin }: UsageServices,
  { id, name, reported, created_by, owner }: Project,
  call: Call,
): Promise<ProjectDocument> {
  const limited = parseTokenId(owner);
  const entry = limited && (await state.get(tokenKey(limited)));
  const reporter = entry === undefined ? (limited ?? null) : parseTokenRecord(entry.value).description;
  const names = new Set(await namesIn(state, id, call));
  const listed = (await policyAdmin.exposures()).versions.filter((one) => names.has(one.name));
  const runs = listed.map(async (one) => (await versionsOf(state, id, one.name)).includes(one.version));
  const exposed = (await Promise.all(runs)).filter(Boolean).length;
  return { id, name, reported_on: reported, created_by, reporter, packages: names.size, exposed };
}

/** Views of people hide whole packages. */
async function namesIn(state: State, id: string, { caller }: Call): Promise<readonly PackageName[]> {
  const [view, prefix] = [caller.kind === 'operator' ? undefined : viewOf(caller), usedByKey(id, '')];
  const names = (await state.range(prefix)).map(({ key }) => key.slice(prefix.length) as PackageName);
  return names.filter((name) => filterOf(view, name) === 'all');
}

async function versionsOf(state: State, id: string, name: string): Promise<readonly string[]> {
  return Object.keys(parseUsageRow((await state.get(usedKey(name, id)))?.value)?.versions ?? {});
}
