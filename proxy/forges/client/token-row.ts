// The row of a connection's short-lived token: sealed, with its end.

import { isJsonObject, type JsonValue } from '../../../build/contract/json.ts';
import type { ConnectionId } from '../../sync/forge-place.ts';

export function connectionTokenKey(id: ConnectionId): string {
  return `connection-token/${id}`;
}

/** A row as stored; undefined for another value. */
export function parseTokenRow(value: JsonValue): { readonly token: string; readonly expires_at: string } | undefined {
  if (!isJsonObject(value)) return undefined;
  const { token, expires_at: expires } = value;
  return typeof token === 'string' && typeof expires === 'string' ? { token, expires_at: expires } : undefined;
}
