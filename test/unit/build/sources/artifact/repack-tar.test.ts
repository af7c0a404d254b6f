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
    const bomb = gzipSync(await tarOf(composerJson, { name: 'hello/zeros', text: Buffer.alloc(8 * 1024 * 1024) }));
    await expect(zipOf(bomb)).rejects.toMatchObject({ code: 'ARCHIVE_UNREADABLE', message: /as a bomb does/ });
    const whole = await tarOf(composerJson, { name: 'hello/a', text: 'x'.repeat(5000) });
    await expect(zipOf(whole.subarray(0, 3000))).rejects.toMatchObject({ code: 'ARCHIVE_UNREADABLE' });
    await expect(zipOf(gzipSync(whole).subarray(0, 60))).rejects.toMatchObject({ code: 'ARCHIVE_UNREADABLE' });
    await expect(zipOf(Buffer.from('hello'.repeat(300)))).rejects.toMatchObject({ code: 'ARCHIVE_UNREADABLE' });
  });

  it('is known from its first bytes', async () => {
    const tar = await tarOf(composerJson);
    expect(
      [tar, gzipSync(tar), Buffer.from('PK\u0003\u0004'), Buffer.alloc(0)].map((bytes) => isTar(write(bytes))),
    ).toEqual([true, true, false, false]);
  });
});
