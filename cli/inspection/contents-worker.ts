// The worker thread that looks into archives. Whatever cannot be read becomes a sentence.

import { packageRoot } from '../../build/archive/package-root.ts';
import { readZipDirectory } from '../../build/archive/zip-directory.ts';
import type { Look } from '../../proxy/contents/contents.ts';
import { compareFiles } from '../../proxy/contents/compare-files.ts';
import type { InnerFiles, Unseen } from '../../proxy/contents/look-inside.ts';

// A review needs no highlighting, and a page no lexer of PHP: each is loaded when it is needed.
const loadReview = () => import('../../build/review/review-archives.ts');
const loadPages = () => import('../../proxy/contents/look-inside.ts');

type Archive = Look['archives'][number];

export const ready = (): void => undefined;

export const lookInto = createLookInto();

function createLookInto() {
  const open = createOpenArchives();
  return async ({
    kind,
    archives,
    paths,
    page = 1,
    words,
    isPlain = false,
    showsAll = false,
  }: Look): Promise<unknown> => {
    const [path = ''] = paths;
    const code = kind === 'review' ? await loadReview() : await loadPages();
    try {
      const [files = new Map(), others = new Map()] = archives.map(open);
      if ('reviewArchives' in code) return code.reviewArchives(files, others);
      if (kind === 'known') return paths.filter((one) => code.isKnown(files, one));
      if (kind === 'compare') return code.compareInside(files, others, path, isPlain);
      if (kind === 'list') return compareFiles(files, others, showsAll);
      return kind === 'raw' ? code.rawFile(files, path) : code.lookInside(files, path, page, isPlain, words);
    } catch {
      const sentence = 'The archive, or this file in it, is encrypted or damaged. `libretto verify` checks archives.';
      return { kind: 'unseen', sentence } satisfies Unseen;
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

/** Reads the directory of the archive only; the bytes of a file when they are needed. */
function filesOf(archive: string): InnerFiles {
  const files = readZipDirectory(archive);
  const root = packageRoot([...files.keys()]);
  return new Map([...files].map(([path, file]) => [path.startsWith(root) ? path.slice(root.length) : path, file]));
}
