// The folder that holds the local copy of a remote repository, by its URL: stable, and telling nothing of it.

import { createHash } from 'node:crypto';

export function mirrorName(url: string): string {
  return `${createHash('sha256').update(url).digest('hex').slice(0, 32)}.git`;
}
