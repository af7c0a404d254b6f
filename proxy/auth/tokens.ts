// Making, listing, changing and revoking tokens. The command line and the management API both call this. Every change
// is one commit with its audit event (I8). A token's text leaves this service once, in the result of `create` or
// `rotate`, after the commit is durable (I7).

import type { JsonObject } from '../../build/contract/json.ts';
import type { ChangeParts, Actor } from '../state/audit.ts';
import { compareText } from '../../build/shared/text/compare-text.ts';
import type { Secret } from '../../build/shared/text/secret.ts';
import { TokenError } from './token-error.ts';
import { type TokenHash, mintToken } from '../core/tokens/token-format.ts';
import { rotateToken } from './rotate-token.ts';
import {
  mintTokenId,
  parseTokenId,
  parseTokenRecord,
  tokenKey,
  tokenKeyPrefix,
  type TokenRecord,
  tokenHashKey,
} from '../core/tokens/token.ts';
import {
  assertChangeable,
  checkedFields,
  assertUseful,
  givenLimits,
  type TokenDraft,
  type TokenPatch,
} from './token-fields.ts';
import type { StateChange } from '../core/state/state-store.ts';
import { noLimits } from '../core/views/token-limits.ts';
import type { RandomBytes } from '../../build/shared/text/base62.ts';
import { parseExpiry, standardExpiry } from './expiry.ts';

// The record of a new token with its rows, for the commit that makes it.

export interface NewToken extends Pick<StateChange, 'conditions' | 'puts'> {
  readonly record: TokenRecord;
  readonly secret: Secret;
}

/** Throws TokenError for a faulty draft. */
export function newToken(
  { now, randomBytes, actor }: { readonly now: () => number; readonly randomBytes: RandomBytes; readonly actor: Actor },
  draft: TokenDraft,
): NewToken {
  const nowMs = now();
  const fields = checkedFields({ expiresAt: parseExpiry(standardExpiry, nowMs), ...draft }, nowMs);
  const { description = '', limit = null, expires_at = null, ...limits } = fields;
  const { secret, hash } = mintToken(draft.kind, randomBytes);
  const id = draft.id ?? mintTokenId(randomBytes);
  const record: TokenRecord = {
    id,
    description,
    kind: draft.kind,
    limit,
    created_at: new Date(nowMs).toISOString(),
    created_by: actor,
    ...(draft.person === undefined ? {} : { person: draft.person }),
    expires_at,
    revoked_at: null,
    ...noLimits,
    ...limits,
    hash,
    previous_hash: null,
    previous_expires_at: null,
  };
  assertUseful(record);
  return {
    record,
    secret,
    conditions: [
      { key: tokenKey(id), revision: null },
      { key: tokenHashKey(hash), revision: null },
    ],
    puts: [
      { key: tokenKey(id), value: { ...record } },
      { key: tokenHashKey(hash), value: id },
    ],
  };
}

export type Tokens = ReturnType<typeof createTokens>;

export type TokensOptions = ChangeParts;

/** Every call may throw TokenError with words for the person who made it. */
export function createTokens(options: TokensOptions) {
  return {
    /** An id for a draft. */
    newId: () => mintTokenId(options.randomBytes),
    create: (draft: TokenDraft) => create(options, draft),
    /** All tokens, including revoked and expired ones, oldest first. */
    list: () => list(options),
    get: async (id: string) => (await find(options, id)).record,
    update: (id: string, patch: TokenPatch) => update(options, id, patch),
    /**
     * Makes a new secret. The former one stays valid for `graceSeconds` (0: it ends immediately); an older one ends. Of
     * two concurrent calls one is refused, and so is one whose `replaced` is not the token's current hash.
     */
    rotate: (id: string, graceSeconds?: number, replaced?: TokenHash) =>
      rotateToken(options, () => find(options, id), graceSeconds, replaced),
    /** A repeated call changes nothing and reports this in `already`. */
    revoke: (id: string) => revoke(options, id),
  };
}

async function create(options: TokensOptions, draft: TokenDraft): Promise<{ record: TokenRecord; secret: Secret }> {
  const { store, actor } = options;
  const { record, secret, conditions, puts } = newToken(options, draft);
  const { id, kind, description, limit, expires_at } = record;
  const done = await store.commit(
    { conditions, puts, deletes: [] },
    {
      actor,
      action: 'token.create',
      subject: id,
      details: { description, kind, limit, expires_at, ...givenLimits(record) },
    },
  );
  if (done) return { record, secret };
  if (draft.id === undefined) throw new Error('a freshly minted token exists: the source of randomness repeats itself');
  throw new TokenError('TOKEN_EXISTS', `The token ${id} was made already. Its secret is not shown again.`);
}

async function list({ store }: TokensOptions): Promise<TokenRecord[]> {
  const records = (await store.range(tokenKeyPrefix)).map(({ value }) => parseTokenRecord(value));
  return records.sort((a, b) => compareText(a.created_at, b.created_at) || compareText(a.id, b.id));
}

async function update(options: TokensOptions, id: string, patch: TokenPatch): Promise<TokenRecord> {
  const changes = checkedFields(patch, options.now());
  if (Object.keys(changes).length === 0)
    throw new TokenError(
      'NOTHING_TO_CHANGE',
      'Nothing to change. Give a description, a limit, an expiry, or other limits of the token.',
    );
  return change(options, id, 'token.update', { ...(changes as JsonObject) }, (record) => {
    if (record.revoked_at !== null)
      throw new TokenError(
        'TOKEN_REVOKED',
        `The token ${record.id} was revoked on ${record.revoked_at} and stays so. Create another.`,
      );
    assertChangeable(record);
    const changed = { ...record, ...changes };
    // the limits of a record from before views stay, until a change sets them
    if (changes.packages !== undefined || changes.constraints !== undefined) assertUseful(changed);
    return changed;
  });
}

async function revoke(options: TokensOptions, id: string): Promise<{ record: TokenRecord; already: boolean }> {
  const revokedAt = new Date(options.now()).toISOString();
  let already = false;
  const record = await change(options, id, 'token.revoke', {}, (current) => {
    already = current.revoked_at !== null;
    return already ? current : { ...current, revoked_at: revokedAt };
  });
  return { record, already };
}

/**
 * Reads, changes and commits, again from the start when another process came first. An unchanged record is not written.
 */
async function change(
  options: TokensOptions,
  id: string,
  action: string,
  details: JsonObject,
  edit: (record: TokenRecord) => TokenRecord,
): Promise<TokenRecord> {
  for (;;) {
    const { record, revision } = await find(options, id);
    const edited = edit(record);
    if (edited === record) return record;
    const key = tokenKey(record.id);
    const done = await options.store.commit(
      { conditions: [{ key, revision }], puts: [{ key, value: { ...edited } }], deletes: [] },
      { actor: options.actor, action, subject: record.id, details },
    );
    if (done) return edited;
  }
}

async function find({ store }: TokensOptions, text: string): Promise<{ record: TokenRecord; revision: number }> {
  const id = parseTokenId(text);
  const entry = id === undefined ? undefined : await store.get(tokenKey(id));
  if (entry !== undefined) return { record: parseTokenRecord(entry.value), revision: entry.revision };
  if (text.startsWith('lib_'))
    throw new TokenError('TOKEN_UNKNOWN', 'This is the token itself, not its id. Ids start with tok_.');
  throw new TokenError('TOKEN_UNKNOWN', `There is no token with the id ${JSON.stringify(text.slice(0, 80))}.`);
}
