// The signature of a link to a form of the console that a terminal fills in. The key is the hash of the person's token,
// which the terminal and the registry know: nobody else can make a link that fills in a form of this person. Pure.

import { createHmac, timingSafeEqual } from 'node:crypto';
import type { TokenHash } from '../core/tokens/token-format.ts';

const signed = /^(.*)[?&]_signature=([\w-]{43})$/s;

/** `target`: path and query below /ui. No field of a form begins with an underscore. */
export function signTarget(target: string, key: TokenHash): string {
  return `${target}${target.includes('?') ? '&' : '?'}_signature=${signatureOf(target, key)}`;
}

/** Whether it is worth reading tokens for. */
export function seemsSigned(target: string): boolean {
  return signed.test(target);
}

/** Whether the holder of the token with this hash signed the target, exactly as it is written. */
export function isSignedBy(target: string, key: TokenHash): boolean {
  const [, rest = '', signature = ''] = signed.exec(target) ?? [];
  return signature !== '' && timingSafeEqual(Buffer.from(signature), Buffer.from(signatureOf(rest, key)));
}

function signatureOf(target: string, key: TokenHash): string {
  return createHmac('sha256', key).update(`libretto form ${target}`).digest('base64url');
}
