// What a forge says of one repository, and what this registry remembers of it.

import { isJsonObject, type JsonValue } from '../../../build/contract/json.ts';
import { malformedRecord } from '../../core/state/state-error.ts';
import { parseForgeId, type ConnectionId, type ForgeId } from '../../sync/forge-place.ts';
import { parseRepositoryId, type RepositoryId } from '../../sync/repository.ts';
import type { RepositoryPath } from './forge-name.ts';

/** A repository in the forge's list. */
export interface ForgeRepository {
  readonly id: ForgeId;
  readonly path: RepositoryPath;
  readonly isArchived: boolean;
  readonly isFork: boolean;
  /** the default branch; undefined: the repository has no commits */
  readonly branch: string | undefined;
  /** differs after a push */
  readonly stamp: string;
}

/** Why a repository of the list is not registered. The texts are for people, and complete "Not registered: …". */
export const skipReasons = {
  empty: 'it has no commits',
  filtered: 'its name is excluded by the filters of the connection',
  fork: 'it is a fork',
  archived: 'it is archived',
  no_composer_json: 'its default branch has no composer.json',
  invalid_composer_json: 'its composer.json is not a JSON object',
  no_name: 'its composer.json has no valid name',
  unreadable: 'its files could not be read',
  forbidden: 'the credentials may not read its files: they lack the permission to read contents',
  refused: 'this registry refuses its address',
  taken: 'its address is registered already',
  unregistered: 'somebody removed it from this registry',
} as const;

export type SkipReason = keyof typeof skipReasons;

/** `registered`; `archived` and `removed`: registered here, and so reported; `skipped`: not registered. */
export type RepositoryState = 'registered' | 'archived' | 'removed' | 'skipped';

/** The row of one repository of a connection. */
export interface ListedRepository {
  readonly id: ForgeId;
  readonly path: string;
  readonly state: RepositoryState;
  /** why it is skipped; null for the other states */
  readonly reason: SkipReason | null;
  /** null: it was never registered */
  readonly repository: RepositoryId | null;
  /** the name in its composer.json; null: none was read */
  readonly package: string | null;
  /** of the list, when its files were last read */
  readonly stamp: string;
  /** RFC 3339 UTC: when its files were last read, or its state changed */
  readonly checked_at: string;
  /** true: its own webhook is installed at the forge */
  readonly hook: boolean;
  /** those of the connection that it was last read with; absent in rows of older versions */
  readonly subdirectories?: readonly string[] | null;
}

export function seenPrefix(connection: string): string {
  return `connection-seen/${connection}/`;
}

export function seenKey(connection: ConnectionId, id: ForgeId): string {
  return `${seenPrefix(connection)}${id}`;
}

const states: ReadonlySet<unknown> = new Set<RepositoryState>(['registered', 'archived', 'removed', 'skipped']);

/** A row as stored. Throws StateError for another value. */
export function parseSeen(value: JsonValue): ListedRepository {
  if (isJsonObject(value)) {
    const { id, path, state, reason, repository, package: name, stamp, checked_at: checked, hook } = value;
    const texts = [path, stamp, checked].every((text) => typeof text === 'string');
    const isReason = reason === null || (typeof reason === 'string' && Object.hasOwn(skipReasons, reason));
    const isRepository =
      repository === null || (typeof repository === 'string' && parseRepositoryId(repository) !== undefined);
    const isName = name === null || typeof name === 'string';
    const isWhole = texts && isReason && isRepository && isName && states.has(state) && typeof hook === 'boolean';
    if (isWhole && parseForgeId(id) === id) return value as unknown as ListedRepository;
  }
  throw malformedRecord('A row about a repository of a connection');
}
