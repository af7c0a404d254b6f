// Email addresses of users. Two spellings of one address are one person. The addresses are login names, and mails
// go to them.

import { hash } from 'node:crypto';
import type { Branded } from '../../build/contract/brand.ts';

/** Lower case, NFC, without blanks around it. */
export type Email = Branded<string, 'Email'>;

/** RFC 5321 §4.5.3.1.3 */
const longest = 254;

/**
 * undefined: something before and after one @, no blanks, no control characters, at most 254 characters, and it is not
 * that.
 */
export function parseEmail(text: string): Email | undefined {
  const email = text.trim().normalize('NFC').toLowerCase();
  return email.length <= longest && /^[^\s@\p{C}]{1,64}@[^\s@\p{C}.]+(?:\.[^\s@\p{C}.]+)*$/u.test(email)
    ? (email as Email)
    : undefined;
}

/** The hash of any text, so that an unknown email is looked up and counted like a known one. */
export function hashEmail(text: string): string {
  return hash('sha256', parseEmail(text) ?? text.slice(0, longest), 'hex');
}
