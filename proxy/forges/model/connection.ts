// A connection to the repositories of one owner at a forge, as the state stores it.

import { createHash } from 'node:crypto';
import { z } from 'zod';
import { isJsonObject, type JsonValue } from '../../../build/contract/json.ts';
import { malformedRecord } from '../../core/state/state-error.ts';
import type { StateStore } from '../../core/state/state-store.ts';
import { findRow, listRows, parseRow, type RowOf, type Stored } from '../../state/rows.ts';
import { isConnectionId, parseConnectionId, type ConnectionId } from '../../sync/forge-place.ts';
import { forgeNames, ownerKinds, parseOwner, type OwnerName } from './forge-name.ts';

export const connectionCredentialsKinds = ['token', 'app'] as const;
const texts = z.array(z.string());

const connectionRecord = z.object({
  id: z.custom<ConnectionId>(isConnectionId),
  forge: z.enum(forgeNames),
  /** where the API's paths begin */
  api: z.string(),
  /** where people and git find repositories */
  web: z.string(),
  owner: z.custom<OwnerName>((value) => typeof value === 'string'),
  owner_kind: z.enum(ownerKinds),
  only: texts,
  except: texts,
  forks: z.boolean(),
  /** install webhooks at the forge */
  hooks: z.boolean(),
  /**
   * patterns of the folders that are packages, for the repositories that have some; null: no repository is a monorepo
   */
  subdirectories: texts.nullable(),
  /** seconds between two looks at the forge's list */
  interval: z.number(),
  /** seconds between two automatic syncs of each repository */
  sync_interval: z.number(),
  /** sealed for this id */
  credentials: z.string(),
  credentials_kind: z.enum(connectionCredentialsKinds),
  /** RFC 3339 UTC, as all times here */
  created_at: z.string(),
  created_by: z.string(),
  updated_at: z.string(),
});
export type ConnectionRecord = RowOf<typeof connectionRecord>;

export const connectionKeyPrefix = 'connection/';
const kindOfRow = 'The record of a connection';

export function connectionKey(id: ConnectionId): string {
  return `${connectionKeyPrefix}${id}`;
}

/** Each owner is connected once: two connections would register the same repositories. */
export function connectionPlaceKey({ forge, web, owner }: Pick<ConnectionRecord, 'forge' | 'web' | 'owner'>): string {
  const place = `${forge} ${web} ${owner.toLowerCase()}`;
  return `connection-place/${createHash('sha256').update(place).digest('hex')}`;
}

/** A record as stored. Throws StateError when it is not one. */
export function parseConnectionRecord(value: JsonValue): ConnectionRecord {
  // absent in records of older versions
  const current = isJsonObject(value) ? { subdirectories: null, ...value } : value;
  const record = parseRow(connectionRecord, current, kindOfRow);
  if (parseOwner(record.forge, record.owner) === undefined) throw malformedRecord(kindOfRow);
  return record;
}

/** Oldest first. */
export async function listConnections(state: Pick<StateStore, 'range'>): Promise<readonly ConnectionRecord[]> {
  return (await listRows(state, connectionKeyPrefix, parseConnectionRecord)).map(({ record }) => record);
}

/** Throws NOT_FOUND. */
export async function findConnection(state: Pick<StateStore, 'get'>, text: string): Promise<Stored<ConnectionRecord>> {
  const id = parseConnectionId(text);
  return findRow(state, { text, key: id && connectionKey(id), noun: 'connection' }, parseConnectionRecord);
}
