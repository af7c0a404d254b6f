// Hex digests as types. Composer checks the SHA-1 of a dist; a reference is a commit or a content digest.

import type { Branded } from './brand.ts';

/** 40 lower-case hex characters: the SHA-1 of a dist's bytes (`dist.shasum`). */
export type Sha1 = Branded<string, 'Sha1'>;

/**
 * `dist.reference`: the commit of a git release (40 or 64 hex characters), the content digest of a directory's (40).
 * Lower-case hex only, since Composer replaces any other `%reference%` in a URL by its MD5 (ComposerMirror.php:28).
 */
export type Reference = Branded<string, 'Reference'>;

export function parseSha1(text: string): Sha1 | undefined {
  return /^[0-9a-f]{40}$/.test(text) ? (text as Sha1) : undefined;
}

export function parseReference(text: string): Reference | undefined {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text) ? (text as Reference) : undefined;
}
