// Where a registered repository is at its forge. The forge's own id is the identity: a renamed repository keeps its
// record and its published versions, and git fetches it from its new address.

import { z } from 'zod';
import type { Branded } from '../../build/contract/brand.ts';
import type { JsonValue } from '../../build/contract/json.ts';
import { idsOf } from '../../build/shared/text/base62.ts';
import type { RowOf } from '../state/rows.ts';

/** `conn_` and 16 base62 characters. */
export type ConnectionId = Branded<string, 'ConnectionId'>;
export const { mint: mintConnectionId, is: isConnectionId, parse: parseConnectionId } = idsOf<ConnectionId>('conn');

/** The id that the forge gives a repository for its whole life: a number, or a UUID without braces. */
export type ForgeId = Branded<string, 'ForgeId'>;

export const forgePlace = z.object({
  /** its credentials read the repository, unless the repository has its own */
  connection: z.custom<ConnectionId>(isConnectionId),
  /** the address of the forge in a browser; with the id, the identity of the repository */
  web: z.string(),
  id: z.custom<ForgeId>((value) => typeof value === 'string' && parseForgeId(value) === value),
  /** the address that git fetches from now */
  url: z.string(),
});
export type ForgePlace = RowOf<typeof forgePlace>;

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
