// A disk that takes no files: it is full, or read-only. What only reads goes on without the marks and logs that it leaves otherwise.

import { errorCode, StorageError } from '../build/output/storage-error.ts';

export function isClosedDisk(error: unknown): boolean {
  const cause = error instanceof StorageError ? error.cause : error;
  return ['EROFS', 'ENOSPC', 'EDQUOT'].includes(errorCode(cause) ?? '');
}
