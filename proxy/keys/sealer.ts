// Encrypts values that the program must read again, and that a copy of the state must not reveal. The key is outside
// the state (AES-256-GCM).

import { createCipheriv, createDecipheriv } from 'node:crypto';

import type { RandomBytes } from '../../build/shared/text/base62.ts';
import { Secret } from '../../build/shared/text/secret.ts';
import type { KeyRing, RingKey } from './key-ring.ts';

export interface Sealer {
  /** `about`: the owner of the secret (a repository's id). A sealed text copied to another owner does not open. */
  readonly seal: (secret: Secret, about: string) => string;
  /** Throws UnreadableSecret if the key is missing, the text was changed, or the text belongs to another owner. */
  readonly unseal: (sealed: string, about: string) => Secret;
  /** The same secret sealed under the current key; the unchanged text if it already uses that key. */
  readonly reseal: (sealed: string, about: string) => string;
}

/** A sealed text that does not open. The message names the remedy. */
export class UnreadableSecret extends Error {
  override readonly name = 'UnreadableSecret';
}

/** Why a sealed text does not open, for a person; undefined: it opens. */
export function whyUnreadable(sealer: Sealer, sealed: string, about: string): string | undefined {
  try {
    sealer.unseal(sealed, about);
    return undefined;
  } catch (error) {
    if (error instanceof UnreadableSecret) return error.message;
    throw error;
  }
}

const algorithm = 'aes-256-gcm';
const tagLength = 16;

export function createSealer(ring: KeyRing, randomBytes: RandomBytes): Sealer {
  const seal: Sealer['seal'] = (secret, about) => {
    const key = ring.current('sealing');
    const iv = randomBytes(12);
    const cipher = createCipheriv(algorithm, bytesOf(key), iv, { authTagLength: tagLength }).setAAD(Buffer.from(about));
    const bytes = Buffer.concat([cipher.update(secret.reveal(), 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return `v1.${key.kid}.${Buffer.from(iv).toString('base64url')}.${bytes.toString('base64url')}`;
  };
  const unseal: Sealer['unseal'] = (sealed, about) => {
    const [version, kid = '', iv = '', text = ''] = sealed.split('.');
    const key = version === 'v1' ? ring.find('sealing', kid) : undefined;
    if (key === undefined)
      throw new UnreadableSecret(
        `the secret of ${about} needs a sealing key that is missing: restore the keys folder of the same backup ` +
          `as the state`,
      );
    const bytes = Buffer.from(text, 'base64url');
    const decipher = createDecipheriv(algorithm, bytesOf(key), Buffer.from(iv, 'base64url'), {
      authTagLength: tagLength,
    }).setAAD(Buffer.from(about));
    decipher.setAuthTag(bytes.subarray(-tagLength));
    try {
      return new Secret(
        Buffer.concat([decipher.update(bytes.subarray(0, -tagLength)), decipher.final()]).toString('utf8'),
      );
    } catch (error) {
      throw new UnreadableSecret(
        `the secret of ${about} cannot be decrypted: it was changed, or belongs to something else`,
        {
          cause: error,
        },
      );
    }
  };
  const reseal: Sealer['reseal'] = (sealed, about) =>
    sealed.split('.')[1] === ring.current('sealing').kid ? sealed : seal(unseal(sealed, about), about);
  return { seal, unseal, reseal };
}

function bytesOf({ material }: RingKey): Buffer {
  return Buffer.from(material, 'base64url');
}
