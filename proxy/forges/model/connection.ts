// A connection to the repositories of one owner at a forge, as the state stores it.

import { createHash } from 'node:crypto';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../build/contract/json.ts';
import { randomBase62, type RandomBytes } from '../../../build/shared/text/base62.ts';
import { malformedRecord } from '../../core/state/state-error.ts';
import { parseConnectionId, type ConnectionId } from '../../sync/forge-place.ts';
import type { Selection } from './decide-repository.ts';
import type { ForgeAddresses } from './forge-address.ts';
import { forgeNames, ownerKinds, parseOwner, type ForgeName, type OwnerKind, type OwnerName } from './forge-name.ts';

export const connectionCredentialsKinds = ['token', 'app'] as const;
export type ConnectionCredentialsKind = (typeof connectionCredentialsKinds)[number];

export interface ConnectionRecord extends ForgeAddresses, Selection {
  readonly id: ConnectionId;
  readonly forge: ForgeName;
  readonly owner: OwnerName;
  readonly owner_kind: OwnerKind;
  /** install webhooks at the forge */
  readonly hooks: boolean;
  /** patterns of the folders that are packages, for the repositories that have some; null: no repository is a monorepo */
  readonly subdirectories: readonly string[] | null;
  /** seconds between two looks at the forge's list */
  readonly interval: number;
  /** seconds between two automatic syncs of each repository */
  readonly sync_interval: number;
  /** sealed for this id */
  readonly credentials: string;
  readonly credentials_kind: ConnectionCredentialsKind;
  /** RFC 3339 UTC, as all times here */
  readonly created_at: string;
  readonly created_by: string;
  readonly updated_at: string;
}

export function mintConnectionId(randomBytes: RandomBytes): ConnectionId {
  return `conn_${randomBase62(16, randomBytes)}` as ConnectionId;
}

export const connectionKeyPrefix = 'connection/';

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
  const record = isJsonObject(value) ? { subdirectories: null, ...value } : {};
  if (isRecord(record)) return record as unknown as ConnectionRecord;
  throw malformedRecord('The record of a connection');
}

function isRecord(record: JsonObject): boolean {
  const { id, forge, owner, owner_kind: kind, only, except, forks, hooks, subdirectories: folders } = record;
  const { credentials, credentials_kind: credentialsKind, interval, sync_interval: syncInterval } = record;
  const { api, web, created_at: at, created_by: by, updated_at: updated } = record;
  const forgeName = forgeNames.find((name) => name === forge);
  const lists = [only, except, folders ?? []].every((list) => isTexts(list));
  const texts = [api, web, credentials, at, by, updated].every((text) => typeof text === 'string');
  const numbers = [interval, syncInterval].every((number) => typeof number === 'number');
  return (
    typeof id === 'string' &&
    parseConnectionId(id) !== undefined &&
    forgeName !== undefined &&
    typeof owner === 'string' &&
    parseOwner(forgeName, owner) !== undefined &&
    ownerKinds.some((one) => one === kind) &&
    connectionCredentialsKinds.some((one) => one === credentialsKind) &&
    typeof forks === 'boolean' &&
    typeof hooks === 'boolean' &&
    lists &&
    texts &&
    numbers
  );
}

function isTexts(value: JsonValue | undefined): boolean {
  return Array.isArray(value) && value.every((text) => typeof text === 'string');
}
