// Reads the tokens that another registry knows: the list of Repman's API, the table of package.broker, or the users of
// a htpasswd file. Pure.

import { isJsonObject, type JsonObject, type JsonValue } from '../../../build/contract/json.ts';
import type { ForeignToken } from '../../../proxy/auth/import-tokens.ts';
import { TokenError } from '../../../proxy/auth/token-error.ts';
import { checkedDescription } from '../../../proxy/auth/token-fields.ts';
import { hashForeign, type TokenHash } from '../../../proxy/core/tokens/token-format.ts';
import { UsageError } from '../../io/usage-error.ts';

/** Throws UsageError, which names the entry. `file`: for messages */
export function parseTokenFile(text: string, file: string): readonly ForeignToken[] {
  const isJson = /^\s*[[{]/.test(text);
  const found = isJson
    ? rowsOf(text, file).map((row, at) => ofRow(row, `${file}, entry ${at + 1}`))
    : ofUsers(text, file);
  if (found.length === 0) throw new UsageError(`${file} lists no token and no user.`);
  return found;
}

const forms =
  'Give the answer of Repman to GET /api/organization/NAME/token, the rows of the table "tokens" of package.broker as ' +
  'JSON, or a htpasswd file.';

/** Repman: `{data: […]}`. package.broker: `[…]` of sqlite3, `[{results: […]}]` of wrangler. */
function rowsOf(text: string, file: string): readonly JsonValue[] {
  let json: JsonValue;
  try {
    json = JSON.parse(text) as JsonValue;
  } catch (error) {
    // the error of the parser quotes the file, and the file has secrets
    throw new UsageError(`${file} is not JSON. ${forms}`, { cause: error });
  }
  const [first] = Array.isArray(json) ? (json as readonly JsonValue[]) : [];
  const inside = isJsonObject(json) ? json['data'] : isJsonObject(first) ? first['results'] : undefined;
  const rows = inside ?? json;
  if (!Array.isArray(rows)) throw new UsageError(`${file} has no list of tokens. ${forms}`);
  return rows as readonly JsonValue[];
}

function ofRow(row: JsonValue, place: string): ForeignToken {
  const { name, value } = isJsonObject(row) ? row : {};
  if (typeof name === 'string' && typeof value === 'string')
    return { ...ofReader(name, place), hash: checkedHash(value, place) };
  if (isJsonObject(row) && typeof row['token_hash'] === 'string') return ofBroker(row, row['token_hash'], place);
  throw new UsageError(`${place} is no token: it needs name and value, or description and token_hash. ${forms}`);
}

/** Times are seconds. No limit is null or 0 there. */
function ofBroker(row: JsonObject, hash: string, place: string): ForeignToken {
  const { description, permissions, rate_limit_max: limit, expires_at: ends } = row;
  if (!/^[0-9a-f]{64}$/i.test(hash)) throw new UsageError(`${place}: token_hash is no SHA-256 in hexadecimal digits.`);
  for (const number of [limit ?? 0, ends ?? 0])
    if (!Number.isSafeInteger(number) || Number(number) < 0 || Number(number) > 8e12)
      throw new UsageError(`${place}: rate_limit_max and expires_at must be whole numbers, or null.`);
  return {
    description: described(description, place),
    kind: permissions === 'write' ? 'write' : 'read',
    hash: hash.toLowerCase() as TokenHash,
    limit: typeof limit === 'number' ? limit : 0,
    expiresAt: typeof ends === 'number' ? new Date(ends * 1000) : null,
  };
}

function checkedHash(secret: string, place: string): TokenHash {
  const hash = hashForeign(secret);
  if (hash !== undefined) return hash;
  throw new UsageError(
    `${place}: the value is shorter than a token of Repman, or has other characters. A short one could be guessed: remove ` +
      'the entry, and create a token for it.',
  );
}

/** Their hashes are slow ones of passwords, which no server can check with each request. */
function ofUsers(text: string, file: string): readonly ForeignToken[] {
  return text.split(/\r?\n/).flatMap((line, at) => {
    if (line.trim() === '' || line.startsWith('#')) return [];
    const place = `${file}, line ${at + 1}`;
    const colon = line.indexOf(':');
    if (colon < 1) throw new UsageError(`${place} has no user name before a colon. ${forms}`);
    return [ofReader(line.slice(0, colon), place)];
  });
}

function ofReader(name: string, place: string): ForeignToken {
  return { description: described(name, place), kind: 'read', hash: undefined, limit: null, expiresAt: null };
}

function described(text: unknown, place: string): string {
  try {
    return checkedDescription(typeof text === 'string' ? text : '');
  } catch (error) {
    throw error instanceof TokenError ? new UsageError(`${place}: ${error.message}`, { cause: error }) : error;
  }
}
