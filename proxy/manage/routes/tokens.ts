// Tokens over HTTP: the same service as `libretto token`.

import { RegistryError } from '../../../build/contract/errors.ts';
import { TokenError } from '../../auth/token-error.ts';
import type { TokenKind } from '../../auth/token-format.ts';
import type { TokenUses } from '../../auth/token-uses.ts';
import { effectiveLimit, type TokenRecord } from '../../auth/token.ts';
import type { Tokens } from '../../auth/tokens.ts';
import type { MaybeAsync } from '../../../build/shared/concurrency/maybe-async.ts';
import type { Counters } from '../../limits/counters.ts';
import { limitWindowMs } from '../../limits/windows.ts';
import type { PublishedFiles } from '../../tree/published-files.ts';
import type { Actor } from '../../state/audit.ts';
import { explainToken, type MirroredReleases } from '../../auth/explain-token.ts';
import { actor, type Api, type ApiContext } from '../frame/api.ts';
import { page } from '../frame/page.ts';
import { showExplanation } from '../schemas/token-explanation.ts';
import { showToken, tokenRotation } from '../schemas/token.ts';
import {
  listTokens,
  createToken,
  getToken,
  updateToken,
  rotateToken,
  explainTokenView,
  revokeToken,
} from './token-operations.ts';

export interface TokenServices {
  readonly tokensOf: (actor: Actor) => Tokens;
  readonly defaultLimits: () => MaybeAsync<Readonly<Record<TokenKind, number>>>;
  readonly uses: Pick<TokenUses, 'of'>;
  readonly counters: Pick<Counters, 'peek' | 'degraded'>;
  /** files of the served tree */
  readonly published: PublishedFiles;
  /** undefined: mirroring is off */
  readonly mirroredReleases?: MirroredReleases | undefined;
}

// The OpenAPI document lists the operations in this order.
export function registerTokens(api: Api, services: TokenServices): void {
  registerRecords(api, services);
  registerActions(api, services);
}

function registerRecords(api: Api, services: TokenServices): void {
  const { tokensOf } = services;
  api.openapi(listTokens, async (context) => {
    const records = (await tokensOf(actor(context)).list()).filter((record) => maySee(context, record));
    const { data, next_cursor } = page(
      records,
      context.req.valid('query'),
      ({ created_at, id }) => `${created_at} ${id}`,
    );
    return context.json({ data: await showTokens(services, data, context.env.exchange.nowMs), next_cursor }, 200);
  });
  api.openapi(createToken, async (context) => {
    const { rate_limit, expires_at, description, kind, ...limits } = context.req.valid('json');
    await assertLimit(services, context, { kind, limit: rate_limit ?? null });
    const { record, secret } = await tokensOf(actor(context))
      .create({ description, kind, limits, limit: rate_limit ?? null, expiresAt: asDate(expires_at ?? null) })
      .catch(asRegistryError);
    return context.json({ ...(await show(services, context, record)), token: secret.reveal() }, 201);
  });
  api.openapi(getToken, async (context) =>
    context.json(await show(services, context, await find(services, context, context.req.valid('param').id)), 200),
  );
  api.openapi(updateToken, async (context) => {
    const record = await find(services, context, context.req.valid('param').id);
    const { kind, rate_limit, expires_at, description, ...limits } = context.req.valid('json');
    if (kind !== undefined) throw new RegistryError('KIND_IMMUTABLE');
    if (rate_limit !== undefined)
      await assertLimit(services, context, { kind: record.kind, limit: rate_limit }, record);
    const patch = {
      limits,
      ...(description === undefined ? {} : { description }),
      ...(rate_limit === undefined ? {} : { limit: rate_limit }),
      ...(expires_at === undefined ? {} : { expiresAt: asDate(expires_at) }),
    };
    const changed = await tokensOf(actor(context)).update(record.id, patch).catch(asRegistryError);
    return context.json(await show(services, context, changed), 200);
  });
}

function registerActions(api: Api, services: TokenServices): void {
  const { tokensOf } = services;
  api.openapi(rotateToken, async (context) => {
    const { id } = await find(services, context, context.req.valid('param').id);
    const { grace_seconds } = tokenRotation.parse(context.req.valid('json') ?? {});
    const { record, secret } = await tokensOf(actor(context)).rotate(id, grace_seconds).catch(asRegistryError);
    return context.json({ ...(await show(services, context, record)), token: secret.reveal() }, 200);
  });
  api.openapi(explainTokenView, async (context) => {
    const record = await find(services, context, context.req.valid('param').id);
    const { package: name, version, from } = context.req.valid('query');
    const explanation = await explainToken(
      services.published,
      record,
      { name, version, from, nowMs: context.env.exchange.nowMs },
      services.mirroredReleases,
    );
    if (explanation === undefined)
      throw new RegistryError('INVALID_INPUT', {
        details: { issues: [{ path: 'package', message: 'must be the name of a package, such as acme/hello' }] },
      });
    return context.json(showExplanation(explanation, record), 200);
  });
  api.openapi(revokeToken, async (context) => {
    const { id } = await find(services, context, context.req.valid('param').id);
    return context.json(await show(services, context, (await tokensOf(actor(context)).revoke(id)).record), 200);
  });
}

async function show(services: TokenServices, context: ApiContext, record: TokenRecord) {
  const [shown] = await showTokens(services, [record], context.env.exchange.nowMs);
  if (shown === undefined) throw new Error('a token has no document');
  return shown;
}

async function showTokens(
  { defaultLimits, uses, counters }: TokenServices,
  records: readonly TokenRecord[],
  nowMs: number,
): Promise<ReturnType<typeof showToken>[]> {
  const [defaults, used, windows] = await Promise.all([
    defaultLimits(),
    uses.of(records.map(({ id }) => id)),
    Promise.all(records.map(({ id }) => counters.peek(id, limitWindowMs, nowMs))),
  ]);
  return records.map((record, at) =>
    showToken(record, { defaults, nowMs, use: used.get(record.id), window: windows[at] }),
  );
}

/**
 * Only an admin assigns an hourly limit. A maintainer's token gets at most the default of its kind, or the limit that
 * an admin has set. `before`: the token that changes; undefined for a new token. Throws INSUFFICIENT_SCOPE.
 */
async function assertLimit(
  { defaultLimits }: TokenServices,
  { env: { caller } }: ApiContext,
  wanted: Pick<TokenRecord, 'kind' | 'limit'>,
  before?: TokenRecord,
): Promise<void> {
  if (caller.kind === 'user' && caller.role === 'admin') return;
  const defaults = await defaultLimits();
  const limit = effectiveLimit(wanted, defaults); // 0: without a limit
  const allowed = [defaults[wanted.kind], ...(before === undefined ? [] : [effectiveLimit(before, defaults)])];
  if (allowed.some((one) => one === 0 || (limit !== 0 && limit <= one))) return;
  throw new RegistryError('INSUFFICIENT_SCOPE', {
    message: `Only an admin may give a token more than ${Math.max(...allowed)} requests an hour.`,
  });
}

/** For a maintainer, tokens of other people do not exist. */
async function find({ tokensOf }: TokenServices, context: ApiContext, id: string): Promise<TokenRecord> {
  const record = await tokensOf(actor(context)).get(id).catch(asRegistryError);
  if (!maySee(context, record)) throw new RegistryError('NOT_FOUND');
  return record;
}

function maySee({ env: { caller } }: ApiContext, record: TokenRecord): boolean {
  return caller.kind === 'user' && (caller.role === 'admin' || record.created_by === `user:${caller.userId}`);
}

function asDate(text: string | null): Date | null {
  return text === null ? null : new Date(text);
}

const fieldOf = {
  DESCRIPTION_INVALID: 'description',
  LIMIT_INVALID: 'rate_limit',
  EXPIRY_INVALID: 'expires_at',
  GRACE_INVALID: 'grace_seconds',
  NOTHING_TO_CHANGE: '',
} as const;

function asRegistryError(error: unknown): never {
  if (!(error instanceof TokenError)) throw error;
  const { code, message, issues } = error;
  if (code === 'TOKEN_UNKNOWN') throw new RegistryError('NOT_FOUND', { message: 'Token not found.' });
  if (code === 'TOKEN_REVOKED') throw new RegistryError('TOKEN_REVOKED');
  if (code === 'TOKEN_ROTATED') throw new RegistryError('CONFLICT', { message });
  if (code === 'VIEW_INVALID')
    throw new RegistryError('INVALID_INPUT', { details: { issues: issues.map((issue) => ({ ...issue })) } });
  throw new RegistryError('INVALID_INPUT', { details: { issues: [{ path: fieldOf[code], message }] } });
}
