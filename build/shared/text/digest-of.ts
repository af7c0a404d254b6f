// The digest by which the builder checks if a file already has the text that it would write.

import { createHash } from 'node:crypto';

/** Hex SHA-256. */
export function digestOf(bytes: string | Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
