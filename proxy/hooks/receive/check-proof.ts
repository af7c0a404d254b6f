// Compares a proof with the secrets of a hook while the body arrives, piece by piece. Every comparison takes the same
// time, whichever secret fits, and also where there is no hook: such a request is compared with secrets of no hook.

import { createHmac, hash, timingSafeEqual, type Hmac } from 'node:crypto';
import type { MaybeAsync } from '../../../build/shared/concurrency/maybe-async.ts';
import type { InSlices } from '../../../build/shared/concurrency/yielding.ts';
import type { RandomBytes } from '../../../build/shared/text/base62.ts';
import { Secret } from '../../../build/shared/text/secret.ts';
import type { Digest, Proof } from '../providers/proof.ts';
import { createFormPayload } from './form-payload.ts';

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
 * `decoys`: added where there are fewer secrets than a hook may have. `inSlices`: shared by all checks, so that many bodies
 * at once do not hold the thread longer than one.
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
