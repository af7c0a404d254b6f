// The users of a package in words: the description of a token now, or its last known one, and whose it is.

import { maySee } from '../auth/caller-tokens.ts';
import { actorOf, type Caller, type Operator } from '../auth/caller.ts';
import { readUser } from '../auth/user-records.ts';
import { parseTokenId, parseTokenRecord, tokenKey, tokenStatus } from '../core/tokens/token.ts';
import type { StateStore } from '../core/state/state-store.ts';
import { parsePublisherId, parsePublisherRecord, publisherKey } from '../publishers/model/publisher.ts';
import type { PackageUser } from './usage-row.ts';
import type { UsageDocument, UseDocument } from './usage-schema.ts';

type Reader = Pick<StateStore, 'get'>;
type UserDocument = NonNullable<UseDocument['token']>;

/** `2 tokens and 1 project` */
export function countUsers({ tokens, projects }: Pick<UsageDocument, 'tokens' | 'projects'>): string {
  const shown =
    projects === 0 ? [[tokens, 'token']] : [...(tokens === 0 ? [] : [[tokens, 'token']]), [projects, 'project']];
  return shown.map(([count, noun]) => `${count} ${noun}${count === 1 ? '' : 's'}`).join(' and ');
}

/** Of `1.2`, that Composer takes it for 1.2.0, and what people may mean; undefined: it has three parts or an operator. */
export function shortVersion(constraint: string): { readonly exact: string; readonly all: string } | undefined {
  const [, version = ''] = /^v?(\d+(?:\.\d+)?)$/i.exec(constraint.trim()) ?? [];
  if (version === '') return undefined;
  return { exact: version.includes('.') ? `${version}.0` : `${version}.0.0`, all: `${version}.*` };
}

/** null: the caller may not know it */
export function nameOfUser(user: UserDocument | null): string {
  if (user === null) return 'another token or project';
  return user.kind === 'project' ? `project ${user.description}` : user.description;
}

/** In the order of `users`; undefined for one that the caller may not list, and is not theirs. */
export async function describeUsers(
  state: Reader,
  users: readonly PackageUser[],
  { caller, nowMs }: { readonly caller: Caller | Operator; readonly nowMs: number },
): Promise<readonly (UserDocument | undefined)[]> {
  const emails = new Map<string, Promise<string | null>>();
  const emailOf = (id: string): Promise<string | null> => {
    const known = emails.get(id) ?? readUser(state, id).then((user) => user?.record.email ?? null);
    emails.set(id, known);
    return known;
  };
  return Promise.all(
    users.map(async (user) => {
      const isOwn = user.person !== null && actorOf(caller) === `user:${user.person}`;
      if (!isOwn && !maySee(caller, user)) return undefined;
      const { id, description, kind, run_url, client = null } = user;
      const now =
        parsePublisherId(id) === undefined ? describeToken(state, user, nowMs, emailOf) : describeJobs(state, id);
      return { id, description, kind, run_url, client, ...(await now) };
    }),
  );
}

async function describeToken(
  state: Reader,
  { id, kind, description, created_by, person }: PackageUser,
  nowMs: number,
  emailOf: (id: string) => Promise<string | null>,
): Promise<Pick<UserDocument, 'description' | 'status' | 'owner'>> {
  const known = parseTokenId(id);
  const entry = known === undefined ? undefined : await state.get(tokenKey(known));
  const record = entry === undefined ? undefined : parseTokenRecord(entry.value);
  const owner = person ?? (created_by.startsWith('user:') ? created_by.slice('user:'.length) : null);
  return {
    description: record?.description ?? description,
    status: kind === 'project' ? 'active' : record === undefined ? 'removed' : tokenStatus(record, nowMs),
    owner: owner === null ? null : await emailOf(owner),
  };
}

async function describeJobs(state: Reader, id: string): Promise<Pick<UserDocument, 'status' | 'owner'>> {
  const known = parsePublisherId(id);
  const entry = known === undefined ? undefined : await state.get(publisherKey(known));
  if (entry === undefined) return { status: 'removed', owner: null };
  return { status: 'active', owner: parsePublisherRecord(entry.value).name };
}
