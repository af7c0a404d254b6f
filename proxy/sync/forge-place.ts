// Where a registered repository is at its forge. The forge's own id is the identity: a renamed repository keeps its
// record and its published versions, and git fetches it from its new address.

import type { Branded } from '../../build/contract/brand.ts';
import { isJsonObject, type JsonValue } from '../../build/contract/json.ts';
import { idsOf } from '../../build/shared/text/base62.ts';

/** `conn_` and 16 base62 characters. */
export type ConnectionId = Branded<string, 'ConnectionId'>;
export const { mint: mintConnectionId, is: isConnectionId, parse: parseConnectionId } = idsOf<ConnectionId>('conn');

/** The id that the forge gives a repository for its whole life: a number, or a UUID without braces. */
export type ForgeId = Branded<string, 'ForgeId'>;

export interface ForgePlace {
  /** its credentials read the repository, unless the repository has its own */
  readonly connection: ConnectionId;
  /** the address of the forge in a browser; with the id, the identity of the repository */
  readonly web: string;
  readonly id: ForgeId;
  /** the address that git fetches from now */
  readonly url: string;
}

/** Takes the number or the text of an API's answer; undefined for anything else. */
export function parseForgeId(value: JsonValue | undefined): ForgeId | undefined {
  const text =
    typeof value === 'number' && Number.isSafeInteger(value) && value > 0
      ? String(value)
      : typeof value === 'string'
        ? value.replace(/^\{(.*)\}$/, '$1')
        : '';
  return /^[0-9A-Za-z][0-9A-Za-z-]{0,63}$/.test(text) ? (text as ForgeId) : undefined;
}

/** True for the field of a stored record: absent, or a place that this program wrote. */
export function isForgePlace(value: JsonValue | undefined): boolean {
  if (value === undefined) return true;
  if (!isJsonObject(value)) return false;
  const { connection, web, id, url } = value;
  return isConnectionId(connection) && parseForgeId(id) === id && typeof web === 'string' && typeof url === 'string';
}
