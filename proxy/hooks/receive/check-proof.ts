// Compares a proof with the secrets of a hook while the body arrives, piece by piece. Every comparison takes the same
// time, whichever secret fits, and also where there is no hook: such a request is compared with secrets of no hook.

import { createHmac, hash, timingSafeEqual, type Hmac } from 'node:crypto';
import type { MaybeAsync } from '../../../build/shared/concurrency/maybe-async.ts';
import type { InSlices } from '../../../build/shared/concurrency/yielding.ts';
import type { RandomBytes } from '../../../build/shared/text/base62.ts';
import { Secret } from '../../../build/shared/text/secret.ts';
import type { Digest, Proof } from '../providers/proof.ts';

/** A secret as its provider has it. */
export interface Revealing {
  readonly reveal: () => string;
}

export interface ProofCheck {
  /** Takes the next piece of the body. A promise, if other requests should have their turn first. */
  readonly update: (piece: Buffer) => MaybeAsync<void>;
  /** True if one of the secrets fits. Call it once, after the last piece. */
  readonly isRight: () => boolean;
}

/** While its secret is rotated, a hook has two. */
const least = 2;

const prefix = 'whsec_';

/** Secrets that nobody has, for hooks that are not there. */
export function createDecoys(randomBytes: RandomBytes): readonly Revealing[] {
  return Array.from({ length: least }, () => new Secret(prefix + Buffer.from(randomBytes(32)).toString('base64')));
}

/**
 * `decoys`: added where there are fewer secrets than a hook may have. `inSlices`: shared by all checks, so that many
 * bodies at once do not hold the thread longer than one.
 */
export function checkProof(
  proof: Proof,
  secrets: readonly Revealing[],
  decoys: readonly Revealing[],
  inSlices: InSlices,
): ProofCheck {
  const compared = [...secrets, ...decoys.slice(secrets.length)];
  if (proof.by === 'secret') return { update: () => undefined, isRight: () => isOneOf(proof.text, compared) };
  const macs = compared.map((secret) => startOf(proof, secret.reveal()));
  const form = proof.by === 'body' && proof.isOfPayload === true ? createFormPayload() : undefined;
  return {
    update: async (piece) => {
      const signed = form === undefined ? piece : await inSlices(() => form.decode(piece));
      for (const mac of macs) await inSlices(() => mac.update(signed));
    },
    isRight: () => macs.map((mac) => fits(proof, mac.digest())).includes(true) && (form?.isWhole() ?? true),
  };
}

function startOf(proof: Exclude<Proof, { by: 'secret' }>, secret: string): Hmac {
  if (proof.by === 'body') return createHmac('sha256', secret);
  return createHmac('sha256', keyOf(secret)).update(`${proof.id}.${proof.timestamp}.`);
}

/** The key of Standard Webhooks: the bytes that stand in base64 behind the prefix. */
function keyOf(secret: string): Buffer {
  return secret.startsWith(prefix) ? Buffer.from(secret.slice(prefix.length), 'base64') : Buffer.from(secret);
}

function fits({ by, digests }: Exclude<Proof, { by: 'secret' }>, right: Buffer): boolean {
  const results = digests.map((digest) => isSame(digest, right));
  return by === 'body' ? !results.includes(false) : results.includes(true);
}

function isSame(digest: Digest, right: Buffer): boolean {
  return digest !== undefined && timingSafeEqual(digest, right);
}

/** Compares digests, because texts of different lengths would be told apart by time. */
function isOneOf(text: Revealing, secrets: readonly Revealing[]): boolean {
  const given = digestOf(text);
  return secrets.map((secret) => timingSafeEqual(given, digestOf(secret))).includes(true);
}

function digestOf(secret: Revealing): Buffer {
  return hash('sha256', secret.reveal(), 'buffer');
}

// The payload in a form that Gitea or Forgejo sends: they sign the JSON, and send it as the field `payload` of a form.
// The form is decoded piece by piece, so that the proof needs no more memory than that of a JSON body.

const start = Buffer.from('payload=');
const [plus, percent, ampersand, space] = [0x2b, 0x25, 0x26, 0x20];

/** The value of a hexadecimal digit by its byte; -1 for other bytes. */
const digitOf = new Int8Array(256).fill(-1);
for (const [value, digit] of [...'0123456789abcdef'].entries()) {
  digitOf[digit.charCodeAt(0)] = value;
  digitOf[digit.toUpperCase().charCodeAt(0)] = value;
}

function createFormPayload() {
  let [begun, isForm] = [0, true];
  // of an escape such as %7B: the digits that are still to come, and the value of those before
  let [digits, value] = [0, 0];
  return {
    /** The next bytes of the payload. */
    decode: (piece: Buffer): Buffer => {
      const head = Math.min(start.length - begun, piece.length);
      isForm &&= piece.subarray(0, head).equals(start.subarray(begun, begun + head));
      begun += head;
      const bytes = Buffer.allocUnsafe(piece.length - head);
      let length = 0;
      for (let at = head; at < piece.length; at += 1) {
        const byte = piece[at] ?? 0;
        if (digits > 0) {
          const digit = digitOf[byte] ?? -1;
          if (digit < 0) isForm = false;
          digits -= 1;
          value = value * 16 + digit;
          if (digits === 0) bytes[length++] = value;
        } else if (byte === percent) {
          digits = 2;
          value = 0;
        } else {
          if (byte === ampersand) isForm = false;
          bytes[length++] = byte === plus ? space : byte;
        }
      }
      return bytes.subarray(0, length);
    },
    /** False for bytes that are no form with this field alone. Call it after the last piece. */
    isWhole: () => isForm && begun === start.length && digits === 0,
  };
}
