// Tests the archives that the archiver writes from content: their bytes, their limits, and the contents that it
// refuses.

import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import AdmZip from 'adm-zip';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createCompressor } from '../../../../build/compression/compressor.ts';
import { deflateTo, type Deflated } from '../../../../build/compression/deflate.ts';
import { createArchiver, type Archived, type Archiver } from '../../../../build/archive/archiver.ts';
import type { Content } from '../../../../build/archive/content.ts';
import { itInSeries } from '../../../util/series.ts';
import { temporaryFolder, type TemporaryFolder } from '../../../util/temporary-folder.ts';
import { memoryContent } from './memory-content.ts';

let folder: TemporaryFolder;
let archiver: Archiver;

beforeEach(() => {
  folder = temporaryFolder('archiver');
  archiver = createArchiver({ scratchDirectory: folder.at('scratch'), jobs: 1 });
});
afterEach(async () => {
  await archiver.close();
  await folder.remove();
});

const archive = (content: Content, name = 'out.zip', by = archiver): Promise<Archived> =>
  by.archive(content, { topFolder: 'acme-hello-1234567', target: folder.at(name) });
const namesIn = (name = 'out.zip'): string[] =>
  new AdmZip(folder.at(name)).getEntries().map((entry) => entry.entryName);
const textOf = (path: string, name = 'out.zip'): string =>
  new AdmZip(folder.at(name)).readAsText(`acme-hello-1234567/${path}`);

describe('archive', () => {
  it('an archive holds every file below one folder, sorted by bytes, with the reported digest and size', async () => {
    const result = await archive(
      memoryContent({
        'src/Z.php': '<?php // Z',
        'composer.json': '{}',
        '\u{ff5e}': 'later in UTF-8 than no surrogate',
        'src-b/x': 'x',
        '𝄞': 'clef',
        'src/A.php': '<?php '.repeat(100),
        empty: '',
      }),
    );
    const bytes = readFileSync(folder.at('out.zip'));
    expect(namesIn()).toEqual(
      ['composer.json', 'empty', 'src-b/x', 'src/A.php', 'src/Z.php', '\u{ff5e}', '𝄞'].map(
        (path) => `acme-hello-1234567/${path}`,
      ),
    );
    expect(textOf('src/A.php')).toBe('<?php '.repeat(100));
    expect(textOf('empty')).toBe('');
    expect(result).toEqual({
      shasum: createHash('sha1').update(bytes).digest('hex'),
      size: bytes.length,
      withheld: ['.env'],
      hasComposerJson: true,
    });
  });

  it('the bytes of an archive depend only on content, top folder and time', async () => {
    const first = await archive(memoryContent({ a: 'same', b: '!run', c: '→a', d: 'x'.repeat(5000) }), '1.zip');
    await archive(memoryContent({ z: 'another', d: 'y' }), '2.zip');
    const again = await archive(memoryContent({ d: 'x'.repeat(5000), c: '→a', b: '!run', a: 'same' }), '3.zip');
    const other = createArchiver({
      scratchDirectory: folder.at('other'),
      jobs: 1,
      memory: { slabBytes: 16, slabsInMemory: 1 },
    });
    const elsewhere = await archive(
      memoryContent({ b: '!run', a: 'same', d: 'x'.repeat(5000), c: '→a' }),
      '4.zip',
      other,
    );
    await other.close();
    expect([again.shasum, elsewhere.shasum]).toEqual([first.shasum, first.shasum]);
    expect(
      (await archive(memoryContent({ a: 'same', b: '!run', c: '→a', d: 'x'.repeat(5000) }, { entryTime: 1 }), '5.zip'))
        .shasum,
    ).not.toBe(first.shasum);
  });

  it('the bytes of a sample archive never change within a major version', async () => {
    const php = `<?php\n\nnamespace Acme;\n${Array.from({ length: 60 }, (_, index) => `\nfunction f${index}(int $x): int\n{\n    return $x * ${index * index};\n}\n`).join('')}`;
    const result = await archive(
      memoryContent({ 'src/F.php': php, 'bin/run': '!#!/usr/bin/env php\n', current: '→src/F.php', 'ü.txt': 'ü' }),
    );
    expect(result.shasum).toBe('18b17f49d577b2d41db32ed8752d64c7c518a780');
  });

  it('the archiver reads and stores each content once for all archives that contain it', async () => {
    const one = memoryContent({ a: 'first', b: 'second', copy: 'first' });
    const two = memoryContent({ a: 'first', b: 'changed' });
    await archive(one, '1.zip');
    await archive(two, '2.zip');
    expect([one.reads.length, two.reads]).toEqual([2, ['b']]);
    expect([textOf('copy', '1.zip'), textOf('a', '2.zip'), textOf('b', '2.zip')]).toEqual([
      'first',
      'first',
      'changed',
    ]);
  });

  it('the archiver takes over data that a source has deflated already, and reads other content once', async () => {
    const [content, compressor] = [Buffer.from('from the scan '.repeat(100)), createCompressor()];
    const out = Buffer.alloc(content.length);
    const facts = deflateTo(out, 0, content, compressor);
    const plain = memoryContent({ ready: content.toString(), copy: content.toString(), other: 'read' });
    const { files } = await plain.list();
    const ready = files.find(({ path }) => path === 'ready')?.identity;
    let given = 0;
    const deflated = (identity: string): Deflated | undefined =>
      identity === ready && (given += 1) === 1 ? { ...facts, bytes: out.subarray(0, facts.length) } : undefined;
    const result = await archive({ ...plain, deflated }, '1.zip');
    expect([plain.reads, given, textOf('copy', '1.zip')]).toEqual([['other'], 1, content.toString()]);
    const elsewhere = createArchiver({ scratchDirectory: folder.at('other'), jobs: 1 });
    expect((await archive(plain, '2.zip', elsewhere)).shasum).toBe(result.shasum);
    await elsewhere.close();
  });

  it('the archiver writes many archives at once, and deflates shared content once', async () => {
    const contents = Array.from({ length: 30 }, (_, index) =>
      memoryContent({ shared: 'shared'.repeat(50), own: `own ${index}` }),
    );
    const results = await Promise.all(contents.map((content, index) => archive(content, `${index}.zip`)));
    expect(contents.filter(({ reads }) => reads.includes('shared'))).toHaveLength(1);
    expect(new Set(results.map(({ shasum }) => shasum)).size).toBe(30);
    expect(textOf('own', '17.zip')).toBe('own 17');
  });

  itInSeries('the archiver streams a large file, and deflates it only where that saves space', async () => {
    const compressible = Buffer.alloc(17 * 1024 * 1024, 'libretto ');
    const block = Buffer.alloc(1_000_000);
    for (let at = 0, state = 1; at < block.length; at += 4)
      block.writeInt32LE((state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0) ^ (state >>> 15), at);
    // deflate finds repetitions of the last 32 KiB alone
    const noise = Buffer.alloc(17 * 1024 * 1024, block);
    const first = await archive(memoryContent({ compressible, noise }));
    expect(first.size).toBeGreaterThan(noise.length);
    expect(first.size).toBeLessThan(noise.length + 1024 * 1024);
    const zip = new AdmZip(folder.at('out.zip'));
    expect(zip.getEntries().map((entry) => [entry.entryName, entry.header.method])).toEqual([
      ['acme-hello-1234567/compressible', 8],
      ['acme-hello-1234567/noise', 0],
    ]);
    expect(zip.readFile('acme-hello-1234567/compressible')?.equals(compressible)).toBe(true);
    expect(zip.readFile('acme-hello-1234567/noise')?.equals(noise)).toBe(true);
  });
});

describe('an archive is refused', () => {
  it('for an empty package', async () => {
    await expect(archive(memoryContent({}))).rejects.toMatchObject({ code: 'EMPTY_ARCHIVE' });
    expect(existsSync(folder.at('out.zip'))).toBe(false);
  });

  it.each([{ '../x': '' }, { 'a/../../x': '' }, { '/x': '' }, { a: '→b', 'a/x': 'through the link', b: '' }])(
    'for the unsafe path %j',
    async (files) => {
      await expect(archive(memoryContent(files))).rejects.toMatchObject({ code: 'UNSAFE_PATH' });
      expect(existsSync(folder.at('out.zip'))).toBe(false);
    },
  );

  it('where the target exists, and the target stays as it was', async () => {
    writeFileSync(folder.at('out.zip'), 'published');
    await expect(archive(memoryContent({ a: 'a' }))).rejects.toThrow('out.zip');
    expect(readFileSync(folder.at('out.zip'), 'utf8')).toBe('published');
  });

  it('where a content cannot be read; the next archive uses the contents that were read', async () => {
    await expect(archive(memoryContent({ a: 'a', b: 'b', c: 'c' }, { failAt: 'b' }))).rejects.toThrow('cannot read b');
    expect(readdirSync(folder.path)).toEqual([]);
    const next = memoryContent({ a: 'a', b: 'b', c: 'c' });
    await archive(next);
    expect(next.reads).toEqual(['b', 'c']);
    expect(textOf('b')).toBe('b');
  });

  it('where the disk loses written bytes, and the half archive is removed', async () => {
    const small = createArchiver({
      scratchDirectory: folder.at('scratch'),
      jobs: 1,
      memory: { slabBytes: 64, slabsInMemory: 1 },
    });
    const files = Object.fromEntries(
      Array.from({ length: 50 }, (_, index) => [`file${index}`, `content number ${index}`]),
    );
    await archive(memoryContent(files), '1.zip', small);
    truncateSync(folder.at('scratch', readdirSync(folder.at('scratch'))[0] ?? ''));
    await expect(archive(memoryContent(files), '2.zip', small)).rejects.toThrow(folder.at('scratch'));
    expect([existsSync(folder.at('1.zip')), existsSync(folder.at('2.zip'))]).toEqual([true, false]);
    await small.close();
  });

  it('without failing the other archives of the same call', async () => {
    const results = await Promise.allSettled(
      [0, 1, 2, 3, 4, 5].map((index) =>
        archive(
          memoryContent({ shared: 'shared', own: `own ${index}` }, index === 0 ? { failAt: 'shared' } : {}),
          `${index}.zip`,
        ),
      ),
    );
    expect(results.map(({ status }) => status)).toEqual(['rejected', ...Array.from({ length: 5 }, () => 'fulfilled')]);
    expect(textOf('shared', '5.zip')).toBe('shared');
  });
});

describe('closing the archiver', () => {
  it('removes the scratch file', async () => {
    const small = createArchiver({
      scratchDirectory: folder.at('scratch'),
      jobs: 1,
      memory: { slabBytes: 8, slabsInMemory: 1 },
    });
    await archive(memoryContent({ a: 'content that does not fit', b: 'into eight bytes' }), 'out.zip', small);
    expect(readdirSync(folder.at('scratch'))).toHaveLength(1);
    await small.close();
    expect(readdirSync(folder.at('scratch'))).toEqual([]);
    expect(statSync(folder.at('out.zip')).size).toBeGreaterThan(0);
  });
});
