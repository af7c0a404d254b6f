// Reads the names and ids of a registry for completion: quickly, and without a change.

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { isJsonObject, type JsonObject } from '../../../build/contract/json.ts';
import { parsePackageName } from '../../../build/contract/name.ts';
import { indexPath } from '../../../build/contract/paths.ts';
import type { StateStore } from '../../../proxy/core/state/state-store.ts';
import { loadConfig, type Config } from '../../config/config.ts';
import type { Context } from '../../io/context.ts';
import { readLastPublication, readPublishedTree } from '../../tree/published-tree.ts';
import type { Candidate, RegistryList } from './candidates.ts';
import type { Unfinished } from './command-line.ts';

/** The options of the unfinished line select the data folder. Rejects with the fault of a configuration or a file. */
export async function readRegistryThings(
  things: RegistryList,
  line: Unfinished,
  { environment, workingDirectory }: Context,
): Promise<readonly Candidate[]> {
  return readers[things](await loadConfig({ flags: line.flags, environment, workingDirectory }), line);
}

type Read = (config: Config, line: Unfinished) => readonly Candidate[] | Promise<readonly Candidate[]>;

const readers: Readonly<Record<RegistryList, Read>> = {
  packages: ({ data }) => (readPublishedTree(data.value)?.names ?? []).map((value) => ({ value })),
  versions: ({ data }, { operands }) => versionsOf(data.value, operands.find((text) => text.includes('/')) ?? ''),
  sources: ({ data }) =>
    (readLastPublication(data.value)?.sources ?? []).map(({ id, location }) => ({ value: id, description: location })),
  serials: ({ data }) => serialsOf(data.value),
  tokens: (config, line) =>
    fromState(config, async (state) => {
      const { parseTokenRecord, tokenKeyPrefix } = await import('../../../proxy/core/tokens/token.ts');
      const wanted = line.expected.kind === 'value' ? line.expected.command.name() : '';
      return (await state.range(tokenKeyPrefix))
        .map(({ value }) => parseTokenRecord(value))
        .filter(({ revoked_at: revoked }) => revoked === null || wanted === 'show')
        .map(({ id, description }) => ({ value: id, description }));
    }),
  repositories: (config) =>
    fromState(config, async (state) => {
      const { listRepositories } = await import('../../../proxy/sync/list-repositories.ts');
      return (await listRepositories(state)).map(({ id, url }) => ({ value: id, description: url }));
    }),
  endpoints: (config) =>
    fromState(config, async (state) => {
      const { listEndpoints } = await import('../../../proxy/notifications/model/endpoint.ts');
      return (await listEndpoints(state)).map(({ id, name }) => ({ value: id, description: name }));
    }),
  publishers: (config) =>
    fromState(config, async (state) => {
      const { listPublishers } = await import('../../../proxy/publishers/model/publisher.ts');
      return (await listPublishers(state)).map(({ record }) => ({ value: record.id, description: record.name }));
    }),
  teams: (config) =>
    fromState(config, async (state) => {
      const { listTeams } = await import('../../../proxy/teams/team-roster.ts');
      return (await listTeams(state)).map(({ id, name }) => ({ value: id, description: name }));
    }),
  users: (config) =>
    fromState(config, async (state) => {
      const { readUsers } = await import('../../../proxy/auth/user-records.ts');
      return (await readUsers(state)).map(({ email, role }) => ({ value: email, description: role }));
    }),
};

/** Newest first. */
function serialsOf(data: string): readonly Candidate[] {
  return readdirSync(join(data, 'build', 'history'))
    .filter((name) => /^\d+$/.test(name))
    .toSorted((one, other) => Number(other) - Number(one))
    .map((value) => ({ value }));
}

/** Newest first, as in the index. */
function versionsOf(data: string, text: string): readonly Candidate[] {
  const name = parsePackageName(text);
  if (name === undefined) return [];
  const index: unknown = JSON.parse(readFileSync(join(data, 'index', indexPath(name)), 'utf8'));
  const versions = isJsonObject(index) && Array.isArray(index['versions']) ? index['versions'] : [];
  return versions
    .filter((row): row is JsonObject => isJsonObject(row))
    .map(({ version, state }) => ({ value: String(version), description: String(state) }));
}

/**
 * Reads a state on this host. Empty for the folder of another user, where opening a state would leave files of this
 * user.
 */
async function fromState(
  config: Config,
  list: (state: StateStore) => Promise<readonly Candidate[]>,
): Promise<readonly Candidate[]> {
  if (statSync(config.data.value).uid !== process.getuid?.()) return [];
  const { openStateIfAny } = await import('../../state/open-state.ts');
  const state = await openStateIfAny(config);
  return state === undefined ? [] : list(state).finally(() => state.close());
}
