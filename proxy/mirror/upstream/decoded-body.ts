// The decompressed body of an answer in memory. The limit holds for the received and for the decompressed bytes,
// because a few kilobytes of brotli can expand to gigabytes.

import { pipeline, type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip } from 'node:zlib';

/**
 * The content differs from the request, and a retry would not help. This is no reason to leave the whole origin alone.
 */
export class UnusableBody extends Error {}

/** `encoding`: the header Content-Encoding. Rejects with UnusableBody, and with an Error for a body that breaks off. */
export async function readDecoded(body: Readable, encoding: string | undefined, maxBytes: number): Promise<Buffer> {
  const decoded = decoder(body, encoding);
  const pieces: Buffer[] = [];
  let size = 0;
  try {
    for await (const piece of decoded) {
      size += (piece as Buffer).length;
      if (size > maxBytes) throw new UnusableBody(`it is larger than ${maxBytes} bytes, the most that is read`);
      pieces.push(piece as Buffer);
    }
  } catch (error) {
    throw decoded !== body && isOfUnpacking(error)
      ? new UnusableBody(`it cannot be unpacked: ${error.message}`, { cause: error })
      : error;
  } finally {
    for (const stream of [body, decoded]) if (!stream.closed) stream.on('error', () => undefined).destroy();
  }
  const whole = Buffer.allocUnsafeSlow(size); // copies: a long-lived slice would keep the shared buffer in memory
  let at = 0;
  for (const piece of pieces) at += piece.copy(whole, at);
  return whole;
}

/** True for zlib's own errors, Z_DATA_ERROR for instance; a broken connection has another error. */
function isOfUnpacking(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && /^(?:Z_|ERR__|ERR_BROTLI)/.test(String(error.code));
}

function decoder(body: Readable, encoding: string | undefined): Readable {
  const name = encoding?.toLowerCase();
  if (name === undefined || name === 'identity') return body;
  if (name !== 'gzip' && name !== 'x-gzip' && name !== 'br') {
    body.on('error', () => undefined).destroy();
    throw new UnusableBody(`it is encoded as ${name.slice(0, 40)}, which was not requested`);
  }
  const unpacked = name === 'br' ? createBrotliDecompress() : createGunzip();
  return pipeline(body, unpacked, () => undefined); // the reader of the decoder receives its error
}
