// Maps the stack of an error from the bundled files in lib/ to the sources. Only --debug loads the maps.

import { readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { fileURLToPath } from 'node:url';

/**
 * `…/lib/cli/common.js:2:3`, as a path or a URL, becomes `build/build.ts:4:5`. A position whose file has no source map
 * stays unchanged.
 */
export function withSourcePositions(stack: string): string {
  const maps = new Map<string, SourceMap | undefined>();
  return stack.replace(
    /((?:file:\/\/)?\/[^\s():]+\.js):(\d+):(\d+)/g,
    (position, file: string, line: string, column: string) => {
      if (!maps.has(file)) maps.set(file, readMap(file));
      const origin = maps.get(file)?.findOrigin(Number(line), Number(column));
      if (origin === undefined || !('fileName' in origin)) return position;
      return `${origin.fileName.replace(/^(?:\.\.\/)+/, '')}:${origin.lineNumber}:${origin.columnNumber}`;
    },
  );
}

function readMap(file: string): SourceMap | undefined {
  try {
    const path = file.startsWith('file:') ? fileURLToPath(file) : file;
    return new SourceMap(JSON.parse(readFileSync(`${path}.map`, 'utf8')) as SourceMapPayload);
  } catch {
    // A library's own file has none, and a stack is shown as well as can be.
    return undefined;
  }
}
