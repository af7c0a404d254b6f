// The worker thread that looks into archives. Whatever cannot be read becomes a sentence.

import { packageRoot } from '../../build/archive/package-root.ts';
import { openZipMembers } from '../../build/archive/zip-members.ts';
import { reviewArchives } from '../../build/review/review-archives.ts';
import type { Look } from '../../proxy/contents/contents.ts';
import { compareFiles } from '../../proxy/contents/compare-files.ts';
import {
  compareInside,
  isKnown,
  lookInside,
  rawFile,
  unseen,
  type InnerFiles,
} from '../../proxy/contents/look-inside.ts';

type Archive = Look['archives'][number];

export const lookInto = createLookInto();

function createLookInto() {
  const open = createOpenArchives();
  return ({ kind, archives, paths, page = 1, isPlain = false, showsAll = false }: Look): unknown => {
    const [path = ''] = paths;
    try {
      const [files = new Map(), others = new Map()] = archives.map(open);
      if (kind === 'known') return paths.filter((one) => isKnown(files, one));
      if (kind === 'compare') return compareInside(files, others, path, isPlain);
      if (kind === 'review') return reviewArchives(files, others);
      if (kind === 'list') return compareFiles(files, others, showsAll);
      return kind === 'raw' ? rawFile(files, path) : lookInside(files, path, page, isPlain);
    } catch {
      return unseen('The archive, or this file in it, is encrypted or damaged. `libretto verify` checks archives.');
    }
  };
}

/** The last two archives stay open: people look at many pages of one, and compare two. */
function createOpenArchives(): (archive: Archive) => InnerFiles {
  let last: readonly { readonly identity: string; readonly files: InnerFiles }[] = [];
  return ({ file, identity }) => {
    const opened = last.find((one) => one.identity === identity) ?? { identity, files: filesOf(file) };
    last = [opened, ...last.filter((one) => one !== opened)].slice(0, 2);
    return opened.files;
  };
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
