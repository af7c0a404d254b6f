// Exports the configuration as one document. Equal states give equal bytes: the document contains no time, and sorts
// all entries.

import type { JsonValue } from '../../build/contract/json.ts';
import { purgedKey, type PurgedVersion } from '../../build/contract/purged.ts';
import { readUsers } from '../../proxy/auth/user-records.ts';
import { parseTokenRecord, tokenKeyPrefix, type TokenRecord } from '../../proxy/core/tokens/token.ts';
import type { UserRecord } from '../../proxy/auth/user.ts';
import type { PolicyDocument } from '../../proxy/policy/model/policy-document.ts';
import { readStoredPolicy } from '../../proxy/policy/records/stored-policy.ts';
import { listPublishers } from '../../proxy/publishers/model/publisher.ts';
import { readStoredSettings } from '../../proxy/settings/stored-settings.ts';
import type { TeamRecord } from '../../proxy/teams/team.ts';
import { listTeams } from '../../proxy/teams/team-roster.ts';
import type { StateStore } from '../../proxy/core/state/state-store.ts';
import { listRepositories } from '../../proxy/sync/list-repositories.ts';
import { filterNames, type RepositoryRecord } from '../../proxy/sync/repository.ts';
import { publisherEntry } from './publisher-entry.ts';
import {
  configFormat,
  type ConfigDocument,
  type RepositoryEntry,
  type TeamEntry,
  type UserEntry,
} from './config-document.ts';
import { ageOrder } from '../../proxy/state/rows.ts';

export interface ExportParts {
  readonly purged?: readonly PurgedVersion[];
  /** true: a policy file counts, so the policy in the state is left out */
  readonly hasPolicyFile?: boolean;
}

export async function exportConfig(
  state: StateStore,
  { purged = [], hasPolicyFile = false }: ExportParts = {},
): Promise<ConfigDocument> {
  const [settings, repositories, users, teams, tokens, publishers, { policy }] = await Promise.all([
    readStoredSettings(state),
    listRepositories(state),
    readUsers(state),
    listTeams(state),
    state.range(tokenKeyPrefix),
    listPublishers(state),
    readStoredPolicy(state),
  ]);
  return {
    format: configFormat,
    settings: Object.fromEntries(
      [...settings].map(([key, { value }]): [string, JsonValue] => [key, value]),
    ) as ConfigDocument['settings'],
    repositories: sorted(repositories.map(repositoryEntry), ({ url, type }) => `${url} ${type}`),
    users: sorted(users.map(userEntry), ({ email }) => email),
    ...someEntries('teams', teamEntries(teams, users)),
    tokens: sorted(
      tokens.map(({ value }) => tokenEntry(parseTokenRecord(value))),
      ageOrder,
    ),
    ...someEntries(
      'publishers',
      sorted(
        publishers.map(({ record }) => publisherEntry(record)),
        (entry) => `${entry.name} ${JSON.stringify(entry)}`,
      ),
    ),
    ...(hasPolicyFile || policy.rules.length === 0 ? {} : { policy: policyEntry(policy) }),
    ...someEntries(
      'purged',
      sorted(purged, purgedKey).map((row) => JSON.parse(JSON.stringify(row)) as PurgedEntry),
    ),
  };
}

function policyEntry(policy: PolicyDocument): NonNullable<ConfigDocument['policy']> {
  return JSON.parse(JSON.stringify(policy)) as NonNullable<ConfigDocument['policy']>;
}

type PurgedEntry = NonNullable<ConfigDocument['purged']>[number];

/** A list that documents of older versions do not know is left out while it is empty. */
function someEntries<Name extends string, Entry>(name: Name, entries: readonly Entry[]) {
  return entries.length === 0 ? {} : ({ [name]: [...entries] } as Record<Name, Entry[]>);
}

function teamEntries(teams: readonly TeamRecord[], users: readonly UserRecord[]): readonly TeamEntry[] {
  return sorted(
    teams.map((team) => teamEntry(team, users)),
    ({ name }) => name,
  );
}

/** Filters in the order of their names' table, independent of the given order. */
export function repositoryEntry({ type, url, filters, interval, credentials_kind }: RepositoryRecord): RepositoryEntry {
  const given: [string, JsonValue][] = filterNames.flatMap((name) =>
    filters[name] === undefined ? [] : [[name, filters[name]]],
  );
  return {
    type,
    url,
    filters: Object.fromEntries(given) as RepositoryEntry['filters'],
    interval,
    credentials: credentials_kind,
  };
}

export function userEntry({ email, name, role, policy_editor: isEditor, status }: UserRecord): UserEntry {
  return { email, name, role, ...(isEditor === true && { policy_editor: true }), disabled: status === 'disabled' };
}

/** Members by their e-mail addresses, because a user has another id in another registry. */
export function teamEntry({ name, packages, members }: TeamRecord, users: readonly UserRecord[]): TeamEntry {
  const emails = users.filter(({ id }) => members.includes(id)).map(({ email }) => email);
  return { name, packages: [...packages], members: emails.toSorted() };
}

function tokenEntry({
  id,
  description,
  kind,
  limit,
  created_at,
  created_by,
  expires_at,
  revoked_at,
  packages,
  constraints,
  stability,
  not_after,
  networks,
}: TokenRecord): ConfigDocument['tokens'][number] {
  const limits = {
    packages: packages === null ? null : [...packages],
    constraints: constraints === null ? null : { ...constraints },
    stability,
    not_after,
    networks: networks === null ? null : [...networks],
  };
  return { id, description, kind, limit, created_at, created_by, expires_at, revoked_at, ...limits };
}

function sorted<Entry>(entries: readonly Entry[], keyOf: (entry: Entry) => string): Entry[] {
  return entries.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
}
