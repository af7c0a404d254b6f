// A ZIP with one more file, or with another content of one file. The bytes of all other entries stay: names, times,
// modes, and the compressed contents. Equal inputs give equal bytes. The ZIP must be an admitted one.

import { crc32 } from 'node:zlib';
import { layoutZip } from '../zip-layout.ts';
import type { CentralDirectory } from './end-record.ts';
import { unreadableArchive } from './zip-refusals.ts';

/** One row of the central directory (APPNOTE 4.3.12). */
interface Row {
  readonly name: Buffer;
  /** of its local header */
  readonly offset: number;
  readonly bytes: Buffer;
}

const rowBytes = 46;
const offsetField = 42;
const endRecordBytes = 22;
/** The file has no time of its own: the first one that a ZIP can state. */
const noTime = Date.UTC(1980, 0, 1) / 1000;

/** `path` is a file at the top, or in one folder. Returns the new ZIP in parts. Throws QuarantineError. */
export function withFile(zip: Buffer, directory: CentralDirectory, path: string, content: Buffer): readonly Buffer[] {
  const rows = rowsOf(directory);
  const former = rows.find(({ name }) => name.equals(Buffer.from(path)));
  const start = former?.offset ?? directory.offset;
  // an entry ends where the next one begins, because no byte of an admitted ZIP is without an entry
  const later = rows.flatMap(({ offset }) => (offset > start ? [offset] : []));
  const next = later.reduce((one, other) => Math.min(one, other), directory.offset);
  const at = directory.offset - (next - start);
  const kept = rows
    .filter((row) => row !== former)
    .map((row) => (row.offset < next ? row.bytes : withOffset(row.bytes, row.offset - (next - start))));
  const [topFolder, name] = path.includes('/') ? path.split('/', 2) : ['', path];
  const entry = {
    path: name ?? '',
    mode: 'file',
    crc32: crc32(content),
    size: content.length,
    compressedSize: content.length,
    method: 0,
  } as const;
  const { localHeaders, tail } = layoutZip([entry], { topFolder: topFolder ?? '', time: noTime });
  const added = withOffset(tail.subarray(0, tail.length - endRecordBytes), at);
  const end = Buffer.from(directory.tail.subarray(directory.end)); // an archive of this size needs no ZIP64 record
  end.writeUInt16LE(kept.length + 1, 8);
  end.writeUInt16LE(kept.length + 1, 10);
  end.writeUInt32LE(
    kept.reduce((sum, { length }) => sum + length, added.length),
    12,
  );
  end.writeUInt32LE(at + localHeaders.length + content.length, 16);
  const before = [zip.subarray(0, start), zip.subarray(next, directory.offset)];
  return [...before, Buffer.from(localHeaders), content, ...kept, added, end];
}

function rowsOf({ tail, length }: CentralDirectory): readonly Row[] {
  const rows: Row[] = [];
  for (let at = 0; at < length;) {
    const nameBytes = tail.readUInt16LE(at + 28);
    const size = rowBytes + nameBytes + tail.readUInt16LE(at + 30) + tail.readUInt16LE(at + 32);
    const bytes = tail.subarray(at, at + size);
    const offset = bytes.readUInt32LE(offsetField);
    if (offset === 0xffffffff)
      throw unreadableArchive('has a ZIP64 offset, which an archive of this size does not need');
    rows.push({ name: bytes.subarray(rowBytes, rowBytes + nameBytes), offset, bytes });
    at += size;
  }
  return rows;
}

function withOffset(row: Uint8Array, offset: number): Buffer {
  const copy = Buffer.from(row);
  copy.writeUInt32LE(offset, offsetField);
  return copy;
}
