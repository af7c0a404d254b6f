// Tests the contents that a scan caches for the archives that follow.

import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';

import type { Deflated } from '../../../../../build/compression/deflate.ts';
import { createFileReader } from '../../../../../build/sources/directory/file-reader.ts';
import { identifyFiles } from '../../../../../build/sources/directory/identify-files.ts';
import { createCachedContents } from '../../../../../build/sources/directory/cached-contents.ts';
import { walkPackage } from '../../../../../build/sources/directory/walk-package.ts';

const contentOf = (length: number): Deflated => ({
  method: 0,
  crc32: 0,
  size: length,
  length,
  bytes: Buffer.alloc(length),
});

describe('cached contents', () => {
  it('are handed out once', () => {
    const kept = createCachedContents();
    kept.keep('one', contentOf(1));
    expect(kept.take('one')?.size).toBe(1);
    expect(kept.take('one')).toBeUndefined();
  });

  it('stay within a limit that counts equal contents once and excludes contents already handed out', () => {
    const kept = createCachedContents(10);
    kept.keep('one', contentOf(6));
    kept.keep('one', contentOf(6));
    expect(kept.hasRoom()).toBe(true);
    kept.keep('two', contentOf(4));
    expect(kept.hasRoom()).toBe(false);
    kept.take('one');
    expect(kept.hasRoom()).toBe(true);
  });

  it('are removed when the source is closed', () => {
    const kept = createCachedContents(10);
    kept.keep('one', contentOf(10));
    kept.clear();
    expect([kept.take('one'), kept.hasRoom()]).toEqual([undefined, true]);
  });

  it('stay within the limit while one large package is read', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'libretto-kept-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const fileBytes = 600 * 1024;
    for (let number = 0; number < 8; number += 1) writeFileSync(join(folder, `file${number}`), randomBytes(fileBytes));
    const { entries } = walkPackage({ folder, dataDirectory: '/nowhere', maxFiles: 100 });
    const kept = createCachedContents(2 * fileBytes);
    const { files } = await identifyFiles(entries, {
      folder,
      readFiles: createFileReader(undefined, () => undefined),
      kept,
    });
    expect(new Set(files.map(({ identity }) => identity)).size).toBe(8);
    expect(files.filter(({ identity }) => kept.take(identity) !== undefined)).toHaveLength(2);
  });
});
