// Takes over the tokens of another registry. A secret whose SHA-256 is known stays valid, so that its clients change the
// host alone. Other users get a new secret. A repeated import changes nothing, also after a rotation or a revocation.

import type { Secret } from '../../build/shared/text/secret.ts';
import { foreignSecretKey, parseTokenRecord, tokenHashKey, tokenKey, tokenKeyPrefix } from '../core/tokens/token.ts';
import type { TokenId, TokenRecord } from '../core/tokens/token.ts';
import type { TokenHash, TokenKind } from '../core/tokens/token-format.ts';
import type { TokenLimits } from '../core/views/token-limits.ts';
import type { ChangeParts } from '../state/audit.ts';
import { TokenError } from './token-error.ts';
import { givenLimits } from './token-fields.ts';
import { newToken, type NewToken } from './tokens.ts';

export interface ForeignToken {
  readonly description: string;
  readonly kind: TokenKind;
  /** of the secret that its clients have; undefined: it cannot be used here, and they need a new one */
  readonly hash: TokenHash | undefined;
  /** requests an hour; null: the standard */
  readonly limit: number | null;
  /** null: never */
  readonly expiresAt: Date | null;
}

export interface ImportedToken {
  readonly description: string;
  /** `import`: its secret stays. `create`: with a new secret. `none`: it is here already. `expired`: it is left out */
  readonly change: 'import' | 'create' | 'none' | 'expired';
  /** null: nothing was made, and nothing was here */
  readonly id: TokenId | null;
  /** of a created token */
  readonly secret: Secret | undefined;
}

export interface ImportOptions extends ChangeParts {
  /** of each token */
  readonly limits: Partial<TokenLimits>;
  readonly dryRun: boolean;
}

/** One commit for each token: after a kill, the same import goes on. Throws TokenError. */
export async function importTokens(
  options: ImportOptions,
  tokens: readonly ForeignToken[],
): Promise<readonly ImportedToken[]> {
  const known = (await options.store.range(tokenKeyPrefix)).map(({ value }) => parseTokenRecord(value));
  const done: ImportedToken[] = [];
  for (const token of tokens) done.push(await importToken(options, token, known));
  return done;
}

/** Adds what it makes to the known tokens. */
async function importToken(options: ImportOptions, token: ForeignToken, known: TokenRecord[]): Promise<ImportedToken> {
  const { description, hash, expiresAt, limit, kind } = token;
  const same = known.find((record) =>
    hash === undefined ? record.description === description : record.foreign_hash === hash,
  );
  const unchanged = { description, id: same?.id ?? null, secret: undefined };
  if (same !== undefined) return { ...unchanged, change: 'none' };
  if (expiresAt !== null && expiresAt.getTime() <= options.now()) return { ...unchanged, change: 'expired' };
  const minted = newToken(options, { description, kind, limit, expiresAt, limits: options.limits });
  const { record, secret, conditions, puts } = hash === undefined ? minted : withSecretOf(minted, hash);
  const change = hash === undefined ? 'create' : 'import';
  known.push(record);
  if (options.dryRun) return { ...unchanged, change };
  const { expires_at } = record;
  const details = { description, kind, limit, expires_at, imported: hash !== undefined, ...givenLimits(record) };
  const event = { actor: options.actor, action: 'token.create', subject: record.id, details };
  if (!(await options.store.commit({ conditions, puts, deletes: [] }, event)))
    throw new TokenError('TOKEN_EXISTS', `Another import just made ${description}. Run the import again.`);
  return { description, change, id: record.id, secret: hash === undefined ? secret : undefined };
}

/** The new secret of the token is thrown away: nobody has it. */
function withSecretOf({ record: minted, secret }: NewToken, hash: TokenHash): NewToken {
  const record: TokenRecord = { ...minted, hash, foreign_hash: hash };
  const pointers = [tokenHashKey(hash), foreignSecretKey(hash)].map((key) => ({ key, value: record.id }));
  const puts = [{ key: tokenKey(record.id), value: { ...record } }, ...pointers];
  return { record, secret, puts, conditions: puts.map(({ key }) => ({ key, revision: null })) };
}
