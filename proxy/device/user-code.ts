// The code that a person reads in a terminal and types in a browser: eight letters and digits of 32, so 40 random bits.
// It has neither I nor L, O and U, which people mistake. Pure.

import { hash } from 'node:crypto';
import type { RandomBytes } from '../../build/shared/text/base62.ts';

const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const length = 8;

/** `K7QM-2XRD` */
export function mintUserCode(randomBytes: RandomBytes): string {
  // 256 is a multiple of 32, so that every letter is equally likely
  const letters = Array.from(randomBytes(length), (byte) => alphabet[byte % alphabet.length]);
  return shown(letters.join(''));
}

/** The code as it was shown, from what a person typed; undefined: it cannot be one. */
export function parseUserCode(text: string): string | undefined {
  const letters = text.toUpperCase().replaceAll(/[\s-]/g, '').replaceAll('O', '0').replaceAll(/[IL]/g, '1');
  return letters.length === length && [...letters].every((letter) => alphabet.includes(letter))
    ? shown(letters)
    : undefined;
}

function shown(letters: string): string {
  return `${letters.slice(0, length / 2)}-${letters.slice(length / 2)}`;
}

/** Hex SHA-256 of a code: all that the state has of it. */
export function hashCode(code: string): string {
  return hash('sha256', code, 'hex');
}
