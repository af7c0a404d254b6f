// What a forge says of one repository, and what this registry remembers of it.

import { z } from 'zod';
import type { JsonValue } from '../../../build/contract/json.ts';
import { rowParser, type RowOf } from '../../state/rows.ts';
import { parseForgeId, type ConnectionId, type ForgeId } from '../../sync/forge-place.ts';
import { isRepositoryId, type RepositoryId } from '../../sync/repository.ts';
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

/** The row of one repository of a connection. */
const listedRepository = z.object({
  id: z.custom<ForgeId>((value) => parseForgeId(value as JsonValue) === value),
  path: z.string(),
  /** `registered`; `archived` and `removed`: registered here, and so reported; `skipped`: not registered */
  state: z.enum(['registered', 'archived', 'removed', 'skipped']),
  /** why it is skipped; null for the other states */
  reason: z.custom<SkipReason>((value) => typeof value === 'string' && Object.hasOwn(skipReasons, value)).nullable(),
  /** null: it was never registered */
  repository: z.custom<RepositoryId>(isRepositoryId).nullable(),
  /** the name in its composer.json; null: none was read */
  package: z.string().nullable(),
  /** of the list, when its files were last read */
  stamp: z.string(),
  /** RFC 3339 UTC: when its files were last read, or its state changed */
  checked_at: z.string(),
  /** true: its own webhook is installed at the forge */
  hook: z.boolean(),
  /** those of the connection that it was last read with; absent in rows of older versions */
  subdirectories: z.custom<readonly string[] | null>().exactOptional(),
});
export type ListedRepository = RowOf<typeof listedRepository>;
export type RepositoryState = ListedRepository['state'];

export function seenPrefix(connection: string): string {
  return `connection-seen/${connection}/`;
}

export function seenKey(connection: ConnectionId, id: ForgeId): string {
  return `${seenPrefix(connection)}${id}`;
}

/** A row as stored. Throws StateError for another value. */
export const parseSeen = rowParser(listedRepository, 'A row about a repository of a connection');
