// The people of a team: finds them by id or e-mail, and keeps a change from showing anybody more packages.

import { invalidInput, RegistryError } from '../../build/contract/errors.ts';
import { readUser, readUserByEmail, readUsers, type StoredUser } from '../auth/user-records.ts';
import type { UserId } from '../core/tokens/person.ts';
import type { StateStore } from '../core/state/state-store.ts';
import { packagesOf, type PackageRule } from './packages-of.ts';
import type { TeamRecord } from './team.ts';

export type TeamMember = StoredUser;

/** Finds everybody, once each. Throws INVALID_INPUT with each text that names nobody. */
export async function findMembers(
  store: Pick<StateStore, 'get'>,
  texts: readonly string[],
): Promise<readonly TeamMember[]> {
  const found = await Promise.all(
    texts.map((text) => (text.includes('@') ? readUserByEmail(store, text.trim()) : readUser(store, text.trim()))),
  );
  const issues = texts.flatMap((text, at) =>
    found[at] === undefined
      ? [{ path: `members.${at}`, message: `There is no user ${JSON.stringify(text.slice(0, 80))}.` }]
      : [],
  );
  if (issues.length > 0) throw invalidInput(...issues);
  return [...new Map(found.flatMap((user) => (user === undefined ? [] : [[user.record.id, user] as const]))).values()];
}

/**
 * With the setting people.packages on `all`, people without a team see all packages. Leaving the last team must not do
 * that to anybody: throws CONFLICT with the names of those who would see more.
 */
export async function assertNobodySeesMore(
  store: Pick<StateStore, 'range'>,
  rule: PackageRule,
  before: readonly TeamRecord[],
  after: readonly TeamRecord[],
): Promise<void> {
  if (rule === 'teams') return;
  const members = new Set<UserId>(before.flatMap((team) => team.members));
  const freed = (await readUsers(store)).filter(
    (user) => members.has(user.id) && !after.some((team) => team.members.includes(user.id)) && user.role !== 'admin',
  );
  const wider = freed.filter((user) => packagesOf(user, before, rule) !== null);
  if (wider.length === 0) return;
  const names = wider.slice(0, 5).map(({ email }) => email);
  const others = wider.length > names.length ? ` and ${wider.length - names.length} more` : '';
  throw new RegistryError('CONFLICT', {
    message:
      `Without this team, ${names.join(', ')}${others} would see all packages, because the setting people.packages is ` +
      '`all`. Set it to `teams`, or add them to another team first.',
  });
}
