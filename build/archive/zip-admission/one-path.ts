// Entries of which an unpacker makes one file: unpackers keep the first or the last, so all must say the same bytes.

import { createHash, type Hash } from 'node:crypto';
import { quoteName, withoutDots } from '../safe-paths.ts';
import type { ZipMember } from './zip-member.ts';
import { unsafeArchive } from './zip-refusals.ts';

/** The path that unpackers on Linux make of a name: some of them read `\\` as `/`, and drop control characters. */
function unpackedPath(path: string): string {
  // eslint-disable-next-line no-control-regex -- control characters are exactly what is dropped
  return /[\\\u0000-\u001f\u007f]/.test(path)
    ? withoutDots(path.replace(/[\u0000-\u001f\u007f]/g, '').replaceAll('\\', '/'))
    : path;
}

/**
 * Compares the contents of files and symlinks that have one path. The function gives what takes the content of a
 * member, or undefined for a path that only one member has. `end` of it throws QuarantineError ARCHIVE_UNSAFE.
 */
export function compareContents(members: readonly ZipMember[]) {
  const seen = new Set<string>();
  const repeated = new Map<string, string | undefined>();
  for (const { path, kind } of members) {
    if (kind === 'folder') continue;
    const written = unpackedPath(path);
    if (seen.has(written)) repeated.set(written, undefined);
    seen.add(written);
  }
  return ({
    path,
    kind,
  }: ZipMember): { readonly take: (piece: Buffer) => Hash; readonly end: () => void } | undefined => {
    const written = unpackedPath(path);
    if (kind === 'folder' || !repeated.has(written)) return undefined;
    const hash = createHash('sha256').update(kind);
    const end = (): void => {
      const [first, content] = [repeated.get(written), hash.digest('hex')];
      if (first !== undefined && first !== content)
        throw unsafeArchive(
          `has two different contents of ${quoteName(written)}, of which unpackers keep one or the other`,
        );
      repeated.set(written, content);
    };
    return { take: (piece) => hash.update(piece), end };
  };
}
