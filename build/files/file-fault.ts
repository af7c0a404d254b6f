// Explains a failed file operation to the person who repairs it.

const meanings: Readonly<Record<string, string>> = {
  EACCES: 'permission denied; let the user that builds read it',
  EPERM: 'permission denied; let the user that builds read it',
  ENOENT: 'it is not there any more',
  ENOTDIR: 'it is not a folder any more',
  ELOOP: 'it became a symbolic link',
  ENXIO: 'it is a socket or a device',
  ENAMETOOLONG: 'its path is too long',
  EIO: 'the disk reports an error',
  EMFILE: 'too many files are open in this process',
};

export function describeFault(error: unknown): string {
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  const meaning = code === undefined ? undefined : meanings[code];
  if (meaning !== undefined) return `${meaning} (${String(code)})`;
  return error instanceof Error ? error.message : String(error);
}
