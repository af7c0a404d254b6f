// Finds the active token of a request from the Authorization header. This code runs on every request, and caches the
// tokens while the state does not change. A revocation by any process increments the state's generation and takes
// effect with the next request. Unknown, expired, revoked and malformed tokens take the same path: no answer
// distinguishes them.

import type { MaybeAsync } from '../../../build/shared/concurrency/maybe-async.ts';
import type { AddressRange } from '../http/client-address.ts';
import { compileAccess, type Access } from '../views/compile-access.ts';
import type { TokenLimits } from '../views/token-limits.ts';
import type { View } from '../views/view.ts';
import type { StateStore } from '../state/state-store.ts';
import type { ReadPersonStatus, TokenPerson } from './person.ts';
import { hashForeign, hashToken, parseToken, type TokenHash, type TokenKind } from './token-format.ts';
import {
  defaultLimits as standardLimits,
  effectiveLimit,
  foreignSecretPrefix,
  parseTokenPointer,
  parseTokenRecord,
  tokenHashKey,
  tokenKey,
  type TokenId,
  type TokenRecord,
} from './token.ts';

export interface ActiveToken {
  readonly id: TokenId;
  readonly kind: TokenKind;
  /** requests an hour; 0 = unlimited */
  readonly limit: number;
  /** the visible packages and versions; undefined: all */
  readonly view: View | undefined;
  /** the networks of allowed clients; undefined: all */
  readonly networks: readonly AddressRange[] | undefined;
  /** the person whose token it is; undefined: it is nobody's */
  readonly person?: TokenPerson;
}

export type Authentication =
  /** the request has no credential */
  | { readonly outcome: 'absent' }
  /** the credential is invalid */
  | { readonly outcome: 'invalid' }
  | { readonly outcome: 'valid'; readonly token: ActiveToken };

export interface Authenticator {
  /**
   * `authorization`: the header as received. A plain value when the token is remembered or refused by its form, else a
   * promise. Throws or rejects only when the state fails.
   */
  readonly authenticate: (authorization: string | undefined, nowMs: number) => Authentication | Promise<Authentication>;
}

interface CachedToken {
  readonly authentication: Authentication;
  readonly expiresMs: number;
}

/** The tokens in use, as one generation of the state has them. */
interface TokenCache {
  generation: number | undefined;
  /** whether secrets of other registries exist; undefined: not read in this generation */
  hasForeign: boolean | undefined;
  readonly byHash: Map<TokenHash, CachedToken>;
  /**
   * Cache by the header with the token, so that checksum and SHA-256 are computed once and not for every request: 7 µs
   * become 1. Headers are secrets, and stay in this process's memory, where every request brings them anyway. Only
   * valid headers are stored, so that invalid ones cannot fill the cache.
   */
  readonly byHeader: Map<string, CachedToken>;
}

const absent: Authentication = { outcome: 'absent' };
const invalid: Authentication = { outcome: 'invalid' };

export interface AuthenticatorOptions {
  /** requests an hour of tokens without their own limit; read again after each change of the state */
  readonly defaultLimits?: () => MaybeAsync<Readonly<Record<TokenKind, number>>>;
  /** the status of the person of a token, read again after each change of the state; undefined: no personal tokens */
  readonly personStatus?: ReadPersonStatus;
  /** maximum number of cached tokens; a new one replaces the oldest */
  readonly capacity?: number;
}

type Store = Pick<StateStore, 'get' | 'range' | 'generation'>;

export function createAuthenticator(
  store: Store,
  { defaultLimits = () => standardLimits, personStatus, capacity = 10_000 }: AuthenticatorOptions = {},
): Authenticator {
  const cache: TokenCache = { generation: undefined, hasForeign: undefined, byHash: new Map(), byHeader: new Map() };
  const accessOf = readAccess(compileAccess(capacity), personStatus);

  const lookUp = async (hash: TokenHash, generation: number, nowMs: number): Promise<Authentication> => {
    const found = await readToken(store, hash, await defaultLimits(), accessOf);
    if (found === undefined) return invalid;
    // the state may have changed during the lookup: this result then answers its own request, and is not cached
    if (generation === cache.generation) cacheToken(cache.byHash, capacity, hash, found);
    return unlessExpired(found, nowMs);
  };
  /** A secret of another registry has no checksum. Without such secrets, a text of another form reads no state. */
  const lookUpForeign = async (hash: TokenHash, generation: number, nowMs: number): Promise<Authentication> => {
    const exists = (await store.range(foreignSecretPrefix, { limit: 1 })).length > 0;
    if (generation === cache.generation) cache.hasForeign = exists;
    return exists ? lookUp(hash, generation, nowMs) : invalid;
  };
  return {
    authenticate: (authorization, nowMs) => {
      if (authorization === undefined || authorization === '') return absent;
      const inUse = cache.byHeader.get(authorization);
      if (inUse !== undefined && store.generation() === cache.generation) return unlessExpired(inUse, nowMs);
      const text = readCredentials(authorization);
      const token = parseToken(text);
      const hash = token === undefined ? hashForeign(text) : hashToken(token);
      if (hash === undefined) return invalid;
      const generation = store.generation();
      followGeneration(cache, generation);
      if (token === undefined && cache.hasForeign === false) return invalid;
      const known = cache.byHash.get(hash);
      if (known === undefined) return (token === undefined ? lookUpForeign : lookUp)(hash, generation, nowMs);
      cacheToken(cache.byHeader, capacity, authorization, known);
      return unlessExpired(known, nowMs);
    },
  };
}

function unlessExpired({ authentication, expiresMs }: CachedToken, nowMs: number): Authentication {
  return nowMs < expiresMs ? authentication : invalid;
}

/** Forgets the tokens of an earlier generation of the state. */
function followGeneration(cache: TokenCache, generation: number): void {
  if (generation === cache.generation) return;
  cache.byHash.clear();
  cache.byHeader.clear();
  cache.hasForeign = undefined;
  cache.generation = generation;
}

function cacheToken<Key>(tokens: Map<Key, CachedToken>, capacity: number, key: Key, token: CachedToken): void {
  if (tokens.size >= capacity) {
    const [oldest] = tokens.keys();
    if (oldest !== undefined) tokens.delete(oldest);
  }
  tokens.set(key, token);
}

async function readToken(
  store: Store,
  hash: TokenHash,
  limits: Readonly<Record<TokenKind, number>>,
  accessOf: (record: TokenRecord) => MaybeAsync<TokenAccess | undefined>,
): Promise<CachedToken | undefined> {
  const pointer = await store.get(tokenHashKey(hash));
  const entry = pointer === undefined ? undefined : await store.get(tokenKey(parseTokenPointer(pointer.value)));
  if (entry === undefined) return undefined;
  const record = parseTokenRecord(entry.value);
  if (record.revoked_at !== null || (record.hash !== hash && record.previous_hash !== hash)) return undefined;
  const access = await accessOf(record);
  if (access === undefined) return undefined;
  return {
    authentication: {
      outcome: 'valid',
      token: { id: record.id, kind: record.kind, limit: effectiveLimit(record, limits), ...access },
    },
    expiresMs:
      record.hash === hash
        ? endOf(record.expires_at)
        : Math.min(endOf(record.expires_at), endOf(record.previous_expires_at)),
  };
}

type TokenAccess = Access & Pick<ActiveToken, 'person'>;

/** What a token opens; undefined: it is a person's, whose tokens are invalid. */
function readAccess(
  compile: (limits: TokenLimits) => Access,
  personStatus: ReadPersonStatus = () => Promise.resolve(undefined),
): (record: TokenRecord) => MaybeAsync<TokenAccess | undefined> {
  return (record) => {
    if (record.person === undefined) return compile(record);
    return personStatus(record.person).then(
      (status) => status && { ...compile({ ...record, packages: status.packages }), person: status.person },
    );
  };
}

function endOf(time: string | null): number {
  return time === null ? Number.POSITIVE_INFINITY : Date.parse(time);
}

/** Room for a long user name in front of a token; a longer header is not decoded. */
const longestHeader = 1024;

/**
 * The text in the token's place: `Bearer <token>` (RFC 6750 §2.1), or `Basic` (RFC 7617 §2) with the token as the
 * password and any user name. Composer's login prompt can send only the latter. Scheme names are case-insensitive (RFC
 * 9110 §11.1).
 */
function readCredentials(header: string): string {
  if (header.length > longestHeader) return '';
  const [, scheme = '', value = ''] = /^([A-Za-z]+) +([\w.~+/=-]+) *$/.exec(header) ?? [];
  switch (scheme.toLowerCase()) {
    case 'bearer':
      return value;
    case 'basic': {
      const pair = Buffer.from(value, 'base64').toString('latin1');
      const colon = pair.indexOf(':');
      return colon < 0 ? '' : pair.slice(colon + 1);
    }
    default:
      return '';
  }
}
