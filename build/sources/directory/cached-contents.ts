// Caches deflated contents from the identification of files, up to a limit, so that a first build opens most files
// once. A build reads all other files again.

import type { Deflated } from '../../compression/deflate.ts';

export interface CachedContents {
  readonly hasRoom: () => boolean;
  readonly keep: (identity: string, content: Deflated) => void;
  /** The content of this identity; it is then no longer kept. */
  readonly take: (identity: string) => Deflated | undefined;
  /** Lets go of everything. */
  readonly clear: () => void;
}

/** Some ten thousand source files. */
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
