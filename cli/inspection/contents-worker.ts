// The worker thread that looks into archives. Whatever cannot be read becomes a sentence.

import { packageRoot } from '../../build/archive/package-root.ts';
import { openZipMembers } from '../../build/archive/zip-members.ts';
import type { Look } from '../../proxy/contents/contents.ts';
import { compareFiles } from '../../proxy/contents/compare-files.ts';
import { compareInside, lookInside, rawFile, unseen, type InnerFiles } from '../../proxy/contents/look-inside.ts';

export function lookInto({ kind, archives, paths, page = 1, isPlain = false, showsAll = false }: Look): unknown {
  const [path = ''] = paths;
  try {
    const [files = new Map(), others = new Map()] = archives.map(filesOf);
    if (kind === 'known') return paths.filter((one) => files.has(one));
    if (kind === 'compare') return compareInside(files, others, path);
    if (kind === 'list') return compareFiles(files, others, showsAll);
    return kind === 'raw' ? rawFile(files, path) : lookInside(files, path, page, isPlain);
  } catch {
    return unseen('The archive, or this file in it, is encrypted or damaged. `libretto verify` checks archives.');
  }
}

function filesOf(archive: string): InnerFiles {
  const { paths, sizeOf, crcOf, read } = openZipMembers(archive);
  const root = packageRoot(paths);
  return new Map(
    paths.map((path) => {
      const size = sizeOf(path);
      const inner = path.startsWith(root) ? path.slice(root.length) : path;
      return [inner, { size, crc32: crcOf(path), read: () => read(path, size) ?? Buffer.alloc(0) }];
    }),
  );
}
