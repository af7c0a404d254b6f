// Inflates one entry of a foreign ZIP within its limits: never more than its claimed size, with a verified checksum. No
// byte goes to disk, and large entries stay out of memory.

import { pipeline } from 'node:stream/promises';
import { crc32, createInflateRaw, inflateRawSync } from 'node:zlib';
import { windowBytes, type ForwardReader } from './forward-reader.ts';
import type { ZipMember } from './zip-member.ts';
import { unreadableEntry, unsafeEntry } from './zip-refusals.ts';

/** Up to this many inflated bytes one call is faster than a stream by far. */
const wholeBytes = 1024 * 1024;

/** Takes the entry's data from the reader. `keep` is given the content piece by piece. Throws QuarantineError. */
export async function inflateMember(
  reader: ForwardReader,
  member: ZipMember,
  keep: (piece: Buffer) => void,
): Promise<void> {
  const check = contentCheck(member, keep);
  if (member.method === 0) {
    for (const piece of pieces(reader, member.compressedSize)) check.take(piece);
  } else if (member.compressedSize <= windowBytes && member.size <= wholeBytes) {
    check.take(inflateWhole(reader.take(member.compressedSize), member));
  } else {
    await inflateStream(reader, member, check.take);
  }
  check.end();
}

function contentCheck(
  member: ZipMember,
  keep: (piece: Buffer) => void,
): { readonly take: (piece: Buffer) => void; readonly end: () => void } {
  let size = 0;
  let sum = 0;
  return {
    take: (piece) => {
      size += piece.length;
      if (size > member.size) throw moreThanClaimed(member);
      sum = crc32(piece, sum);
      keep(piece);
    },
    end: () => {
      if (size !== member.size) throw unsafeEntry(member.path, `holds ${size} bytes where it claims ${member.size}`);
      if (sum !== member.crc32) throw unreadableEntry(member.path, 'is damaged: its checksum is wrong');
    },
  };
}

function* pieces(reader: ForwardReader, length: number): Generator<Buffer, void, void> {
  for (let left = length; left > 0;) {
    const piece = reader.take(Math.min(left, windowBytes));
    left -= piece.length;
    yield piece;
  }
}

function inflateWhole(data: Buffer, member: ZipMember): Buffer {
  try {
    // one byte above the claimed size, so that one chunk is enough; zlib's default is 16 KiB, for every small file
    const chunkSize = Math.min(Math.max(64, member.size + 1), 64 * 1024);
    // with `info` the result has the engine too, which the types omit
    const { buffer, engine } = inflateRawSync(data, {
      maxOutputLength: Math.max(1, member.size),
      chunkSize,
      info: true,
    }) as unknown as { buffer: Buffer; engine: { bytesWritten: number } };
    checkConsumed(engine.bytesWritten, member);
    return buffer;
  } catch (error) {
    throw explained(error, member);
  }
}

async function inflateStream(reader: ForwardReader, member: ZipMember, take: (piece: Buffer) => void): Promise<void> {
  const inflate = createInflateRaw();
  const copies = function* (): Generator<Buffer, void, void> {
    for (const piece of pieces(reader, member.compressedSize)) yield Buffer.from(piece);
  };
  try {
    await pipeline(copies, inflate, async (inflated: AsyncIterable<Buffer>) => {
      for await (const piece of inflated) take(piece);
    });
    checkConsumed(inflate.bytesWritten, member);
  } catch (error) {
    throw explained(error, member);
  }
}

function checkConsumed(consumed: number, member: ZipMember): void {
  if (consumed !== member.compressedSize)
    throw unsafeEntry(member.path, 'has bytes behind its data that no unpacker looks at');
}

function explained(error: unknown, member: ZipMember): unknown {
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (code === 'ERR_BUFFER_TOO_LARGE') return moreThanClaimed(member);
  return code.startsWith('Z_') ? unreadableEntry(member.path, 'is damaged: it cannot be inflated', error) : error;
}

function moreThanClaimed(member: ZipMember): Error {
  return unsafeEntry(member.path, `holds more than the ${member.size} bytes it claims, as a ZIP bomb does`);
}
