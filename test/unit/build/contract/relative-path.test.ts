// Tests the parser of paths that files bring: what it takes stays below any folder.

import { join, win32 } from 'node:path';
import { describe, expect, it } from 'vitest';

import { parseRelativePath } from '../../../../build/contract/relative-path.ts';

describe('a relative path', () => {
  it.each(['a', 'dist/acme/hello/1.0.0.zip', '...', 'a..b/..c', 'a b/ü/\u2028', 'line\nfeed'])('is %j', (text) => {
    expect(parseRelativePath(text)).toEqual({ path: text });
    expect([join('/data', text), win32.join('C:\\data', text)]).toEqual([
      `/data/${text}`,
      `C:\\data\\${text.replaceAll('/', '\\')}`,
    ]);
  });

  it.each([
    ['', 'empty'],
    ['/a', 'absolute'],
    ['C:a', 'drive letter'],
    ['a/b\0', '"b\\u0000" segment'],
    ['a//b', 'empty segment'],
    ['a/', 'empty segment'],
    ['\\\\host\\share', 'empty segment'],
    ['./a', '"." segment'],
    ['a\\..\\..\\b', '".." segment'],
    ['a\n/../../b', '".." segment'],
    ['\n/..', '".." segment'],
  ])('is not %j', (text, why) => {
    expect(parseRelativePath(text)).toEqual({ refusal: expect.stringContaining(why) });
  });
});
