// The digest by which the builder tells whether a text it would write stands there already.

import { createHash } from 'node:crypto';

/** Hex SHA-256. */
export function digestOf(bytes: string): string {
  return createHash('sha256').update(bytes).digest('hex');
}
