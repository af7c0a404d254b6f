// Fetches what an issuer says of itself: its discovery document, and the key set that it names. Every request passes
// the guard of all egress.

import type { JSONWebKeySet } from 'jose';
import { isJsonObject, type JsonObject, type JsonValue } from '../../build/contract/json.ts';
import { parseUrl } from '../../build/contract/parse-url.ts';
import { explainFailure } from '../../build/egress/guarded-request.ts';
import type { GuardedFetch } from './guarded-fetch.ts';

export interface IssuerDocuments {
  /** the discovery document; its `issuer` is the address */
  readonly description: JsonObject;
  readonly keys: JSONWebKeySet;
}

/** `issuer`: its address. Rejects with IssuerUnavailable. */
export type FetchIssuer = (issuer: string) => Promise<IssuerDocuments>;

/** The message says why, and contains no secret. */
export class IssuerUnavailable extends Error {
  /** the message without the advice when to try again */
  readonly fault: string;

  /** `again`: seconds until the next request is of use */
  constructor(fault: string, { cause, again }: { readonly cause?: unknown; readonly again?: number } = {}) {
    super(
      again === undefined ? fault : `${fault} Try again in ${again} seconds.`,
      cause === undefined ? {} : { cause },
    );
    this.fault = fault;
  }
}

/** For both requests together. */
const timeoutMs = 5000;
const mostKeys = 100;

export function createFetchIssuer(fetch: GuardedFetch): FetchIssuer {
  return async (issuer) => {
    const signal = AbortSignal.timeout(timeoutMs);
    const get = (address: string): Promise<JsonObject> => getJson(address, fetch, signal);
    const description = await get(`${issuer.replace(/\/+$/, '')}/.well-known/openid-configuration`);
    if (description['issuer'] !== issuer)
      throw new IssuerUnavailable(`${issuer} describes itself as another issuer, ${shown(description['issuer'])}.`);
    return { description, keys: keySetOf(await get(issuerEndpoint(description, 'jwks_uri')), issuer) };
  };
}

/**
 * An address of the discovery document. Another place than the issuer's needs TLS; the issuer's own comes as its
 * description did. Throws IssuerUnavailable.
 */
export function issuerEndpoint(description: JsonObject, name: string): string {
  const issuer = String(description['issuer']);
  const address = description[name];
  const url = typeof address === 'string' ? parseUrl(address) : undefined;
  if (url !== undefined && (url.protocol === 'https:' || url.origin === new URL(issuer).origin)) return url.href;
  const what = name === 'jwks_uri' ? ' of its keys' : '';
  throw new IssuerUnavailable(`${issuer} names no usable address${what} (${name} is ${shown(address)}).`);
}

function keySetOf({ keys }: JsonObject, issuer: string): JSONWebKeySet {
  const isSet = Array.isArray(keys) && keys.length <= mostKeys && keys.every(isJsonObject);
  if (!isSet) throw new IssuerUnavailable(`The keys of ${issuer} are no key set with at most ${mostKeys} keys.`);
  return { keys } as unknown as JSONWebKeySet;
}

async function getJson(address: string, fetch: GuardedFetch, signal: AbortSignal): Promise<JsonObject> {
  try {
    const answer = await fetch(address, { method: 'GET', headers: { accept: 'application/json' }, signal });
    if (answer.status !== 200) throw new IssuerUnavailable(`${address} answered with status ${answer.status}.`);
    return parsed(await answer.text(), address);
  } catch (error) {
    throw asUnavailable(error, address);
  }
}

/** A failed request in words. */
export function asUnavailable(error: unknown, address: string, waitedMs = timeoutMs): IssuerUnavailable {
  if (error instanceof IssuerUnavailable) return error;
  const { message } = explainFailure(error, address, waitedMs);
  return new IssuerUnavailable(message, { cause: error });
}

function parsed(text: string, address: string): JsonObject {
  try {
    const value = JSON.parse(text) as JsonValue;
    if (isJsonObject(value)) return value;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new IssuerUnavailable(`${address} did not answer with a JSON object.`);
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? 'missing').slice(0, 200);
}
