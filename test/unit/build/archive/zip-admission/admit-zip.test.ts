// Tests that ZIPs of ordinary tools are admitted, and that other ZIP readers see the same entries as Libretto.

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { admitZip } from '../../../../../build/archive/zip-admission/admit-zip.ts';
import { openZipMembers } from '../../../../../build/archive/zip-members.ts';
import { readZipDirectory } from '../../../../../build/archive/zip-directory.ts';
import {
  extraField,
  numbersOf,
  wide,
  words,
  zipOf,
  type EntrySpec,
  type ZipSpec,
} from '../../../../util/hostile-zip.ts';
import { seededRandom } from '../../../../util/seeded-random.ts';
import { temporaryFolder } from '../../../../util/temporary-folder.ts';
import { lacks } from '../../../../util/tool.ts';

const folder = temporaryFolder('admitted-zip');
afterAll(() => folder.remove());

const random = seededRandom(7);
const noise = Buffer.from(Array.from({ length: 700_000 }, () => Math.floor(random() * 256)));

beforeAll(() => {
  mkdirSync(folder.at('hello/src'), { recursive: true });
  writeFileSync(folder.at('hello/composer.json'), '{"name": "acme/hello"}');
  writeFileSync(folder.at('hello/src/\u00fc.php'), '<?php');
  writeFileSync(folder.at('hello/empty'), '');
  writeFileSync(folder.at('hello/noise.bin'), noise);
  writeFileSync(
    folder.at('hello/text.txt'),
    'line of text\n'.repeat(90_000).replaceAll(/e/g, () => String.fromCharCode(97 + Math.floor(random() * 26))),
  );
  symlinkSync('src/\u00fc.php', folder.at('hello/link'));
});

const run = (tool: string, ...operands: readonly string[]): Buffer =>
  execFileSync(tool, operands, { cwd: folder.path, maxBuffer: 2 ** 27, stdio: ['ignore', 'pipe', 'ignore'] });

async function expectAdmitted(root: string): Promise<void> {
  const path = folder.at('a.zip');
  const zip = await admitZip(path);
  expect(zip).toMatchObject({
    root,
    sha256: createHash('sha256').update(readFileSync(path)).digest('hex'),
    size: readFileSync(path).length,
  });
  expect(zip.composerJson?.toString()).toBe('{"name": "acme/hello"}');
  const others = readZipDirectory(path);
  expect([...zip.paths].sort()).toEqual([...others.keys()].sort());
  for (const member of zip.paths.filter((found) => !found.endsWith('link'))) {
    expect(
      others
        .get(member)
        ?.read()
        .equals(readFileSync(folder.at('hello', member.slice(root.length)))),
    ).toBe(true);
  }
}

describe.skipIf(lacks('zip'))('a ZIP written by zip', () => {
  it.each([
    [['-qr']],
    [['-qry']],
    [['-qr', '-0']],
    [['-qr', '-9', '-X']],
    [['-qrD']],
    [['-qr', '-fd']],
    [['-qr', '-fz']],
  ])('a ZIP written with the flags %j is admitted', async (flags) => {
    writeFileSync(folder.at('list'), '');
    execFileSync('rm', ['-f', folder.at('a.zip')]);
    run('zip', ...flags, 'a.zip', 'hello');
    await expectAdmitted('hello/');
  });

  it('a ZIP written into a pipe, with data descriptors, is admitted', async () => {
    writeFileSync(folder.at('a.zip'), run('zip', '-qr', '-', 'hello'));
    await expectAdmitted('hello/');
  });
});

it.skipIf(lacks('git'))('a ZIP written by git archive, with a commit in the comment, is admitted', async () => {
  const git = (...operands: readonly string[]): Buffer =>
    run('git', '-C', 'hello', '-c', 'user.name=a', '-c', 'user.email=a@example.org', ...operands);
  git('init', '-q');
  git('add', '-A');
  git('commit', '-qm', 'x');
  writeFileSync(folder.at('a.zip'), git('archive', '--format=zip', 'HEAD'));
  execFileSync('rm', ['-rf', folder.at('hello/.git')]);
  await expectAdmitted('');
});

describe('unusual but valid ZIPs', () => {
  const composer: EntrySpec = { name: 'composer.json', data: '{"name": "acme/hello"}' };
  const later = { size: 0, compressedSize: 0, crc32: 0 };
  const { crc32, compressedSize, size } = numbersOf(composer);
  const open: EntrySpec = { ...composer, both: { flags: 0x0808 }, local: later };
  it.each<[string, EntrySpec, ZipSpec, ...EntrySpec[]]>([
    ['a descriptor', { ...open, descriptor: words(0x08074b50, crc32, compressedSize, size) }, {}],
    ['a descriptor without a signature', { ...open, descriptor: words(crc32, compressedSize, size) }, {}],
    [
      'a descriptor of 64 bits',
      { ...open, descriptor: Buffer.concat([words(0x08074b50, crc32), wide(compressedSize, size)]) },
      {},
    ],
    [
      'a descriptor of 64 bits without a signature',
      { ...open, descriptor: Buffer.concat([words(crc32), wide(compressedSize, size)]) },
      {},
    ],
    [
      'ZIP64 sizes in its own header',
      {
        ...composer,
        local: { size: 0xffffffff, compressedSize: 0xffffffff, extra: extraField(1, wide(size, compressedSize)) },
      },
      {},
    ],
    [
      'ZIP64 sizes in both headers',
      {
        ...composer,
        both: { size: 0xffffffff, compressedSize: 0xffffffff, extra: extraField(1, wide(size, compressedSize)) },
      },
      {},
    ],
    ['a ZIP64 end', composer, { zip64: {} }],
    [
      'numbers in a ZIP64 end only',
      composer,
      { zip64: {}, end: { here: 0xffff, entries: 0xffff, length: 0xffffffff, offset: 0xffffffff } },
    ],
    ['padding in the extra field', { ...composer, local: { extra: Buffer.alloc(3) } }, {}],
    [
      'its own name in an extra field',
      {
        ...composer,
        both: { extra: extraField(0x7075, Buffer.concat([Buffer.from([0]), words(0), Buffer.from('composer.json')])) },
      },
      {},
    ],
    ['made on DOS, without modes', { ...composer, central: { madeBy: 20, attributes: 0x20 } }, {}],
    ['no UTF-8 flag', { ...composer, both: { flags: 0 } }, {}],
    ['a folder that is listed twice', composer, {}, { name: 'src/' }],
    ['a comment', composer, { comment: Buffer.from('made with care') }],
    ['PK in the comment', composer, { comment: Buffer.from('PK\u0005 PK') }],
  ])('a ZIP is admitted, and read, with %s', async (_what, entry, spec, ...more) => {
    writeFileSync(
      folder.at('odd.zip'),
      zipOf([entry, { name: 'src/' }, { name: 'src/\u00fc.php', data: 'x' }, ...more], spec),
    );
    const paths = ['composer.json', 'src/\u00fc.php'];
    expect((await admitZip(folder.at('odd.zip'))).paths).toEqual(paths);
    for (const read of [readZipDirectory, openZipMembers])
      expect([...read(folder.at('odd.zip')).keys()]).toEqual(paths);
  });

  it('a ZIP is admitted with entries in another order than in its directory', async () => {
    const first: EntrySpec = { name: 'a', data: 'x' };
    const swapped = zipOf([
      { ...first, unlisted: true },
      composer,
      { ...first, listedOnly: true, central: { offset: 0 } },
    ]);
    expect((await admitOf(swapped)).paths).toEqual(['composer.json', 'a']);
  });

  const admitOf = async (bytes: Buffer): ReturnType<typeof admitZip> => {
    writeFileSync(folder.at('odd.zip'), bytes);
    return admitZip(folder.at('odd.zip'));
  };

  it('a symlink within the package is admitted, also one through its top folder', async () => {
    const link = (name: string, data: string): EntrySpec => ({ name, data, mode: 0o120777 });
    expect(
      (
        await admitOf(
          zipOf([
            { ...composer, name: 'top/composer.json' },
            { name: 'top/a/b', data: '' },
            link('top/c', 'a'),
            link('top/a/d', '../c/b'),
          ]),
        )
      ).root,
    ).toBe('top/');
  });
});
