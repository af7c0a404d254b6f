// Caches deflated contents from the identification of files, up to a limit, so that a first build opens most files
// once. A build reads all other files again.

import type { Deflated } from '../../compression/deflate.ts';

export interface CachedContents {
  readonly hasRoom: () => boolean;
  readonly keep: (identity: string, content: Deflated) => void;
  /** Returns the content of this identity, and removes it from the cache. */
  readonly take: (identity: string) => Deflated | undefined;
  /** Removes all contents. */
  readonly clear: () => void;
}

/** The size of about ten thousand source files. */
const defaultMaxBytes = 40 * 1024 * 1024;

export function createCachedContents(maxBytes = defaultMaxBytes): CachedContents {
  const contents = new Map<string, Deflated>();
  let cachedBytes = 0;
  return {
    hasRoom: () => cachedBytes < maxBytes,
    keep: (identity, content) => {
      if (contents.has(identity)) return;
      contents.set(identity, content);
      cachedBytes += content.bytes.length;
    },
    take: (identity) => {
      const content = contents.get(identity);
      if (content === undefined) return undefined;
      contents.delete(identity);
      cachedBytes -= content.bytes.length;
      return content;
    },
    clear: () => {
      contents.clear();
      cachedBytes = 0;
    },
  };
}
