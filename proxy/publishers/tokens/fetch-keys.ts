// Fetches the public keys of an issuer: its discovery document, and the key set that it names. Every request passes the
// guard of all egress.

import type { JSONWebKeySet } from 'jose';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../build/contract/json.ts';
import { parseUrl } from '../../../build/contract/parse-url.ts';
import { checkedUrl } from '../../../build/egress/checked-url.ts';
import { explainFailure, getGuarded, type GuardedAccess } from '../../../build/egress/guarded-request.ts';
import { readDecoded } from '../../mirror/upstream/decoded-body.ts';

/** `issuer`: its address. Rejects with KeysUnavailable. */
export type FetchKeys = (issuer: string) => Promise<JSONWebKeySet>;

/** The message says why, and contains no secret. */
export class KeysUnavailable extends Error {}

/** For both requests together. */
const timeoutMs = 5000;
const longestDocument = 256 * 1024;
const mostKeys = 100;

export function createFetchKeys(access: GuardedAccess, userAgent: string): FetchKeys {
  return async (issuer) => {
    const signal = AbortSignal.timeout(timeoutMs);
    const get = (address: string): Promise<JsonObject> => getJson(address, access, { signal, userAgent });
    const discovery = await get(`${issuer.replace(/\/+$/, '')}/.well-known/openid-configuration`);
    if (discovery['issuer'] !== issuer)
      throw new KeysUnavailable(`${issuer} describes itself as another issuer, ${shown(discovery['issuer'])}.`);
    return keySetOf(await get(keysAddress(issuer, discovery['jwks_uri'])), issuer);
  };
}

/** Keys from another place need TLS; those of the issuer itself come as its description did. */
function keysAddress(issuer: string, address: JsonValue | undefined): string {
  const url = typeof address === 'string' ? parseUrl(address) : undefined;
  if (url !== undefined && (url.protocol === 'https:' || url.origin === new URL(issuer).origin)) return url.href;
  throw new KeysUnavailable(`${issuer} names no usable address of its keys (jwks_uri is ${shown(address)}).`);
}

function keySetOf({ keys }: JsonObject, issuer: string): JSONWebKeySet {
  const isSet = Array.isArray(keys) && keys.length <= mostKeys && keys.every(isJsonObject);
  if (!isSet) throw new KeysUnavailable(`The keys of ${issuer} are no key set with at most ${mostKeys} keys.`);
  return { keys } as unknown as JSONWebKeySet;
}

async function getJson(
  address: string,
  access: GuardedAccess,
  { signal, userAgent }: { readonly signal: AbortSignal; readonly userAgent: string },
): Promise<JsonObject> {
  const headers = { 'user-agent': userAgent, accept: 'application/json', 'accept-encoding': 'gzip, br' };
  try {
    const first = checkedUrl(address, access.policy);
    const { response } = await getGuarded(first, access, { signal, headers: () => headers });
    const body = await readDecoded(response.body, response.headers['content-encoding'], longestDocument);
    if (response.status !== 200) throw new KeysUnavailable(`${address} answered with status ${response.status}.`);
    return parsed(body.toString('utf8'), address);
  } catch (error) {
    if (error instanceof KeysUnavailable) throw error;
    const { message } = explainFailure(error, address, timeoutMs);
    throw new KeysUnavailable(message, { cause: error });
  }
}

function parsed(text: string, address: string): JsonObject {
  try {
    const value = JSON.parse(text) as JsonValue;
    if (isJsonObject(value)) return value;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new KeysUnavailable(`${address} did not answer with a JSON object.`);
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? 'missing').slice(0, 200);
}
