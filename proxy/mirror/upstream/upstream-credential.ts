// The credential for an upstream. The credential goes only to the upstream's own origin, and only over https or to
// this machine.

import { isLoopback } from '../../../build/contract/loopback.ts';

export type UpstreamCredential =
  | { readonly kind: 'bearer'; readonly token: string }
  | { readonly kind: 'basic'; readonly username: string; readonly password: string }
  /** custom headers, for example PRIVATE-TOKEN */
  | { readonly kind: 'headers'; readonly headers: Readonly<Record<string, string>> };

/**
 * The credential exists and cannot be read: then the upstream gets no requests at all. Without the credential it might
 * report existing packages as missing.
 */
export interface UnusableCredential {
  readonly kind: 'unusable';
  /** the fault and the repair, as the continuation of a sentence; without any part of the credential */
  readonly because: string;
}

export type ConfiguredCredential = UpstreamCredential | UnusableCredential;

/** The upstream of a request. Its credential goes to this origin only. */
export interface Destination {
  readonly origin: string;
  readonly credential: ConfiguredCredential | undefined;
}

/** True if a credential may be sent to this URL: over https, or to this machine. */
export function maySendCredential(url: URL): boolean {
  return url.protocol === 'https:' || isLoopback(url.hostname);
}

/** The header that carries it. */
function credentialHeader(credential: UpstreamCredential): Readonly<Record<string, string>> {
  switch (credential.kind) {
    case 'bearer':
      return { authorization: `Bearer ${credential.token}` };
    case 'basic':
      return {
        authorization: `Basic ${Buffer.from(`${credential.username}:${credential.password}`).toString('base64')}`,
      };
    case 'headers':
      return Object.fromEntries(Object.entries(credential.headers).map(([name, value]) => [name.toLowerCase(), value]));
  }
}

/** The headers that carry the credential to the upstream itself; none for any other place. */
export function credentialsFor(
  url: URL,
  home: boolean,
  { origin, credential }: Destination,
): Readonly<Record<string, string>> {
  return credential !== undefined &&
    credential.kind !== 'unusable' &&
    home &&
    url.origin === origin &&
    maySendCredential(url)
    ? credentialHeader(credential)
    : {};
}
