// The secrets of an endpoint: made here, stored sealed, shown once. `v1` has a shared secret. `v1a` has a pair of keys,
// whose private one never leaves the registry.

import { createPrivateKey, createPublicKey } from 'node:crypto';
import { randomBase62, type RandomBytes } from '../../../build/shared/text/base62.ts';
import { Secret } from '../../../build/shared/text/secret.ts';
import { isValidAt, mintSecret } from '../../hooks/hook-record.ts';
import type { Sealer } from '../../keys/sealer.ts';
import type { EndpointRecord, EndpointSecret, SignatureScheme } from './endpoint.ts';

/** The time that a receiver has for the change to a new secret. */
const graceMs = 86_400_000;

export interface MintedSecret {
  readonly stored: EndpointSecret;
  /** what the receiver enters: the shared secret, or the public key */
  readonly shown: Secret;
}

/** `key`: of the endpoint's row, for which the secret is sealed. */
export function mintEndpointSecret(
  parts: { readonly sealer: Sealer; readonly randomBytes: RandomBytes },
  scheme: SignatureScheme,
  key: string,
  nowMs: number,
): MintedSecret {
  if (scheme === 'v1') {
    const { secret, stored } = mintSecret(parts, key, nowMs);
    return { stored: { ...stored, public_key: null }, shown: secret };
  }
  const seed = Buffer.from(parts.randomBytes(32));
  const publicKey = publicKeyOf(seed);
  const privateText = `whsk_${Buffer.concat([seed, publicKey]).toString('base64')}`;
  const publicText = `whpk_${publicKey.toString('base64')}`;
  const stored = {
    id: `whs_${randomBase62(16, parts.randomBytes)}`,
    sealed: parts.sealer.seal(new Secret(privateText), key),
    created_at: new Date(nowMs).toISOString(),
    ends_at: null,
    public_key: publicText,
  };
  return { stored, shown: new Secret(publicText) };
}

/** The secrets with a new current one. The former one signs too for a day, or ends at once with `dropOld`. */
export function rotated(
  { secrets }: Pick<EndpointRecord, 'secrets'>,
  stored: EndpointSecret,
  { dropOld, nowMs }: { readonly dropOld: boolean; readonly nowMs: number },
): readonly EndpointSecret[] {
  const current = dropOld ? undefined : secrets.find((secret) => isValidAt(secret, nowMs));
  const ending = current === undefined ? [] : [{ ...current, ends_at: new Date(nowMs + graceMs).toISOString() }];
  return [stored, ...ending];
}

/** RFC 8410: the DER of an ed25519 key is a fixed head, and the 32 bytes. */
const privateHead = Buffer.from('302e020100300506032b657004220420', 'hex');

/** `seed`: the 32 bytes of a private key. */
export function privateKeyOf(seed: Buffer): ReturnType<typeof createPrivateKey> {
  return createPrivateKey({ key: Buffer.concat([privateHead, seed]), format: 'der', type: 'pkcs8' });
}

function publicKeyOf(seed: Buffer): Buffer {
  return createPublicKey(privateKeyOf(seed)).export({ format: 'der', type: 'spki' }).subarray(-32);
}
