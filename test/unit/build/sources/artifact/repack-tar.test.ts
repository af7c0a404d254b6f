// Tests the ZIP of a tar: equal tars give equal bytes, other tools read it, and hostile tars are refused.

import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { admitZip } from '../../../../../build/archive/zip-admission/admit-zip.ts';
import { isTar, repackTar } from '../../../../../build/sources/artifact/repack-tar.ts';
import { tarOf, type TarEntry } from '../../../../util/tar-bytes.ts';
import { temporaryFolder } from '../../../../util/temporary-folder.ts';

const folder = temporaryFolder('tars');
afterAll(() => folder.remove());

const composerJson: TarEntry = { name: 'hello/composer.json', text: '{"name": "acme/hello"}' };

let count = 0;
function write(bytes: Buffer): string {
  const path = folder.at(`${(count += 1)}.tar`);
  writeFileSync(path, bytes);
  return path;
}
const zipOf = (bytes: Buffer): Promise<string> => repackTar(write(bytes), folder.at('zips'));
const admitted = async (bytes: Buffer) => admitZip(await zipOf(bytes));

/** The first header with other bytes, and the checksum of that. */
function withBytes(tar: Buffer, at: number, bytes: Buffer): Buffer {
  const changed = Buffer.from(tar);
  bytes.copy(changed, at);
  changed.fill(' ', 148, 156);
  const sum = changed.subarray(0, 512).reduce((total, byte) => total + byte, 0);
  changed.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return changed;
}
const withSize = (tar: Buffer, size: Buffer): Buffer => withBytes(tar, 124, size);

describe('the ZIP of a tar', () => {
  it('has its files, links and modes, and the folder of the tar at its top', async () => {
    const long = `hello/${'deep/'.repeat(40)}a.php`;
    const { root, paths } = await admitted(
      await tarOf(
        { name: './hello/', type: 'directory' },
        { ...composerJson, name: './hello/composer.json' },
        { name: long, text: 'long' },
        { name: 'hello/bin/run', mode: 0o755, text: '#!/bin/sh' },
        { name: 'hello/bin/again', type: 'symlink', linkname: 'run' },
        { name: 'hello/bin/same', type: 'link', linkname: 'hello/bin/run' },
        { name: 'hello/\u00fc.php', text: 'pax' },
      ),
    );
    expect(root).toBe('hello/');
    expect(paths.toSorted()).toEqual(
      [
        'hello/bin/again',
        'hello/bin/run',
        'hello/bin/same',
        'hello/composer.json',
        long,
        'hello/\u00fc.php',
      ].toSorted(),
    );
  });

  it('passes over the size of a folder, which has no bytes', async () => {
    const folderEntry = (await tarOf({ name: 'hello/', type: 'directory' })).subarray(0, 512);
    const size = Buffer.from('00000001000\0');
    const tar = Buffer.concat([withSize(folderEntry, size), await tarOf(composerJson)]);
    expect((await admitted(tar)).paths).toEqual(['hello/composer.json']);
  });

  it('is the same for the same tar, at any time and place', async () => {
    const tar = gzipSync(await tarOf(composerJson, { name: 'hello/a.php', text: 'a' }));
    const [one, other] = [readFileSync(await zipOf(tar)), readFileSync(await zipOf(tar))];
    expect(one.equals(other)).toBe(true);
  });

  it('is made of what GNU tar writes, flat and with gzip', async () => {
    writeFileSync(folder.at('composer.json'), '{}');
    execFileSync('tar', ['czf', folder.at('flat.tgz'), '-C', folder.path, './composer.json']);
    const zip = await admitZip(await repackTar(folder.at('flat.tgz'), folder.at('zips')));
    expect([zip.root, zip.paths, zip.composerJson?.toString()]).toEqual(['package/', ['package/composer.json'], '{}']);
  });
});

describe('row 63: a tar is refused', () => {
  it.each([
    ['for a path that leads out', [{ name: '../evil', text: 'x' }], '".." segment'],
    ['for an absolute path', [{ name: '/evil', text: 'x' }], 'absolute'],
    ['for a device', [{ name: 'hello/null', type: 'character-device' }], 'a device'],
    ['for a pipe', [{ name: 'hello/pipe', type: 'fifo' }], 'a device, a pipe'],
    [
      'for a hard link to another place',
      [{ name: 'hello/l', type: 'link', linkname: '/etc/passwd' }],
      'a hard link to',
    ],
    ['for a link that leaves', [{ name: 'hello/l', type: 'symlink', linkname: '../../x' }], 'leaves the package'],
    [
      'for a file below a link',
      [
        { name: 'hello/l', type: 'symlink', linkname: 'x' },
        { name: 'hello/l/a', text: 'x' },
      ],
      'both a file or symlink and a folder',
    ],
  ] as [string, TarEntry[], string][])('%s', async (_what, entries, fault) => {
    const tar = await tarOf(composerJson, ...entries);
    await expect(admitted(tar)).rejects.toThrow(fault);
  });

  it('for a bomb, a cut-off file and one that is no tar', async () => {
    const bomb = gzipSync(await tarOf(composerJson, { name: 'hello/zeros', text: Buffer.alloc(17 * 1024 * 1024) }));
    await expect(zipOf(bomb)).rejects.toMatchObject({ code: 'ARCHIVE_UNREADABLE', message: /as a bomb does/ });
    const whole = await tarOf(composerJson, { name: 'hello/a', text: 'x'.repeat(5000) });
    await expect(zipOf(whole.subarray(0, 3000))).rejects.toMatchObject({ code: 'ARCHIVE_UNREADABLE' });
    await expect(zipOf(gzipSync(whole).subarray(0, 60))).rejects.toMatchObject({ code: 'ARCHIVE_UNREADABLE' });
    await expect(zipOf(Buffer.from('hello'.repeat(300)))).rejects.toMatchObject({ code: 'ARCHIVE_UNREADABLE' });
  });

  it('for hard links that unpack to more than a ZIP may, before it is packed', async () => {
    const links = Array.from({ length: 39 }, (_, index): TarEntry => ({
      name: `hello/${index}`,
      type: 'link',
      linkname: 'hello/big',
    }));
    const tar = await tarOf(composerJson, { name: 'hello/big', text: Buffer.alloc(7 * 1024 * 1024) }, ...links);
    await expect(zipOf(tar)).rejects.toMatchObject({
      code: 'ARCHIVE_UNSAFE',
      message: /unpacks to \d+ bytes or more; it may unpack to 268435456\./,
    });
  });

  it('for more entries than a ZIP may have', async () => {
    const empty = (await tarOf({ name: 'hello/a' })).subarray(0, 512);
    const tar = Buffer.concat([...Array.from({ length: 20_001 }, () => empty), Buffer.alloc(1024)]);
    await expect(zipOf(tar)).rejects.toMatchObject({
      code: 'ARCHIVE_UNSAFE',
      message: /holds 20001 entries or more; the maximum is 20000\./,
    });
  });

  it.each([
    ['the size -1', Buffer.alloc(12, 0xff)],
    ['the size -512', Buffer.concat([Buffer.alloc(10, 0xff), Buffer.from([0xfe, 0])])],
    ['a size that is no number', Buffer.from('z'.repeat(12))],
  ])('for %s', async (_what, size) => {
    const tar = withSize(await tarOf({ name: 'hello/a' }), size);
    await expect(zipOf(tar)).rejects.toMatchObject({
      code: 'ARCHIVE_UNSAFE',
      message: /"hello\/a" has a size that is no/,
    });
  });

  it('row 64: for a path or a target that is not UTF-8', async () => {
    const path = withBytes(await tarOf({ name: 'hello/caf_.php', text: 'x' }), 9, Buffer.from([0xe9]));
    const link: TarEntry = { name: 'hello/l', type: 'symlink', linkname: 'caf_.php' };
    const target = withBytes(await tarOf(link), 157 + 3, Buffer.from([0xe9]));
    for (const tar of [path, target])
      await expect(zipOf(tar)).rejects.toThrow(/"hello\/\S+" has a path or a target that is not UTF-8/);
  });

  it('row 64: for entries behind its end, also behind an extended header, and not for files that end in zeros', async () => {
    const zeros = await tarOf({ name: 'hello/zeros', text: Buffer.alloc(2048) }, composerJson);
    expect((await admitted(zeros)).paths).toHaveLength(2);
    const extended = (await tarOf({ name: 'hello/a', pax: { comment: 'x' } })).subarray(0, 1024);
    for (const first of [await tarOf(composerJson), Buffer.alloc(1024), extended, Buffer.concat([zeros, extended])])
      await expect(zipOf(Buffer.concat([first, Buffer.alloc(1024), zeros]))).rejects.toMatchObject({
        code: 'ARCHIVE_UNSAFE',
        message: /has entries behind its end/,
      });
  });

  it.each(['GNU.sparse.major', 'GNU.volume.offset', 'SCHILY.realsize'])(
    'row 64: for the extended header %s',
    async (key) => {
      const tar = await tarOf(composerJson, { name: 'hello/part', text: 'x', pax: { [key]: '1' } });
      await expect(zipOf(tar)).rejects.toThrow(/"hello\/part" is a sparse file, or a part of a file/);
      const other = await tarOf(composerJson, { name: 'hello/whole', text: 'x', pax: { 'SCHILY.xattr.user.a': '1' } });
      expect((await admitted(other)).paths).toContain('hello/whole');
    },
  );

  it('for a path or a target that is too long, which the answer names in part', async () => {
    const long = `hello/${'n'.repeat(5000)}`;
    for (const entry of [{ name: long }, { name: 'hello/l', type: 'symlink', linkname: long } as const]) {
      const error: unknown = await zipOf(await tarOf(composerJson, entry)).catch((fault: unknown) => fault);
      expect(String(error)).toMatch(/^.{1,400}a path or a target of more than 4096 bytes.{1,200}$/);
    }
  });

  it('is known from its first bytes', async () => {
    const tar = await tarOf(composerJson);
    expect(
      [tar, gzipSync(tar), Buffer.from('PK\u0003\u0004'), Buffer.alloc(0)].map((bytes) => isTar(write(bytes))),
    ).toEqual([true, true, false, false]);
  });
});
