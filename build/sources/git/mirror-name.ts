// The folder name of the local copy of a remote repository: a stable digest of its URL that reveals no part of the URL.

import { createHash } from 'node:crypto';

export function mirrorName(url: string): string {
  return `${createHash('sha256').update(url).digest('hex').slice(0, 32)}.git`;
}
