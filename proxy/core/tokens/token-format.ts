// The format of a token: `lib_r_` or `lib_w_`, 32 random base62 characters (190 bits), and 6 characters of checksum
// over all before. The prefix never changes, because secret scanners recognize leaked tokens by the prefix and issued
// tokens live for years. The checksum lets the server refuse a mistyped token without reading the state, and lets a
// scanner separate real tokens from similar texts.

import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Branded } from '../../../build/contract/brand.ts';
import { randomBase62, toBase62, type RandomBytes } from '../../../build/shared/text/base62.ts';
import { Secret } from '../../../build/shared/text/secret.ts';

/** `read` installs packages; `write` may also make changes through the management API. */
export type TokenKind = 'read' | 'write';

/** A text of a token's form whose checksum is right. Such a token may never have been issued. */
export type TokenText = Branded<string, 'TokenText'>;

/** Hex SHA-256 of a token: all that is ever stored of it. 190 random bits need no slow hash. */
export type TokenHash = Branded<string, 'TokenHash'>;

const prefixes: Readonly<Record<TokenKind, string>> = { read: 'lib_r_', write: 'lib_w_' };
const randomLength = 32;
const checksumLength = 6;
const grammar = /^lib_[rw]_[0-9A-Za-z]{38}$/;

export function mintToken(
  kind: TokenKind,
  randomBytes: RandomBytes,
): { readonly secret: Secret; readonly hash: TokenHash } {
  const body = prefixes[kind] + randomBase62(randomLength, randomBytes);
  const token = (body + checksum(body)) as TokenText;
  return { secret: new Secret(token), hash: hashToken(token) };
}

/** The text; undefined for a mistyped, truncated or unrelated text. Linear in 44 characters, touches no state. */
export function parseToken(text: string): TokenText | undefined {
  if (!grammar.test(text)) return undefined;
  return checksum(text.slice(0, -checksumLength)) === text.slice(-checksumLength) ? (text as TokenText) : undefined;
}

export function hashToken(token: TokenText): TokenHash {
  return hash('sha256', token, 'hex') as TokenHash;
}

/**
 * The hash of a text that may be the secret of another registry. undefined for a short one, which could be guessed, and
 * for what was meant as a token or session of this registry.
 */
export function hashForeign(text: string): TokenHash | undefined {
  return /^(?!lib_)[\x21-\x7e]{32,512}$/.test(text) ? (hash('sha256', text, 'hex') as TokenHash) : undefined;
}

function checksum(body: string): string {
  return toBase62(crc32(body), checksumLength);
}
