// Signatures of version 4. A request is signed with the SHA-256 of its body, which is known before it is sent, so that
// a body is streamed once. All headers that are given here are signed; those that proxies change are added later.

import { AwsV4Signer } from 'aws4fetch';
import type { Secret } from '../shared/text/secret.ts';

export interface StoreKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: Secret;
  /** of a role */
  readonly sessionToken?: Secret | undefined;
  /** epoch milliseconds; undefined: they do not expire */
  readonly expiresMs?: number | undefined;
}

/** Who signs, for which region, at which time of the store's clock. */
export interface Signing {
  readonly keys: StoreKeys;
  readonly region: string;
  readonly atMs: number;
  /** keys derived for a day and a region, for later requests */
  readonly derived: Map<string, ArrayBuffer>;
}

interface SignedParts {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  /** hex SHA-256 of the body */
  readonly sha256: string;
}

/** The headers with the signature. */
export async function signedHeaders(
  url: URL,
  { method, headers, sha256 }: SignedParts,
  signing: Signing,
): Promise<Record<string, string>> {
  const all = { ...headers, 'x-amz-content-sha256': sha256 };
  const signer = new AwsV4Signer({ ...common(signing), method, url: url.href, headers: all, allHeaders: true });
  return Object.fromEntries((await signer.sign()).headers);
}

/** A URL that is the right to GET, for some seconds. */
export async function presignedUrl(url: URL, seconds: number, signing: Signing): Promise<string> {
  const timed = new URL(url);
  timed.searchParams.set('X-Amz-Expires', String(seconds));
  const signer = new AwsV4Signer({ ...common(signing), method: 'GET', url: timed.href, signQuery: true });
  return (await signer.sign()).url.href;
}

const mostDerived = 8;

function common({ keys: { accessKeyId, secretAccessKey, sessionToken }, region, atMs, derived }: Signing) {
  if (derived.size > mostDerived) derived.clear();
  const token = sessionToken === undefined ? {} : { sessionToken: sessionToken.reveal() };
  const datetime = new Date(atMs).toISOString().replace(/[:-]|\.\d{3}/g, '');
  const secret = secretAccessKey.reveal();
  return { accessKeyId, secretAccessKey: secret, ...token, service: 's3', region, datetime, cache: derived };
}
