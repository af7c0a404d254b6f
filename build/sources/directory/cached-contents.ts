// Caches deflated contents from the identification of files, up to a limit, so that a first build opens most files
// once. A build reads all other files again.

import type { Deflated } from '../../compression/deflate.ts';

export type CachedContents = ReturnType<typeof createCachedContents>;

/** The size of about ten thousand source files. */
const defaultMaxBytes = 40 * 1024 * 1024;

export function createCachedContents(maxBytes = defaultMaxBytes) {
  const contents = new Map<string, Deflated>();
  let cachedBytes = 0;
  return {
    hasRoom: () => cachedBytes < maxBytes,
    keep: (identity: string, content: Deflated): void => {
      if (contents.has(identity)) return;
      contents.set(identity, content);
      cachedBytes += content.bytes.length;
    },
    /** Returns the content of this identity, and removes it from the cache. */
    take: (identity: string): Deflated | undefined => {
      const content = contents.get(identity);
      if (content === undefined) return undefined;
      contents.delete(identity);
      cachedBytes -= content.bytes.length;
      return content;
    },
    /** Removes all contents. */
    clear: (): void => {
      contents.clear();
      cachedBytes = 0;
    },
  };
}
