// Tests the bytes of a ZIP by reading them back with other programs.

import { describe, expect, it } from 'vitest';
import { layoutZip, type ZipEntry } from '../../../../build/archive/zip-layout.ts';
import { itInSeries } from '../../../util/series.ts';

const time = Date.UTC(2024, 1, 29, 12, 34, 57) / 1000;

function entry(path: string, more: Partial<ZipEntry> = {}): ZipEntry {
  return { path, mode: 'file', crc32: 0x12345678, size: 10, compressedSize: 7, method: 8, ...more };
}

function layout(entries: readonly ZipEntry[], at = time) {
  const { tail, localHeaders, headerEnds, size } = layoutZip(entries, { topFolder: 'top', time: at });
  return { tail: Buffer.from(tail), local: Buffer.from(localHeaders), headerEnds, size };
}

describe('layoutZip', () => {
  it('layoutZip writes one local header for each entry, without data descriptors', () => {
    const { local, headerEnds } = layout([entry('a')]);
    expect(local.toString('hex')).toBe(
      [
        '504b0304 1400 0000 0800', // signature, version 2.0, no flags, deflate
        '5c64 5c58', // 2024-02-28 12:34:56
        '78563412 07000000 0a000000', // crc, compressed, size
        '0500 0900', // lengths of name and extra
        Buffer.from('top/a').toString('hex'),
        '5554 0500 01 f179e065', // UT, 5 bytes, mtime only
      ]
        .join('')
        .replaceAll(' ', ''),
    );
    expect(headerEnds).toEqual([local.length]);
  });

  it('a ZIP ends with its directory: Unix modes, offsets and one time for all entries', () => {
    const { tail, local, size } = layout([
      entry('a'),
      entry('b', { mode: 'executable' }),
      entry('c', { mode: 'symlink', method: 0, size: 3, compressedSize: 3 }),
    ]);
    const record = tail.indexOf(Buffer.from('504b0102', 'hex'));
    expect(record).toBe(0);
    const each = 46 + 5 + 9;
    const read = [0, 1, 2].map((index) => ({
      by: tail.readUInt8(index * each + 5),
      mode: tail.readUInt16LE(index * each + 40).toString(8),
      offset: tail.readUInt32LE(index * each + 42),
    }));
    expect(read).toEqual([
      { by: 3, mode: '100644', offset: 0 },
      { by: 3, mode: '100755', offset: 44 + 7 },
      { by: 3, mode: '120777', offset: 2 * (44 + 7) },
    ]);
    const end = tail.subarray(3 * each);
    expect(end.toString('hex')).toBe(
      `504b050600000000${'0300'.repeat(2)}${'b4000000'}${Buffer.from([local.length + 17, 0, 0, 0]).toString('hex')}0000`,
    );
    expect(size).toBe(local.length + 7 + 7 + 3 + tail.length);
  });

  it('only a name that is not ASCII is marked as UTF-8', () => {
    expect(layout([entry('a')]).local.readUInt16LE(6)).toBe(0);
    expect(layout([entry('ü')]).local.readUInt16LE(6)).toBe(0x0800);
    expect(layout([entry('ü')]).local.readUInt16LE(26)).toBe(Buffer.byteLength('top/ü'));
  });

  it('the DOS date is one day earlier than the time, and stays within the range of DOS dates', () => {
    const dosOf = (at: number): string => {
      const { local } = layout([entry('a')], at);
      const [clock, date] = [local.readUInt16LE(10), local.readUInt16LE(12)];
      return `${1980 + (date >> 9)}-${(date >> 5) & 15}-${date & 31} ${clock >> 11}:${(clock >> 5) & 63}:${(clock & 31) * 2}`;
    };
    expect(dosOf(Date.UTC(2024, 2, 1, 0, 0, 1) / 1000)).toBe('2024-2-29 0:0:0');
    expect(dosOf(0)).toBe('1980-1-1 0:0:0');
    expect(dosOf(Date.UTC(2200, 0, 1) / 1000)).toBe('2107-12-31 23:59:58');
    expect(layout([entry('a')], -5).local.readInt32LE(local32Time)).toBe(0);
    expect(layout([entry('a')], 2 ** 33).local.readInt32LE(local32Time)).toBe(0x7fffffff);
  });

  it('ZIP64 is used only for a size of 4 GiB and for offsets beyond 4 GiB', () => {
    const { local, tail, headerEnds } = layout([
      entry('a', { size: 0xffffffff, compressedSize: 5 }),
      entry('b', { compressedSize: 0xfffffff0 }),
      entry('c'),
    ]);
    const [first = 0] = headerEnds;
    expect(first).toBe(44 + 20);
    expect(local.readUInt16LE(4)).toBe(45);
    expect([local.readUInt32LE(18), local.readUInt32LE(22)]).toEqual([0xffffffff, 0xffffffff]);
    expect(local.subarray(44, 64).toString('hex')).toBe('01001000ffffffff000000000500000000000000');
    expect(local.readUInt16LE(first + 4)).toBe(20);

    const third = 60 + 20 + 60;
    expect(tail.readUInt32LE(third + 42)).toBe(0xffffffff);
    expect(tail.readUInt16LE(third + 6)).toBe(45);
    expect(tail.subarray(third + 60, third + 72).toString('hex')).toBe(`01000800${hex64(64 + 5 + 44 + 0xfffffff0)}`);

    const end64 = third + 72;
    expect(tail.readUInt32LE(end64)).toBe(0x06064b50);
    expect(tail.readBigUInt64LE(end64 + 48)).toBe(BigInt(64 + 5 + 44 + 0xfffffff0 + 44 + 7));
    expect(tail.readUInt32LE(end64 + 56)).toBe(0x07064b50);
    expect(tail.readBigUInt64LE(end64 + 64)).toBe(tail.readBigUInt64LE(end64 + 48) + BigInt(end64));
    expect(tail.subarray(end64 + 76).toString('hex')).toBe(`504b050600000000${'f'.repeat(24)}0000`);
  });

  itInSeries('ZIP64 is used from 65,535 entries on', () => {
    const many = (count: number): Buffer =>
      layout(Array.from({ length: count }, (_, index) => entry(String(index), { size: 0, compressedSize: 0 }))).tail;
    expect(many(65_534).includes(Buffer.from('504b0606', 'hex'))).toBe(false);
    expect(many(65_535).includes(Buffer.from('504b0606', 'hex'))).toBe(true);
  });
});

const local32Time = 30 + 'top/a'.length + 5;

function hex64(number: number): string {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(number));
  return bytes.toString('hex');
}
