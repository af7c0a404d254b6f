// Explains why a file that a person named cannot be read. Pure.

const meanings: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'this user may not read it',
  EPERM: 'this user may not read it',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of its path is a file',
  ELOOP: 'its symbolic links form a circle',
  ENAMETOOLONG: 'its path is too long for this system',
};

/** Completes "… cannot be read: ". */
export function describeReadFault(error: unknown): string {
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
  return meanings[code] ?? (error instanceof Error ? error.message : String(error));
}
