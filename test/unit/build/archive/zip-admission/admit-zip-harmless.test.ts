// Tests the rule for archives of other registries: whatever hurts no unpacker is admitted. Real unpackers prove that
// each admitted sample writes below its folder only.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { admitZip } from '../../../../../build/archive/zip-admission/admit-zip.ts';
import { foreignZipLimits } from '../../../../../build/archive/zip-admission/zip-limits.ts';
import { zipOf, type EntrySpec } from '../../../../util/hostile-zip.ts';
import { itInSeries } from '../../../../util/series.ts';
import { temporaryFolder } from '../../../../util/temporary-folder.ts';
import { lacks } from '../../../../util/tool.ts';

const folder = temporaryFolder('harmless-zip');
afterAll(() => folder.remove());

const composerJson: EntrySpec = { name: 't/composer.json', data: '{"name": "acme/hello"}' };
const file = (name: string | Buffer): EntrySpec => ({ name, data: 'x' });
const link = (name: string, target: string): EntrySpec => ({ name, data: target, stored: true, mode: 0o120777 });

/** A name in code page 437. */
const old = (name: string): EntrySpec => ({ ...file(Buffer.from(name, 'latin1')), both: { flags: 0 } });

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
  ['the same bytes, stored and packed', { ...file('t/a.php'), stored: true }, file('t/./a.php')],
  ['two contents in two cases', file('t/a.php'), { ...file('t/A.php'), data: 'y' }],
  ['entries of the folder itself', { name: './' }, file('./t/./a.php'), file('t//b.php')],
  ['backslashes', file('t/a\\b.php'), file('t/d\\c.php')],
  ['a name that is not UTF-8', { ...file(Buffer.from([0x74, 0x2f, 0xff, 0xe9])), both: { flags: 0 } }],
  ['control characters', { ...file('t/a\nb\u001b[31m'), both: { flags: 0 } }],
  ['a link to nothing', link('t/tests/link', 'missing')],
  ['a link to itself', link('t/link', 'link')],
  ['two equal links in one place', link('t/l', 'a'), link('t/l', 'a')],
  ['links of one name for unzip', { ...link('t/l\u0001', 'sub'), both: { flags: 0 } }, link('t/l', 'sub')],
  [
    'ordinary names in code page 437',
    old('t/M\x81ller.txt'),
    old('t/\x84\x94.txt'),
    old('t/\x84/'),
    old('t/\x84/\xe1'),
  ],
  ['one name in UTF-8 and in code page 437', file('t/\u00fc'), old('t/\x81')],
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

  itInSeries.skipIf(lacks('unzip') || lacks('php'))(
    'and neither unzip nor ZipArchive writes outside of its folder',
    () => {
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
    },
  );
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
    ['a reparse point of FAT', [{ ...file('t/r'), central: { madeBy: 20, attributes: 0x400 } }], 'reparse point'],
    ['a reparse point of NTFS', [{ ...file('t/r'), central: { madeBy: 0x0b14, attributes: 0x420 } }], 'reparse point'],
    ['a leaving link', [link('t/l', '../../x')], 'leaves the package'],
    ['a link beside the package', [link('t/l', '../other')], 'leaves the package'],
    ['a link over a missing folder', [link('t/l', 'missing/../../x')], 'leaves the package'],
    ['an absolute link', [link('t/l', '/etc/passwd')], 'absolute'],
    ['a file where a folder is needed', [file('t/a/b'), file('t/a')], '"t/a" is in the place of a folder that "t/a/b"'],
    ['a file and a folder of one path', [file('t/a'), { name: 't/./a/' }], 'place of a folder that "t/a/" needs'],
    ['a file below a link', [link('t/l', 'sub'), file('t/l\\a.php')], 'place of a folder that "t/l/a.php" needs'],
    ['a file for a folder, in code page 437', [old('t/\x81'), file('t/\u00fc/b')], 'folder that "t/\u00fc/b" needs'],
    ['a link that leaves on Windows', [link('t/l', '..\\..\\x')], 'backslash'],
    ['a link that leaves a top folder beside .DS_Store', [link('t/l', '../up'), file('.DS_Store/x')], 'leaves the'],
    [
      'a leaving link before another of its name',
      [link('t/l', '../../x'), link('t/l', 'a')],
      'two different contents of "t/l"',
    ],
    [
      'a leaving link after another of its name',
      [link('t/l', 'a'), link('./t/l', '../../x')],
      'two different contents of "t/l"',
    ],
    [
      'an absolute link before another of its name',
      [link('t/l', '/etc'), link('t/l', 'a')],
      'two different contents of "t/l"',
    ],
    [
      'a name of more bytes than Linux takes',
      [file(`t/${'d/'.repeat(2047)}ab`)],
      'has a name of 4098 bytes; it may have 4096',
    ],
    ['a drive letter after a dot', [file('./C:/evil')], 'absolute'],
    ['a drive letter after a dot, on Windows', [file('.\\C:evil')], 'absolute'],
    ['a link to a drive letter after a dot', [link('t/l', './C:/x')], 'absolute'],
  ] as [string, EntrySpec[], string][])('for %s', async (_what, entries, fault) => {
    await expect(admitZip(write(entries), foreignZipLimits)).rejects.toMatchObject({
      code: 'ARCHIVE_UNSAFE',
      message: expect.stringContaining(fault) as unknown,
    });
  });

  it.each<[string, ...(string | Buffer)[]]>([
    ['twice', 't/a.php', 't/a.php'],
    ['with a dot', 't/./a.php', 't/a.php'],
    ['with two slashes', 't/a.php', 't//a.php'],
    ['with a backslash', 't/lib/a.php', 't/lib\\.\\a.php'],
    ['with a control character', 't/a.php', 't/a\u0001.php'],
    ['in UTF-8 and in code page 437', 't/\u00e9a.php', Buffer.from('t/\x82a.php', 'latin1')],
    ['in code page 437 with a backslash', 't/\u00fc/./a.php', Buffer.from('t\\\x81\\a.php', 'latin1')],
    ['with the last character of code page 437', 't/\u00a0a.php', Buffer.from('t/\xffa.php', 'latin1')],
    ['with a picture of code page 437', 't/\u263aa.php', Buffer.from('t/\x01a.php', 'latin1')],
  ])('for two different contents of one path, %s', async (_what, ...names) => {
    const forged = [
      ['x', 'y'],
      ['hello', Buffer.from('29631db76e', 'hex')], // of one CRC-32
    ] as const;
    for (const contents of forged) {
      const entries = names.map((name, at) => ({ name, data: contents[at] ?? '', both: { flags: 0 } }));
      await expect(admitZip(write(entries), foreignZipLimits)).rejects.toThrow(
        /two different contents of "t\/.*a\.php"/,
      );
    }
  });

  const inner = link('t/d/e/a', '../..');
  it.each([
    ['a control character, which unzip drops', [link('t/d/e/a\u0001', '../..')], 'control character'],
    ['bytes that are no UTF-8', [{ ...inner, name: Buffer.from('t/d/e/\u00e9', 'latin1') }], 'not UTF-8'],
    ['two cases', [inner, file('t/d/e/A')], 'are the same file'],
    ['two cases of one sharp s', [file('t/d/\u00df'), file('t/d/ss')], 'are the same file'],
    ['two cases of one capital sharp s', [file('t/d/\u1e9e'), file('t/d/\u00df')], 'are the same file'],
    ['an invisible character', [file('t/d/a\u200c'), file('t/d/a')], 'are the same file'],
    ['a backslash', [link('t/d\\l', 'sub')], 'backslash'],
    ['a link of two kinds', [{ ...inner, name: 't/d/e/a/' }], 'a symlink by its mode and a folder by its name'],
    ['a top folder of two cases', [file('T/a.php')], 'top folders that are one folder'],
    ['a folder at the top for unzip', [file('t\u0001/evil.php')], 'control character'],
  ] as [string, EntrySpec[], string][])('for %s beside a link that leads upwards', async (_what, entries, fault) => {
    await expect(admitZip(write([link('t/d/x', '../y'), ...entries]), foreignZipLimits)).rejects.toMatchObject({
      code: 'ARCHIVE_UNSAFE',
      message: expect.stringMatching(
        new RegExp(`^The symlink "t/d/(x|e/a.*)" leads upwards, so that all names must be valid.*${fault}`),
      ) as unknown,
    });
  });

  it.each([
    ['case', 'p/q/Foo', 'p/q/foo/..'],
    ['spelling of a sharp s', 'p/q/\u00df', 'p/q/ss/..'],
    ['spelling for Windows', 'p/q/a', 'p/q/a./..'],
    ['spelling for HFS+', 'p/q/a', 'p/q/a\u200c/..'],
  ])('for a link that leaves over a link in another %s', async (_what, over, target) => {
    const path = write([link(`t/${over}`, '../..'), link('t/l', target)]);
    await expect(admitZip(path, foreignZipLimits)).rejects.toThrow(`"l" → ${JSON.stringify(target)}: it leaves`);
  });

  it('for a leaving link, with its own target and without a repair that only its maker can do', async () => {
    await expect(admitZip(write([link('t/L', '../OTHER')]), foreignZipLimits)).rejects.toThrow(
      /^The symlink "L" → "\.\.\/OTHER": it leaves the package\.$/,
    );
  });

  it('for links that lead upwards and need too many steps', async () => {
    const links = Array.from({ length: 600 }, (_, at) => link(`t/l${at}`, 'a/'.repeat(2000)));
    await expect(admitZip(write(links), foreignZipLimits)).resolves.toMatchObject({ root: 't/' });
    links.push(link('t/d/l', '..'));
    await expect(admitZip(write(links), foreignZipLimits)).rejects.toThrow(/need more than 1000000 steps/);
  });

  it('for contents of more bytes than it claims, or than an archive may have', async () => {
    const zeros = Buffer.alloc(3 * 1024 * 1024);
    const lie = write([{ name: 't/zeros', data: zeros, both: { size: 10 } }]);
    await expect(admitZip(lie, foreignZipLimits)).rejects.toThrow(/ZIP bomb/);
    const much = write([{ name: 't/zeros', data: zeros }]);
    await expect(admitZip(much, { ...foreignZipLimits, contentBytes: 1_000_000 })).rejects.toThrow(/unpacks to/);
  });
});
