// The operations on tokens as their caller may use them. An admin manages every token, and a maintainer only the tokens
// that they made themselves: the tokens of others do not exist for them. The policy has admitted the caller before.

import { RegistryError, invalidInput } from '../../build/contract/errors.ts';
import type { MaybeAsync } from '../../build/shared/concurrency/maybe-async.ts';
import type { Actor } from '../state/audit.ts';
import type { PublishedFiles } from '../core/tree/published-files.ts';
import { actorOf, type Caller, type Operator } from './caller.ts';
import { explainToken, type MirroredReleases } from './explain-token.ts';
import type { Explanation, ExplanationRequest } from './explain-view.ts';
import type { Rotation } from './rotate-token.ts';
import { TokenError, type TokenErrorCode } from './token-error.ts';
import type { TokenDraft, TokenPatch } from './token-fields.ts';
import type { TokenHash, TokenKind } from '../core/tokens/token-format.ts';
import { effectiveLimit, type TokenRecord } from '../core/tokens/token.ts';
import type { Tokens } from './tokens.ts';

export type CallerTokens = ReturnType<typeof createCallerTokens>;

export interface CallerTokensOptions {
  readonly tokensOf: (actor: Actor) => Tokens;
  /** requests an hour of a token without a limit of its own; 0: without a limit */
  readonly defaultLimits: () => MaybeAsync<Readonly<Record<TokenKind, number>>>;
  /** files of the served tree */
  readonly published: PublishedFiles;
  /** undefined: mirroring is off */
  readonly mirroredReleases?: MirroredReleases | undefined;
}

/**
 * Every call may throw RegistryError: NOT_FOUND, INVALID_INPUT with the faulty fields as the management API names them,
 * INSUFFICIENT_SCOPE, TOKEN_REVOKED, CONFLICT.
 */
export function createCallerTokens(options: CallerTokensOptions, caller: Caller | Operator) {
  const tokens = options.tokensOf(actorOf(caller));
  const find = async (id: string): Promise<TokenRecord> => {
    const record = await tokens.get(id).catch((error: unknown) => asRegistryError(error, caller.kind === 'operator'));
    if (!maySee(caller, record))
      return asRegistryError(new TokenError('TOKEN_UNKNOWN', 'It is that of somebody else.'));
    return record;
  };
  return {
    /** The tokens that the caller may see, oldest first. */
    list: async () => (await tokens.list()).filter((record) => maySee(caller, record)),
    get: find,
    /** An id for a draft. */
    newId: tokens.newId,
    create: async (draft: TokenDraft): Promise<Rotation> => {
      await assertLimit(options, caller, { kind: draft.kind, limit: draft.limit ?? null });
      return tokens.create(draft).catch(asRegistryError);
    },
    update: async (id: string, patch: TokenPatch): Promise<TokenRecord> => {
      const record = await find(id);
      if (patch.limit !== undefined)
        await assertLimit(options, caller, { kind: record.kind, limit: patch.limit }, record);
      return tokens.update(record.id, patch).catch(asRegistryError);
    },
    /** `replaced`: the hash of the current secret, as the caller has seen it; undefined: any. */
    rotate: async (id: string, graceSeconds?: number, replaced?: TokenHash) =>
      tokens.rotate((await find(id)).id, graceSeconds, replaced).catch(asRegistryError),
    /** A repeated call changes nothing. */
    revoke: async (id: string) => (await tokens.revoke((await find(id)).id)).record,
    explain: async (
      id: string,
      question: Omit<ExplanationRequest, 'entries' | 'mirrored'>,
    ): Promise<{ readonly record: TokenRecord; readonly explanation: Explanation }> => {
      const record = await find(id);
      const explanation = await explainToken(options.published, record, question, options.mirroredReleases).catch(
        asRegistryError,
      );
      if (explanation === undefined) throw invalid('package', 'must be the name of a package, such as acme/hello');
      return { record, explanation };
    },
  };
}

/** An admin, and a maintainer for the tokens that they made. */
export function maySee(caller: Caller | Operator, record: Pick<TokenRecord, 'created_by'>): boolean {
  return managesAll(caller) || (caller.kind === 'user' && record.created_by === `user:${caller.userId}`);
}

function managesAll(caller: Caller | Operator): boolean {
  return caller.kind === 'operator' || (caller.kind === 'user' && caller.role === 'admin');
}

/**
 * Only an admin assigns an hourly limit. A maintainer's token gets at most the default of its kind, or the limit that
 * an admin has set. `before`: the token that changes; undefined for a new token. Throws INSUFFICIENT_SCOPE.
 */
async function assertLimit(
  { defaultLimits }: CallerTokensOptions,
  caller: Caller | Operator,
  wanted: Pick<TokenRecord, 'kind' | 'limit'>,
  before?: TokenRecord,
): Promise<void> {
  if (managesAll(caller)) return;
  const defaults = await defaultLimits();
  const limit = effectiveLimit(wanted, defaults); // 0: without a limit
  const allowed = [defaults[wanted.kind], ...(before === undefined ? [] : [effectiveLimit(before, defaults)])];
  if (allowed.some((one) => one === 0 || (limit !== 0 && limit <= one))) return;
  throw new RegistryError('INSUFFICIENT_SCOPE', {
    message: `Only an admin may give a token more than ${Math.max(...allowed)} requests an hour.`,
  });
}

const fieldOf = {
  DESCRIPTION_INVALID: 'description',
  LIMIT_INVALID: 'rate_limit',
  EXPIRY_INVALID: 'expires_at',
  GRACE_INVALID: 'grace_seconds',
  NOTHING_TO_CHANGE: '',
} as const;

type Conflict = 'TOKEN_ROTATED' | 'TOKEN_EXISTS' | 'TOKEN_OF_PERSON' | 'TOKEN_OF_PUBLISHER';

function isConflict(code: TokenErrorCode): code is Conflict {
  return ['TOKEN_ROTATED', 'TOKEN_EXISTS', 'TOKEN_OF_PERSON', 'TOKEN_OF_PUBLISHER'].includes(code);
}

/** `isOnHost`: nothing is hidden from an operator, also not why a text is no id. */
function asRegistryError(error: unknown, isOnHost?: unknown): never {
  if (!(error instanceof TokenError)) throw error;
  const { code, message, issues } = error;
  if (code === 'TOKEN_UNKNOWN')
    throw new RegistryError('NOT_FOUND', { message: isOnHost === true ? message : 'Token not found.' });
  if (code === 'TOKEN_REVOKED') throw new RegistryError('TOKEN_REVOKED', { message });
  if (isConflict(code)) throw new RegistryError('CONFLICT', { message });
  if (code === 'VIEW_INVALID')
    throw new RegistryError('INVALID_INPUT', { details: { issues: issues.map((issue) => ({ ...issue })) } });
  throw invalid(fieldOf[code], message);
}

function invalid(path: string, message: string): RegistryError {
  return invalidInput({ path, message });
}
