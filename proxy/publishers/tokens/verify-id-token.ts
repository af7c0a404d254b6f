// Verifies an ID token: its issuer, its signature, its audience and its times. `iss` is read before the signature is
// checked only to choose the keys.

import type { OnceKind } from '../../state/used-once.ts';
import { createHash } from 'node:crypto';
import { compactVerify, decodeJwt, decodeProtectedHeader, errors, type JWSHeaderParameters } from 'jose';
import { dialects } from '../claims/dialects.ts';
import { textOf, type IdTokenClaims } from '../claims/job.ts';
import type { Issuer } from '../model/issuer.ts';
import type { IssuerKeys } from '../../oidc/issuer-keys.ts';

export interface IdToken {
  readonly issuer: Issuer;
  readonly claims: IdTokenClaims;
  /** the same for each copy of the token: it is exchanged once */
  readonly onceId: string;
  /** epoch milliseconds */
  readonly expiresMs: number;
}

/** The claim or header that is wrong; null: the token as a whole. */
export interface IdTokenFault {
  readonly claim: string | null;
  readonly expected: string;
  readonly found: string | null;
}

/** Without a judgement of the signature. */
export interface PeekedToken {
  readonly issuer: Issuer;
  readonly claims: IdTokenClaims;
  readonly header: JWSHeaderParameters;
}

export interface VerifierParts {
  readonly issuers: readonly Issuer[];
  readonly keys: IssuerKeys;
  /** epoch milliseconds */
  readonly now: () => number;
}

const leewayMs = 60_000;

/** The exchanged ID tokens, by `onceId`: each works once. */
export const usedIdTokens: OnceKind = { prefix: 'oidc-jti/', row: 'The id of an exchanged ID token', leewayMs };

export const longestIdToken = 16 * 1024;
/**
 * A job's token lives minutes, at GitLab as long as the job. The id of an exchanged one is kept until it has expired.
 */
const longestLifeSeconds = 86_400;
const algorithms = ['RS256', 'ES256'];

/** The token's own words, or why it has none. */
export function peekIdToken(issuers: readonly Issuer[], text: string): PeekedToken | IdTokenFault {
  const decoded = decode(text);
  if (decoded === undefined)
    return { claim: null, expected: `a signed JWT of at most ${longestIdToken} bytes`, found: null };
  const found = textOf(decoded.claims, 'iss');
  const issuer = issuers.find(({ url }) => url === found);
  if (issuer === undefined)
    return { claim: 'iss', expected: 'an issuer that this registry accepts (setting oidcIssuers)', found };
  return { issuer, ...decoded };
}

function decode(text: string): Pick<PeekedToken, 'claims' | 'header'> | undefined {
  if (Buffer.byteLength(text) > longestIdToken || !/^[\w-]+\.[\w-]+\.[\w-]*$/.test(text)) return undefined;
  try {
    return { claims: decodeJwt(text), header: decodeProtectedHeader(text) as JWSHeaderParameters };
  } catch (error) {
    if (error instanceof errors.JOSEError || error instanceof TypeError) return undefined;
    throw error;
  }
}

/** Rejects with IssuerUnavailable. `audience`: the only one that is accepted. */
export async function verifyIdToken(
  { issuers, keys, now }: VerifierParts,
  text: string,
  audience: string,
): Promise<IdToken | IdTokenFault> {
  const peeked = peekIdToken(issuers, text);
  if (!('issuer' in peeked)) return peeked;
  const { issuer, claims, header } = peeked;
  const fault =
    (await signatureFault(keys, issuer, header, text)) ??
    audienceFault(issuer, claims, audience) ??
    timeFault(claims, now());
  if (fault !== undefined) return fault;
  const id = textOf(claims, 'jti');
  if (id === null && dialects[issuer.kind].hasTokenIds)
    return { claim: 'jti', expected: 'an id of the token, so that it can be exchanged once', found: null };
  // the signature is left out: other bytes can be a valid signature of the same text
  const once = id === null ? `text ${text.slice(0, text.lastIndexOf('.'))}` : `jti ${id}`;
  return {
    issuer,
    claims,
    onceId: createHash('sha256')
      .update(JSON.stringify([issuer.url, once]))
      .digest('hex'),
    expiresMs: Number(claims['exp']) * 1000,
  };
}

async function signatureFault(
  keys: IssuerKeys,
  issuer: Issuer,
  header: JWSHeaderParameters,
  text: string,
): Promise<IdTokenFault | undefined> {
  const { alg, kid } = header;
  if (alg === undefined || !algorithms.includes(alg))
    return { claim: 'alg', expected: algorithms.join(' or '), found: shown(alg) };
  const key = await keys.keyFor(issuer.url, header);
  if (key === undefined)
    return {
      claim: 'kid',
      expected: `a key of ${issuer.url} for ${alg} (a new key is known after a minute)`,
      found: shown(kid),
    };
  try {
    await compactVerify(text, key, { algorithms });
    return undefined;
  } catch (error) {
    if (!(error instanceof errors.JOSEError) && !(error instanceof TypeError)) throw error;
    return { claim: null, expected: `a signature by the key of ${issuer.url}`, found: null };
  }
}

/** One audience alone: a token for several could have been sent here by any of the others. */
function audienceFault({ kind }: Issuer, { aud }: IdTokenClaims, audience: string): IdTokenFault | undefined {
  const { listsAudience } = dialects[kind];
  const only: unknown = listsAudience && Array.isArray(aud) && aud.length === 1 ? aud[0] : aud;
  if (only === audience) return undefined;
  const expected = listsAudience ? `${audience}, and no other audience` : `exactly the text ${audience}`;
  return { claim: 'aud', expected, found: shown(aud) };
}

function timeFault({ exp, iat, nbf }: IdTokenClaims, nowMs: number): IdTokenFault | undefined {
  const at = new Date(nowMs).toISOString();
  if (!isTime(exp)) return { claim: 'exp', expected: 'a time', found: shown(exp) };
  if (!isTime(iat)) return { claim: 'iat', expected: 'a time', found: shown(iat) };
  if (nbf !== undefined && !isTime(nbf)) return { claim: 'nbf', expected: 'a time', found: shown(nbf) };
  if (nowMs >= exp * 1000 + leewayMs) return { claim: 'exp', expected: `later than now, ${at}`, found: timeText(exp) };
  if (iat * 1000 > nowMs + leewayMs) return { claim: 'iat', expected: `not after now, ${at}`, found: timeText(iat) };
  if (nbf !== undefined && nbf * 1000 > nowMs + leewayMs)
    return { claim: 'nbf', expected: `not after now, ${at}`, found: timeText(nbf) };
  if (exp - iat > longestLifeSeconds)
    return { claim: 'exp', expected: `at most 24 hours after iat, ${timeText(iat)}`, found: timeText(exp) };
  return undefined;
}

/** Seconds within the years that Date can write. */
function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && Math.abs(value) < 8_640_000_000_000;
}

function timeText(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}

function shown(value: unknown): string | null {
  if (value === undefined) return null;
  return (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).slice(0, 200);
}
