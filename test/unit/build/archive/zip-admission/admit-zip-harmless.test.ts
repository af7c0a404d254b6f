// Tests the rule for archives of other registries: whatever hurts no unpacker is admitted. Real unpackers prove that
// each admitted sample writes below its folder only.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { admitZip } from '../../../../../build/archive/zip-admission/admit-zip.ts';
import { foreignZipLimits } from '../../../../../build/archive/zip-admission/zip-limits.ts';
import { zipOf, type EntrySpec } from '../../../../util/hostile-zip.ts';
import { temporaryFolder } from '../../../../util/temporary-folder.ts';
import { lacks } from '../../../../util/tool.ts';

const folder = temporaryFolder('harmless-zip');
afterAll(() => folder.remove());

const composerJson: EntrySpec = { name: 't/composer.json', data: '{"name": "acme/hello"}' };
const file = (name: string | Buffer): EntrySpec => ({ name, data: 'x' });
const link = (name: string, target: string): EntrySpec => ({ name, data: target, stored: true, mode: 0o120777 });

let count = 0;
function write(entries: readonly EntrySpec[]): string {
  const path = folder.at(`${(count += 1)}.zip`);
  writeFileSync(path, zipOf([composerJson, ...entries]));
  return path;
}

const harmless: readonly (readonly [string, ...EntrySpec[]])[] = [
  ['names that differ in case', file('t/api/Foo.html'), file('t/api/foo.html')],
  ['one accent written in two ways', file('t/b\u00e9.php'), file('t/be\u0301.php')],
  ['the same entry twice', file('t/a.php'), file('t/a.php')],
  ['entries of the folder itself', { name: './' }, file('./t/./a.php'), file('t//b.php')],
  ['backslashes', file('t/a\\b.php'), file('t/d\\c.php')],
  ['a name that is not UTF-8', { ...file(Buffer.from([0x74, 0x2f, 0xff, 0xe9])), both: { flags: 0 } }],
  ['control characters', { ...file('t/a\nb\u001b[31m'), both: { flags: 0 } }],
  ['a file where a folder is needed', file('t/lib'), file('t/lib/a.php')],
  ['a link to nothing', link('t/tests/link', 'missing')],
  ['a link to itself', link('t/link', 'link')],
  ['a link to a folder above', file('t/a/b.php'), link('t/a/link', '../a')],
  ['a folder with content', { name: 't/d/', data: 'x' }],
  ['a folder by its mode only', { name: 't/d', mode: 0o040755 }],
  ['a long name', file(`t/${'n'.repeat(300)}`)],
  ['names for Windows', file('t/con'), file('t/x:y')],
];

describe('an archive of another registry is admitted', () => {
  it.each(harmless.map(([what, ...entries]) => [what, entries] as const))('with %s', async (_what, entries) => {
    const path = write(entries);
    expect((await admitZip(path, foreignZipLimits)).root).toBe('t/');
  });

  it('with a file of any ratio', async () => {
    const path = write([{ name: 't/zeros', data: Buffer.alloc(20 * 1024 * 1024) }]);
    await expect(admitZip(path)).rejects.toThrow(/100 times its size/);
    await expect(admitZip(path, foreignZipLimits)).resolves.toMatchObject({ root: 't/' });
  });

  it.skipIf(lacks('unzip') || lacks('php'))('and neither unzip nor ZipArchive writes outside of its folder', () => {
    const script = '$z = new ZipArchive; $z->open($argv[1]); @$z->extractTo($argv[2]);';
    for (const [index, [, ...entries]] of harmless.entries()) {
      const zip = write(entries);
      for (const [tool, args] of [
        ['unzip', ['-qq', zip, '-d']],
        ['php', ['-r', script, zip]],
      ] as const) {
        const target = folder.at(`out/${index}/${tool}/deep/er`);
        mkdirSync(target, { recursive: true });
        try {
          execFileSync(tool, [...args, target], { stdio: 'ignore' });
        } catch (error) {
          expect(error).toMatchObject({ status: expect.any(Number) as unknown }); // unzip warns of some samples
        }
        expect(readdirSync(folder.at(`out/${index}/${tool}/deep`))).toEqual(['er']);
        expect(readdirSync(folder.at(`out/${index}/${tool}`))).toEqual(['deep']);
        expect(readFileSync(`${target}/t/composer.json`, 'utf8')).toContain('acme/hello');
      }
    }
    expect(existsSync(folder.at('evil'))).toBe(false);
  });
});

describe('row 75: an archive of another registry is refused', () => {
  it.each([
    ['a path that leads out', [file('../evil.php')], '".." segment'],
    ['a path that leads out in the middle', [file('t/../../evil.php')], '".." segment'],
    ['a path that leads out on Windows', [file('t\\..\\..\\evil.php')], '".." segment'],
    ['an absolute path', [file('/etc/evil')], 'absolute'],
    ['a path absolute on Windows', [file('\\evil')], 'absolute'],
    ['a drive letter', [file('C:evil')], 'absolute'],
    ['a NUL', [file('t/a\0b')], 'NUL'],
    ['a device', [{ name: 't/d', mode: 0o020666 }], 'device'],
    ['a leaving link', [link('t/l', '../../x')], 'leaves the package'],
    ['a link beside the package', [link('t/l', '../other')], 'leaves the package'],
    ['a link over a missing folder', [link('t/l', 'missing/../../x')], 'leaves the package'],
    ['an absolute link', [link('t/l', '/etc/passwd')], 'absolute'],
    ['a link that leaves on Windows', [link('t/l', '..\\..\\x')], 'backslash'],
    ['a link with a backslash in its name', [link('t/a\\l', '..')], 'in its place'],
    [
      'a link that leaves over a link in another case',
      [link('t/p/q/Foo', '../..'), link('t/l', 'p/q/foo/..')],
      'leaves',
    ],
    ['a file below a link', [link('t/l', 'sub'), file('t/l/a.php')], 'written through a symlink'],
    ['a file below a link in another case', [link('t/L', '../t'), file('t/l/a.php')], 'written through a symlink'],
    ['a file below a link on Windows', [link('t/l', 'sub'), file('t\\l\\a.php')], 'written through a symlink'],
    ['a file in the place of a link', [link('t/l', 'sub'), file('t/l')], 'in its place'],
    ['two links in one place', [link('t/l', 'a'), link('t/l', 'b')], 'in its place'],
    ['a link of two kinds', [{ ...link('t/l/', '../../x') }], 'leaves the package'],
  ] as [string, EntrySpec[], string][])('for %s', async (_what, entries, fault) => {
    await expect(admitZip(write(entries), foreignZipLimits)).rejects.toMatchObject({
      code: 'ARCHIVE_UNSAFE',
      message: expect.stringContaining(fault) as unknown,
    });
  });

  it('for contents of more bytes than it claims, or than an archive may have', async () => {
    const zeros = Buffer.alloc(3 * 1024 * 1024);
    const lie = write([{ name: 't/zeros', data: zeros, both: { size: 10 } }]);
    await expect(admitZip(lie, foreignZipLimits)).rejects.toThrow(/ZIP bomb/);
    const much = write([{ name: 't/zeros', data: zeros }]);
    await expect(admitZip(much, { ...foreignZipLimits, contentBytes: 1_000_000 })).rejects.toThrow(/unpacks to/);
  });
});
