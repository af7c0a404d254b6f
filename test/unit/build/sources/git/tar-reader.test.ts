// Tests the reader of git's tar: it agrees with GNU tar for chunks of any size, and refuses other input.

import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TarFault, readTar } from '../../../../../build/sources/git/tar-reader.ts';
import { createRepository } from '../../../../util/git-repository.ts';
import { temporaryFolder } from '../../../../util/temporary-folder.ts';

const folder = temporaryFolder('tar');
afterAll(() => folder.remove());

const long = (length: number): string =>
  `${'d'.repeat(90)}/`.repeat(Math.floor(length / 91)).concat('f'.repeat(length % 91));
const files: Record<string, string> = {
  a: '1',
  empty: '',
  block: 'x'.repeat(512),
  'large.bin': 'y'.repeat(70_001),
  'ü/é': 'two',
  [long(99)]: 'at 99',
  [long(160)]: 'at 160',
  [`${'s'.repeat(120)}/${'t'.repeat(130)}`]: 'neither part fits',
  [long(700)]: 'at 700',
};
let tar: Buffer;

beforeAll(() => {
  const repository = createRepository(folder.at('lib'), [
    {
      commit: 'main',
      files: {
        ...files,
        link: { mode: '120000', content: 'z'.repeat(300) },
        sub: { mode: '160000', content: '12'.repeat(20) },
      },
    },
  ]);
  tar = repository.gitBytes('archive', '--format=tar', 'main');
});

async function* pieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

async function read(
  bytes: Buffer,
  size = 65_536,
  wanted: (path: string, size: number) => boolean = () => true,
): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for await (const file of readTar(pieces(bytes, size), wanted)) found[file.path] = file.bytes.toString();
  return found;
}

/** Changes bytes in a copy, and corrects the checksum of the header. */
function changed(at: number, text: string): Buffer {
  const header = Math.floor(at / 512) * 512;
  const copy = Buffer.from(tar);
  copy.write(text, at, 'latin1');
  copy.fill(' ', header + 148, header + 156);
  const sum = copy.subarray(header, header + 512).reduce((total, byte) => total + byte, 0);
  copy.write(`${sum.toString(8).padStart(6, '0')}\0 `, header + 148, 'latin1');
  return copy;
}

/** The offset of the first ordinary file. */
const firstFile = (): number => {
  for (let at = 0; ; at += 512)
    if (tar[at + 156] === 0x30 && tar.toString('latin1', at + 257, at + 262) === 'ustar') return at;
};

describe('readTar', () => {
  it.each([1, 7, 511, 512, 513, 65_536, 1 << 22])('readTar reads every file from chunks of %i bytes', async (size) => {
    expect(await read(tar, size)).toEqual(files);
  });

  it('readTar agrees with GNU tar on every path', async () => {
    const names = execFileSync('tar', ['--list', '--file=-', '--quoting-style=literal'], {
      input: tar,
      env: { PATH: process.env['PATH'] ?? '', LC_ALL: 'C.UTF-8' },
    }).toString();
    expect(Object.keys(await read(tar))).toEqual(
      names.split('\n').filter((name) => name !== '' && name !== 'link' && !name.endsWith('/')),
    );
  });

  it('readTar announces the size first, and keeps the wanted files', async () => {
    const sizes: number[] = [];
    expect(await read(tar, 1000, (path, size) => (sizes.push(size), path === 'a'))).toEqual({ a: '1' });
    expect(sizes.sort()).toEqual(
      Object.values(files)
        .map((text) => Buffer.byteLength(text))
        .sort(),
    );
  });

  it.each([
    ['is cut in a file', () => tar.subarray(0, firstFile() + 600)],
    ['is cut in a header', () => tar.subarray(0, firstFile() + 100)],
    ['is something else', () => Buffer.alloc(1024, 'x')],
    [
      'has a wrong checksum',
      () => Buffer.concat([tar.subarray(0, firstFile()), Buffer.from('!'), tar.subarray(firstFile() + 1)]),
    ],
    ['has a device', () => changed(firstFile() + 156, '3')],
    ['has a hard link', () => changed(firstFile() + 156, '1')],
    ['has a size that is no number', () => changed(firstFile() + 124, '0000000abcd')],
  ])('readTar refuses an archive that %s', async (_, bytes) => {
    await expect(read(bytes())).rejects.toThrow(TarFault);
  });

  it('readTar passes on the errors of its source and of its caller', async () => {
    const gone = new Error('gone');
    const failing = async function* (): AsyncGenerator<Buffer> {
      yield tar.subarray(0, firstFile() + 600);
      await Promise.reject(gone);
    };
    const drain = async (chunks: AsyncIterable<Buffer>, wanted: () => boolean): Promise<void> => {
      for await (const _ of readTar(chunks, wanted));
    };
    await expect(drain(failing(), () => true)).rejects.toBe(gone);
    const refuse = (): never => {
      throw gone;
    };
    await expect(drain(pieces(tar, 1000), refuse)).rejects.toBe(gone);
  });
});
