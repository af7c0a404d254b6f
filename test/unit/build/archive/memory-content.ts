// Contents for archiver tests: files as text, links as `→target`, executables as `!text`. Counts the reads.

import { createHash } from 'node:crypto';
import type { Content, ContentFile } from '../../../../build/archive/content.ts';

export interface MemoryContent extends Content {
  /** paths in the order they were read */
  readonly reads: string[];
}

export function memoryContent(
  files: Readonly<Record<string, string | Uint8Array>>,
  options: { readonly entryTime?: number; readonly failAt?: string } = {},
): MemoryContent {
  const bytesOf = (path: string): Uint8Array => {
    const given = files[path] ?? '';
    return typeof given === 'string' ? Buffer.from(given.replace(/^[→!]/, '')) : given;
  };
  const reads: string[] = [];
  return {
    reads,
    entryTime: options.entryTime ?? 1_700_000_000,
    list: () =>
      Promise.resolve({
        files: Object.keys(files).map((path): ContentFile => ({
          path,
          mode: modeOf(files[path]),
          identity: `sha256:${createHash('sha256').update(bytesOf(path)).digest('hex')}`,
        })),
        withheld: ['.env'],
      }),
    read: async function* (wanted) {
      for (const { path } of wanted) {
        await Promise.resolve();
        if (path === options.failAt) throw new Error(`cannot read ${path}`);
        reads.push(path);
        yield bytesOf(path);
      }
    },
  };
}

function modeOf(given: string | Uint8Array | undefined): ContentFile['mode'] {
  if (typeof given !== 'string') return 'file';
  return given.startsWith('→') ? 'symlink' : given.startsWith('!') ? 'executable' : 'file';
}
