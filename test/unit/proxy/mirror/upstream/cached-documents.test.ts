// Tests documents of upstreams between memory and disk: they are readable before they are written, and on disk soon
// after.

import { mkdirSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { fileOf, readDocumentFile, type DocumentFile } from '../../../../../proxy/mirror/upstream/document-file.ts';
import { CachedDocuments } from '../../../../../proxy/mirror/upstream/cached-documents.ts';
import { temporaryFolder } from '../../../../util/temporary-folder.ts';

const nobody = (error: unknown): void => expect.unreachable(String(error));
const documentOf = (text: string): DocumentFile =>
  fileOf(Buffer.from(text), { etag: undefined, lastModified: undefined }, Date.now());
const textOf = (file: DocumentFile | undefined): string | undefined => file?.body?.toString();

describe('a fetched document', () => {
  it('is readable at once, and on disk once it is written', async () => {
    await using folder = temporaryFolder('kept');
    const kept = new CachedDocuments(1024 ** 2);
    const path = folder.at('p2/some/lib.json');
    await kept.keep(path, documentOf('{"one":1}'), nobody);
    expect(await readDocumentFile(path)).toBeUndefined();
    expect(textOf(await kept.read(path))).toBe('{"one":1}');
    await kept.keep(path, documentOf('{"two":2}'), nobody);
    await kept.written();
    expect(textOf(await readDocumentFile(path))).toBe('{"two":2}');
    expect(textOf(kept.remembered(path))).toBe('{"two":2}');
    await kept.keep(path, documentOf('{"three":3}'), nobody);
    await expect.poll(async () => textOf(await readDocumentFile(path))).toBe('{"three":3}');
  });

  it('is revalidated in its file, whether that is written yet or not', async () => {
    await using folder = temporaryFolder('kept');
    const [kept, other] = [new CachedDocuments(1024 ** 2), new CachedDocuments(1024 ** 2)];
    const path = folder.at('lib.json');
    const first = documentOf('{}');
    await kept.keep(path, first, nobody);
    await kept.checked(path, { ...first, checkedAtMs: first.checkedAtMs + 5_000_000 }, nobody);
    await kept.written();
    expect((await other.read(path))?.checkedAtMs).toBe(first.checkedAtMs + 5_000_000);
    await kept.checked(path, { ...first, checkedAtMs: first.checkedAtMs + 9_000_000 }, nobody);
    expect((await other.read(path))?.checkedAtMs).toBe(first.checkedAtMs + 9_000_000);
    expect(other.remembered(path)?.checkedAtMs).toBe(first.checkedAtMs + 9_000_000);
  });

  it('a current document whose file was removed is stored again', async () => {
    await using folder = temporaryFolder('kept');
    const kept = new CachedDocuments(1024 ** 2);
    const path = folder.at('lib.json');
    await kept.checked(path, documentOf('{"one":1}'), nobody);
    await kept.written();
    expect(textOf(await readDocumentFile(path))).toBe('{"one":1}');
  });

  it('makes its fetch wait where too many documents wait for the disk', async () => {
    await using folder = temporaryFolder('kept');
    const kept = new CachedDocuments(0);
    const large = documentOf('x'.repeat(3 * 1024 ** 2));
    for (const name of ['a', 'b']) await kept.keep(folder.at(name), large, nobody);
    expect(await readDocumentFile(folder.at('a'))).toBeUndefined();
    await kept.keep(folder.at('c'), large, nobody);
    for (const name of ['a', 'b', 'c'])
      expect((await readDocumentFile(folder.at(name)))?.body).toHaveLength(3 * 1024 ** 2);
    expect(kept.remembered(folder.at('a'))).toBeUndefined();
  });

  it('a failed write of a document is reported, and the next document is written', async () => {
    await using folder = temporaryFolder('kept');
    mkdirSync(folder.at('p2'));
    writeFileSync(folder.at('p2/some'), 'a file');
    const kept = new CachedDocuments(1024 ** 2);
    const failures: unknown[] = [];
    await kept.keep(folder.at('p2/some/lib.json'), documentOf('{}'), (error) => failures.push(error));
    await kept.keep(folder.at('p2/other/lib.json'), documentOf('{}'), nobody);
    await kept.written();
    expect(failures).toMatchObject([{ code: 'EEXIST' }]);
    expect(kept.remembered(folder.at('p2/some/lib.json'))).toBeUndefined();
    expect(textOf(await readDocumentFile(folder.at('p2/other/lib.json')))).toBe('{}');
  });
});
