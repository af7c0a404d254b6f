// The names of what events are about: emails, descriptions of tokens, addresses of repositories, owners at
// forges, notification endpoints, trusted publishers.

import { parseTokenRecord, tokenKeyPrefix } from '../../../core/tokens/token.ts';
import { readUsers } from '../../../auth/user-records.ts';
import type { UserRecord } from '../../../auth/user.ts';
import type { StateStore } from '../../../core/state/state-store.ts';
import { listConnections } from '../../../forges/model/connection.ts';
import { listEndpoints } from '../../../notifications/model/endpoint.ts';
import { listPublishers } from '../../../publishers/model/publisher.ts';
import { listTeams } from '../../../teams/team-roster.ts';
import { listRepositories } from '../../../sync/list-repositories.ts';

export interface EventNames {
  readonly users: readonly UserRecord[];
  /** the name of the object with this id; undefined: it is deleted, or has no name */
  readonly nameOf: (id: string) => string | undefined;
}

export async function readEventNames(state: Pick<StateStore, 'range'>): Promise<EventNames> {
  const [users, tokens, repositories, connections, endpoints, publishers, teams] = await Promise.all([
    readUsers(state),
    state.range(tokenKeyPrefix),
    listRepositories(state),
    listConnections(state),
    listEndpoints(state),
    listPublishers(state),
    listTeams(state),
  ]);
  const names = new Map<string, string>([
    ...users.map(({ id, email }) => [id, email] as const),
    ...repositories.map(({ id, url }) => [id, url] as const),
    ...connections.map(({ id, owner }) => [id, owner] as const),
    ...endpoints.map(({ id, name }) => [id, name] as const),
    ...publishers.map(({ record: { id, name } }) => [id, name] as const),
    ...teams.map(({ id, name }) => [id, name] as const),
    ...tokens.map(({ value }) => {
      const { id, description } = parseTokenRecord(value);
      return [id, description === '' ? id : description] as const;
    }),
  ]);
  return { users, nameOf: (id) => names.get(id) };
}

/** The author in words. `actor`: as the event has it. */
export function nameAuthor(actor: string, { nameOf }: EventNames): string {
  const [, kind, id = ''] = /^([a-z]+):(.*)$/s.exec(actor) ?? [];
  if (kind === 'cli') return `${id} (command line)`;
  if (kind === 'token') return `the token ${nameOf(id) ?? id}`;
  if (kind === 'publisher') return `a CI job of the trusted publisher ${nameOf(id) ?? id}`;
  if (kind === 'user') return nameOf(id) ?? `${id}, deleted`;
  return id === 'anonymous' ? 'somebody not signed in' : 'the server';
}
