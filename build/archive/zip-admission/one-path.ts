// Entries of which an unpacker makes one file: unpackers keep the first or the last, so all must say the same bytes.
// No file has the path of a folder, for which unpackers fail or leave files out.

import { createHash, type Hash } from 'node:crypto';
import { quoteName, withoutDots } from '../safe-paths.ts';
import type { ZipMember } from './zip-member.ts';
import { unsafeArchive, unsafeEntry } from './zip-refusals.ts';

/** The path that unpackers on Linux make of a name: some of them read `\\` as `/`, and drop control characters. */
function unpackedPath(path: string): string {
  // eslint-disable-next-line no-control-regex -- control characters are exactly what is dropped
  return /[\\\u0000-\u001f\u007f]/.test(path)
    ? withoutDots(path.replace(/[\u0000-\u001f\u007f]/g, '').replaceAll('\\', '/'))
    : path;
}

/** Code page 437 (APPNOTE, appendix D), with the pictures that libzip sees in control characters. */
const codePage437 =
  '\0☺☻♥♦♣♠•◘○◙♂♀♪♫☼►◄↕‼¶§▬↨↑↓→←∟↔▲▼' +
  Buffer.from(Array.from({ length: 95 }, (_, at) => at + 32)).toString('latin1') +
  '⌂' +
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐' +
  '└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0';
const nameIsUtf8 = 0x0800;

/** PHP reads a name without the flag for UTF-8 in code page 437. Other unpackers take the bytes as they are. */
function unpackedPaths({ path, nameBytes, flags }: ZipMember): readonly string[] {
  const written = unpackedPath(path);
  if ((flags & nameIsUtf8) !== 0 || nameBytes.every((byte) => byte >= 0x20 && byte < 0x7f)) return [written];
  const text = Array.from(nameBytes, (byte) => codePage437[byte]).join('');
  return [written, unpackedPath(withoutDots(text))];
}

/**
 * Compares the contents of files and symlinks that have one path. The function gives what takes the content of a
 * member, or undefined for a path that only one member has. This and `end` throw QuarantineError ARCHIVE_UNSAFE.
 */
export function compareContents(members: readonly ZipMember[]) {
  const seen = new Set<string>();
  const repeated = new Map<string, string | undefined>();
  for (const member of members) {
    if (member.kind === 'folder') continue;
    for (const written of new Set(unpackedPaths(member))) {
      if (seen.has(written)) repeated.set(written, undefined);
      seen.add(written);
    }
  }
  for (const member of members) {
    for (const written of unpackedPaths(member)) {
      const place = member.kind === 'folder' ? `${written}/` : written;
      for (let at = place.indexOf('/'); at >= 0; at = place.indexOf('/', at + 1))
        if (seen.has(place.slice(0, at)))
          throw unsafeEntry(place.slice(0, at), `is in the place of a folder that ${quoteName(place)} needs`);
    }
  }
  return (member: ZipMember): { readonly take: (piece: Buffer) => Hash; readonly end: () => void } | undefined => {
    const paths = member.kind === 'folder' ? [] : unpackedPaths(member).filter((written) => repeated.has(written));
    if (paths.length === 0) return undefined;
    const hash = createHash('sha256').update(member.kind);
    const end = (): void => {
      const content = hash.digest('hex');
      for (const written of paths) {
        if ((repeated.get(written) ?? content) !== content)
          throw unsafeArchive(
            `has two different contents of ${quoteName(written)}, of which unpackers keep one or the other`,
          );
        repeated.set(written, content);
      }
    };
    return { take: (piece) => hash.update(piece), end };
  };
}
