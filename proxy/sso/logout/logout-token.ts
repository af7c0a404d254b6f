// Verifies a logout token (OpenID Connect Back-Channel Logout 1.0, §2.4 to §2.6): a provider says in it that a person
// signed out there.

import { decodeJwt, decodeProtectedHeader, errors } from 'jose';
import { isJsonObject, type JsonObject } from '../../../build/contract/json.ts';
import type { IssuerKeys } from '../../oidc/issuer-keys.ts';
import { toleranceSeconds } from '../flow/provider-client.ts';
import { signatureFault } from '../flow/provider-signature.ts';
import type { IdentityProvider } from '../model/provider.ts';

export interface LogoutToken {
  /** the claim `sub`; undefined: only the session is named */
  readonly subject: string | undefined;
  /** the claim `sid`; undefined: all sessions of the subject */
  readonly session: string | undefined;
  /** the claim `jti` */
  readonly id: string;
  readonly expiresMs: number;
}

/** The token is not accepted. The message is for the log of the provider, and contains no secret. */
export class LogoutRefused extends Error {
  override readonly name = 'LogoutRefused';
}

interface VerifyParts {
  readonly keys: IssuerKeys;
  /** epoch milliseconds */
  readonly now: () => number;
}

const longest = 16 * 1024;
const longestName = 255;
const leewayMs = toleranceSeconds * 1000;
/** Its id is kept until it has expired. */
const longestLifeSeconds = 86_400;
const eventName = 'http://schemas.openid.net/event/backchannel-logout';

/** Throws LogoutRefused, IssuerUnavailable. */
export async function verifyLogoutToken(
  { keys, now }: VerifyParts,
  { issuer, clientId }: Pick<IdentityProvider, 'issuer' | 'clientId'>,
  text: string,
): Promise<LogoutToken> {
  const { claims, type } = decoded(text);
  // whoever writes no type names the JWT alone
  if (type !== undefined && !/^(?:application\/)?(?:logout\+jwt|jwt)$/i.test(type))
    throw refusal(`its header typ is ${shown(type)}; expected: logout+jwt`);
  if (claims['iss'] !== issuer) throw refusal(`its claim iss is ${shown(claims['iss'])}; expected: ${issuer}`);
  const fault = await signatureFault(keys, issuer, text, 'logout token');
  if (fault !== undefined) throw refusal(fault);
  assertAudience(claims, clientId);
  const expiresMs = expiryOf(claims, now());
  assertLogoutEvent(claims);
  const [subject, session, id] = ['sub', 'sid', 'jti'].map((name) => nameOf(claims, name));
  if (id === undefined) throw refusal('it has no claim jti');
  if (subject === undefined && session === undefined) throw refusal('it has neither the claim sub nor the claim sid');
  return { subject, session, id, expiresMs };
}

function decoded(text: string): { readonly claims: JsonObject; readonly type: string | undefined } {
  if (text.length > longest || !/^[\w-]+\.[\w-]+\.[\w-]+$/.test(text))
    throw refusal(`it is not a signed JWT of at most ${longest} bytes`);
  try {
    const { typ } = decodeProtectedHeader(text);
    return { claims: decodeJwt(text) as JsonObject, type: typ };
  } catch (error) {
    if (error instanceof errors.JOSEError || error instanceof TypeError) throw refusal('it cannot be decoded');
    throw error;
  }
}

function assertAudience({ aud }: JsonObject, clientId: string): void {
  const audiences: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
  if (!audiences.includes(clientId)) throw refusal(`its claim aud is ${shown(aud)}; expected: ${clientId}`);
}

/** Epoch milliseconds. */
function expiryOf({ exp, iat }: JsonObject, nowMs: number): number {
  if (!isTime(exp)) throw refusal(`its claim exp is ${shown(exp)}; expected: a time`);
  if (!isTime(iat)) throw refusal(`its claim iat is ${shown(iat)}; expected: a time`);
  const here = `here it is ${new Date(nowMs).toISOString()}`;
  if (nowMs >= exp * 1000 + leewayMs) throw refusal(`it has expired (exp ${exp}; ${here})`);
  if (iat * 1000 > nowMs + leewayMs) throw refusal(`it comes from the future (iat ${iat}; ${here})`);
  if (exp - iat > longestLifeSeconds) throw refusal('it is valid for more than 24 hours');
  return exp * 1000;
}

/** An ID token has no such event, and a logout token no nonce: one never passes for the other. */
function assertLogoutEvent(claims: JsonObject): void {
  const { events } = claims;
  const event = isJsonObject(events) && Object.hasOwn(events, eventName) ? events[eventName] : undefined;
  if (!isJsonObject(event)) throw refusal(`its claim events has no member ${eventName}`);
  if (Object.hasOwn(claims, 'nonce')) throw refusal('it has a claim nonce, as an ID token has');
}

/** undefined: the claim is missing. */
function nameOf(claims: JsonObject, name: string): string | undefined {
  const value = claims[name];
  if (value === undefined) return undefined;
  if (typeof value === 'string' && value !== '' && value.length <= longestName) return value;
  throw refusal(`its claim ${name} is no text of at most ${longestName} characters`);
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && Math.abs(value) < 8_640_000_000_000;
}

function shown(value: unknown): string {
  return value === undefined ? 'missing' : JSON.stringify(value).slice(0, 200);
}

function refusal(fault: string): LogoutRefused {
  return new LogoutRefused(`The logout token is not accepted: ${fault}.`);
}
