// The proof of a hook: what its sender shows instead of the secret, or the secret itself. The scheme is that of the
// provider, and the algorithm is always SHA-256. Neither is taken from the request.

import type { IncomingHttpHeaders } from 'node:http';
import { Secret } from '../../../build/shared/text/secret.ts';

export type Proof =
  /** HMAC-SHA256 of the body, or of the payload in a form; all of them must be right */
  | { readonly by: 'body'; readonly digests: readonly Digest[]; readonly isOfPayload?: boolean }
  /** HMAC-SHA256 of the id, the time and the body, as Standard Webhooks says; one of them must be right */
  | { readonly by: 'message'; readonly id: string; readonly timestamp: string; readonly digests: readonly Digest[] }
  /** the secret itself, in a header */
  | { readonly by: 'secret'; readonly text: Secret };

/** 32 bytes; undefined: the sender gave something else, which is never right */
export type Digest = Buffer | undefined;

/** True for a body that its header calls a form. */
export function isForm(headers: IncomingHttpHeaders): boolean {
  return /^application\/x-www-form-urlencoded(?:;|$)/i.test(headerOf(headers, 'content-type') ?? '');
}

/** The value of a header without blanks around it; undefined where it is missing or empty. */
export function headerOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  const text = (Array.isArray(value) ? value.join(', ') : value)?.trim();
  return text === '' ? undefined : text;
}

/**
 * The proof in headers of the form `sha256=<hex>` or `<hex>`, of which a provider may send several. A header without a
 * value is none: Gitea sends `sha256=` where no secret is set.
 */
export function bodyProof(headers: IncomingHttpHeaders, names: readonly string[]): Proof | undefined {
  const values = names
    .map((name) => headerOf(headers, name))
    .filter((value) => value !== undefined && value.toLowerCase() !== 'sha256=') as readonly string[];
  if (values.length === 0) return undefined;
  return { by: 'body', digests: values.map((value) => digestOfHex(value.replace(/^sha256=/i, ''))) };
}

function digestOfHex(text: string): Digest {
  return /^[0-9a-f]{64}$/i.test(text) ? Buffer.from(text, 'hex') : undefined;
}

/** A rotating sender signs with two secrets at once; nobody needs more than a few. */
const mostSignatures = 10;

/** The proof of Standard Webhooks: `webhook-signature` is a list, of which Libretto knows the scheme `v1`. */
export function messageProof(headers: IncomingHttpHeaders): Proof | undefined {
  const signatures = headerOf(headers, 'webhook-signature');
  if (signatures === undefined) return undefined;
  return {
    by: 'message',
    id: headerOf(headers, 'webhook-id') ?? '',
    timestamp: headerOf(headers, 'webhook-timestamp') ?? '',
    digests: signatures.split(/\s+/).slice(0, mostSignatures).map(digestOfSignature),
  };
}

function digestOfSignature(text: string): Digest {
  const [, base64] = /^v1,([A-Za-z0-9+/]{43}=)$/.exec(text) ?? [];
  return base64 === undefined ? undefined : Buffer.from(base64, 'base64');
}

/** The secret in a header of its own. */
export function secretProof(headers: IncomingHttpHeaders, name: string): Proof | undefined {
  const text = headerOf(headers, name);
  return text === undefined ? undefined : { by: 'secret', text: new Secret(text) };
}

/** The secret as a bearer token, or as the password of any user. */
export function authorizationProof(headers: IncomingHttpHeaders): Proof | undefined {
  const [, scheme = '', value = ''] = /^([a-z]+) +(\S+)$/i.exec(headerOf(headers, 'authorization') ?? '') ?? [];
  const text = isScheme(scheme, 'bearer') ? value : isScheme(scheme, 'basic') ? passwordOf(value) : '';
  return text === '' ? undefined : { by: 'secret', text: new Secret(text) };
}

/** Names of schemes have no case (RFC 9110 §11.1). */
function isScheme(given: string, name: string): boolean {
  return given.toLowerCase() === name;
}

function passwordOf(pair: string): string {
  const text = Buffer.from(pair, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  return colon === -1 ? '' : text.slice(colon + 1);
}
