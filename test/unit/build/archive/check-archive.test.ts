// Tests the check of an archive before its publication: the archive must hold the composer.json that its record was
// made of.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createArchiver } from '../../../../build/archive/archiver.ts';
import { checkArchive } from '../../../../build/archive/check-archive.ts';
import type { Content } from '../../../../build/archive/content.ts';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'libretto-own-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const composerJson = { name: 'acme/hello', version: '1.0.0' };
const expected = { topFolder: 'acme-hello-1234567', composerJson, mayNameAnother: false, hasComposerJson: true };

async function archive(files: Readonly<Record<string, string>>): Promise<string> {
  const target = join(folder, 'a.zip');
  const content: Content = {
    list: () =>
      Promise.resolve({
        files: Object.keys(files).map((path) => ({ path, mode: 'file', identity: path })),
        withheld: [],
      }),
    async *read(wanted) {
      for (const { path } of wanted) yield await Promise.resolve(Buffer.from(files[path] ?? ''));
    },
    entryTime: 1_700_000_000,
  };
  const archiver = createArchiver({ scratchDirectory: folder, jobs: 1 });
  await archiver.archive(content, { topFolder: expected.topFolder, target });
  await archiver.close();
  return target;
}

/** An archive as another tool packs it. */
function pack(files: Readonly<Record<string, string>>): string {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  execFileSync(
    'zip',
    ['-q', '-r', '-D', 'a.zip', ...new Set(Object.keys(files).map((path) => path.split('/')[0] ?? ''))],
    { cwd: folder },
  );
  return join(folder, 'a.zip');
}

const inside = (path: string): string => `${expected.topFolder}/${path}`;
const text = JSON.stringify(composerJson);

describe('checkArchive', () => {
  it.each([
    ['a few files', 3],
    ['so many that it takes ZIP64', 66_000],
  ])('checkArchive accepts %s', async (_title, count) => {
    const files = Object.fromEntries(
      Array.from({ length: count }, (_, at) => [`src/${at}.php`, at % 2 === 0 ? '' : 'a']),
    );
    checkArchive(await archive({ 'composer.json': text, ...files }), expected);
  });

  it('checkArchive reads a deflated composer.json too', async () => {
    checkArchive(
      await archive({ 'composer.json': JSON.stringify({ ...composerJson, description: 'x'.repeat(9999) }) }),
      expected,
    );
  });

  const faults: Readonly<Record<string, { readonly make: () => string | Promise<string>; readonly says: RegExp }>> = {
    'another package': {
      make: () => archive({ 'composer.json': '{"name": "acme/other", "version": "1.0.0"}' }),
      says: /the name "acme\/other"/,
    },
    'another version': {
      make: () => archive({ 'composer.json': '{"name": "acme/hello", "version": "1.0.1"}' }),
      says: /the version "1\.0\.1"/,
    },
    'no composer.json': { make: () => archive({ 'a.php': '' }), says: /no composer\.json/ },
    'no JSON': { make: () => archive({ 'composer.json': '{' }), says: /not JSON/ },
    'two top folders': {
      make: () => pack({ [inside('composer.json')]: text, 'other/a.php': 'a' }),
      says: /other\/.* lies beside/,
    },
    'a file beside the top folder': {
      make: () => pack({ [inside('composer.json')]: text, 'a.php': 'a' }),
      says: /"a\.php" lies beside/,
    },
    'no ZIP': {
      make: () => {
        writeFileSync(join(folder, 'a.zip'), 'PK'.repeat(99));
        return join(folder, 'a.zip');
      },
      says: /no end record/,
    },
    'a ZIP that is cut off': {
      make: async () => {
        const path = await archive({ 'composer.json': text });
        truncateSync(path, readFileSync(path).length - 5);
        return path;
      },
      says: /no end record/,
    },
  };
  for (const [title, { make, says }] of Object.entries(faults)) {
    it(`checkArchive refuses ${title}`, async () => {
      const path = await make();
      expect(() => checkArchive(path, expected)).toThrow(
        expect.objectContaining({ code: 'ARCHIVE_MISMATCH', message: expect.stringMatching(says) as string }),
      );
    });
  }

  it('checkArchive accepts another package name where the whole repository goes by the name of its default branch', async () => {
    checkArchive(await archive({ 'composer.json': '{"name": "acme/former", "version": "1.0.0"}' }), {
      ...expected,
      mayNameAnother: true,
    });
  });
});
