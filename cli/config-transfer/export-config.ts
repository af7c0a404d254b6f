// Exports the configuration as one document. Equal states give equal bytes: the document contains no time, and sorts
// all entries.

import type { JsonValue } from '../../build/contract/json.ts';
import { purgedKey, type PurgedVersion } from '../../build/contract/purged.ts';
import { readUsers } from '../../proxy/auth/user-records.ts';
import { parseTokenRecord, tokenKeyPrefix, type TokenRecord } from '../../proxy/auth/token.ts';
import type { UserRecord } from '../../proxy/auth/user.ts';
import { listPublishers } from '../../proxy/publishers/records/list-publishers.ts';
import { readStoredSettings } from '../../proxy/settings/stored-settings.ts';
import type { StateStore } from '../../proxy/state/state-store.ts';
import { listRepositories } from '../../proxy/sync/list-repositories.ts';
import { filterNames, type RepositoryRecord } from '../../proxy/sync/repository.ts';
import { publisherEntry } from './publisher-entry.ts';
import { configFormat, type ConfigDocument, type RepositoryEntry, type UserEntry } from './config-document.ts';

export async function exportConfig(state: StateStore, purged: readonly PurgedVersion[] = []): Promise<ConfigDocument> {
  const [settings, repositories, users, tokens, publishers] = await Promise.all([
    readStoredSettings(state),
    listRepositories(state),
    readUsers(state),
    state.range(tokenKeyPrefix),
    listPublishers(state),
  ]);
  return {
    format: configFormat,
    settings: Object.fromEntries(
      [...settings].map(([key, { value }]): [string, JsonValue] => [key, value]),
    ) as ConfigDocument['settings'],
    repositories: sorted(repositories.map(repositoryEntry), ({ url, type }) => `${url} ${type}`),
    users: sorted(users.map(userEntry), ({ email }) => email),
    tokens: sorted(
      tokens.map(({ value }) => tokenEntry(parseTokenRecord(value))),
      ({ created_at, id }) => `${created_at} ${id}`,
    ),
    ...(publishers.length === 0
      ? {}
      : {
          publishers: sorted(
            publishers.map(({ record }) => publisherEntry(record)),
            (entry) => `${entry.name} ${JSON.stringify(entry)}`,
          ),
        }),
    ...(purged.length === 0
      ? {}
      : {
          purged: sorted(purged, purgedKey).map(
            (row) => JSON.parse(JSON.stringify(row)) as NonNullable<ConfigDocument['purged']>[number],
          ),
        }),
  };
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

export function userEntry({ email, name, role, status }: UserRecord): UserEntry {
  return { email, name, role, disabled: status === 'disabled' };
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
