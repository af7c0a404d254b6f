// `libretto token import`: tokens of Repman and package.broker stay valid, users of a htpasswd file get new secrets.

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { importTokens, type ForeignToken, type ImportedToken } from '../../../proxy/auth/import-tokens.ts';
import { createAuditedStore } from '../../../proxy/state/audit.ts';
import { openExistingState } from '../../compose/tokens.ts';
import { makeOrReadDataFolder } from '../../data-folder/open-data-folder.ts';
import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { formatTable, printJson, printLines, revealSecret } from '../../io/output.ts';
import { describeReadFault } from '../../io/read-fault.ts';
import { UsageError } from '../../io/usage-error.ts';
import { openStateToChange } from '../../state/state-to-change.ts';
import { parseLimitFlags } from './token-limit-flags.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../build/contract/json.ts';
import { TokenError } from '../../../proxy/auth/token-error.ts';
import { checkedDescription } from '../../../proxy/auth/token-fields.ts';
import { hashForeign, type TokenHash } from '../../../proxy/core/tokens/token-format.ts';

export async function run(context: Context, { flags, operands }: CommandInput): Promise<number> {
  const { workingDirectory, stdout, remarks, now, randomBytes, actor } = context;
  const file = resolve(workingDirectory, operands[0] ?? '');
  const tokens = readTokens(file);
  const limits = parseLimitFlags(flags);
  const dryRun = flags['dryRun'] === true;
  const { config, announceNew } = await makeOrReadDataFolder(context, flags, 'state');
  const state = await (dryRun ? openExistingState(config) : openStateToChange(config));
  const nowMs = (): number => now().getTime();
  const store = createAuditedStore({ store: state, now: nowMs });
  const imported = await importTokens({ store, now: nowMs, randomBytes, actor, limits, dryRun }, tokens)
    .finally(() => state.close())
    .finally(announceNew);
  const shown = imported.map(({ secret, ...one }) => ({
    ...one,
    token: secret === undefined ? null : revealSecret(secret),
  }));
  if (flags['json'] === true) printJson(stdout, { dry_run: dryRun, tokens: shown });
  else {
    const rows = shown.map(({ description, change, id, token }) => [description, words[change], id ?? '', token ?? '']);
    printLines(stdout, formatTable(['DESCRIPTION', 'CHANGE', 'ID', 'TOKEN (SHOWN ONCE)'], rows));
  }
  if (!dryRun && imported.some(({ change }) => change === 'import'))
    printLines(remarks, [
      'Imported secrets keep working. They have no prefix that secret scanners know: replace each with `libretto token ' +
        'rotate ID`. `libretto doctor` names those that are left.',
    ]);
  await stdout.delivered(shown.some(({ token }) => token !== null) ? undelivered : undefined);
  return 0;
}

const undelivered =
  'Tokens were created, but their secrets could not be printed. Give them new ones with `libretto token rotate ID`.';

function readTokens(file: string): readonly ForeignToken[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${describeReadFault(error)}.`, { cause: error });
  }
  return parseTokenFile(text.replace(/^\ufeff/, ''), file);
}

const words: Readonly<Record<ImportedToken['change'], string>> = {
  import: 'keeps its secret',
  create: 'gets a new secret',
  none: 'is here already',
  expired: 'has expired, and is left out',
};

// Reads the tokens that another registry knows: the list of Repman's API, the table of package.broker, or the users of
// a htpasswd file. Pure.

/** Throws UsageError, which names the entry. `file`: for messages */
function parseTokenFile(text: string, file: string): readonly ForeignToken[] {
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
