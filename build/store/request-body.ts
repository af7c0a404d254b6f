// Bodies of requests: bytes in memory, or a range of a file, which is read as fast as it is sent. Their size and SHA-256
// are known before, since they are in the signature.

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { digestOf } from '../shared/text/digest-of.ts';
import { messageOf } from '../shared/text/message-of.ts';
import type { ObjectBody } from './object-store.ts';
import { StoreFailure } from './store-failure.ts';

export interface RequestBody {
  readonly size: number;
  /** hex */
  readonly sha256: string;
  /** called in each attempt */
  readonly open: () => Buffer | AsyncIterable<Buffer>;
}

export function bodyOf(bytes: Buffer, sha256 = digestOf(bytes)): RequestBody {
  return { size: bytes.length, sha256, open: () => bytes };
}

export const emptyBody = bodyOf(Buffer.alloc(0));

export function sizeOf(body: ObjectBody): number {
  return 'bytes' in body ? body.bytes.length : body.size;
}

export function wholeBody(body: ObjectBody): RequestBody {
  if ('bytes' in body) return bodyOf(body.bytes, body.sha256);
  const { file, size, sha256 } = body;
  return { size, sha256, open: () => (size === 0 ? Buffer.alloc(0) : readRange(file, 0, size)) };
}

/** Reads the body once for the digests of its parts. Throws StoreFailure if its own digest differs. */
export async function partsOf(body: ObjectBody, partBytes: number): Promise<RequestBody[]> {
  const whole = createHash('sha256');
  const parts: RequestBody[] = [];
  for (let start = 0; start < sizeOf(body); start += partBytes) {
    const size = Math.min(partBytes, sizeOf(body) - start);
    const open = (): Buffer | AsyncIterable<Buffer> =>
      'bytes' in body ? body.bytes.subarray(start, start + size) : readRange(body.file, start, size);
    const part = createHash('sha256');
    const opened = open();
    for await (const chunk of Buffer.isBuffer(opened) ? [opened] : opened) {
      part.update(chunk);
      whole.update(chunk);
    }
    parts.push({ size, sha256: part.digest('hex'), open });
  }
  if (whole.digest('hex') !== body.sha256) throw changed('file' in body ? body.file : 'The content');
  return parts;
}

async function* readRange(file: string, start: number, size: number): AsyncGenerator<Buffer, void, void> {
  let left = size;
  try {
    for await (const chunk of createReadStream(file, { start, end: start + size - 1, highWaterMark: 256 * 1024 })) {
      left -= (chunk as Buffer).length;
      yield chunk as Buffer;
    }
  } catch (cause) {
    throw new StoreFailure('damaged', `${file} could not be read: ${messageOf(cause)}.`, { cause });
  }
  if (left > 0) throw changed(file);
}

function changed(what: string): StoreFailure {
  return new StoreFailure('damaged', `${what} changed while it was sent. Try again when nothing writes it.`);
}
