// Streams an archive from the origin to a client, in the form of an open file. The last piece is held back until size
// and SHA-1 of the whole are verified: a client never gets a complete archive that differs from the published one
// (I15).

import { createHash } from 'node:crypto';
import type { IndexEntry } from '../../build/contract/serving-index.ts';
import type { OpenFile, ReadHandle } from '../core/http/answer.ts';
import { OriginMismatch } from './origin-failure.ts';
import type { OriginReply } from './origin-requests.ts';

/** An origin that sends nothing for this time has failed. The wait for a slow client does not count. */
const standardIdleMs = 30_000;

/**
 * `reply`: the response with the archive of `entry`, and its unread body. `onFailure` receives the reason why a body
 * broke off.
 */
export function originStream(
  reply: OriginReply,
  entry: IndexEntry,
  onFailure: (error: unknown) => void,
  idleTimeoutMs = standardIdleMs,
): OpenFile {
  const pieces = checkedPieces(reply, entry, idleTimeoutMs);
  let ready: Buffer = Buffer.alloc(0);
  let buffered: Buffer | undefined;
  let gone = false;
  const refill = async (): Promise<void> => {
    buffered ??= await pieces.next();
    const following = await pieces.next();
    ready = buffered ?? ready;
    buffered = following;
  };
  const handle: ReadHandle = {
    read: async (buffer, offset, length) => {
      if (ready.length === 0) {
        await refill().catch((error: unknown) => {
          if (!gone) onFailure(error);
          throw error;
        });
      }
      const bytesRead = ready.copy(buffer, offset, 0, length);
      ready = ready.subarray(bytesRead);
      return { bytesRead };
    },
    close: async () => {
      pieces.stop();
      reply.drop();
    },
  };
  const abandon = (): void => {
    gone = true;
    reply.drop();
  };
  return { handle, size: entry.size, path: entry.path, abandon };
}

interface Pieces {
  /** The next one; undefined once all came and were right. */
  readonly next: () => Promise<Buffer | undefined>;
  readonly stop: () => void;
}

function checkedPieces(reply: OriginReply, { size, shasum, path }: IndexEntry, idleTimeoutMs: number): Pieces {
  const body = (reply.body as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  const hash = createHash('sha1');
  let length = 0;
  let waiting = false;
  const timer = setTimeout(() => {
    if (waiting) reply.drop();
  }, idleTimeoutMs);
  const received = async (): Promise<IteratorResult<Buffer, unknown>> => {
    waiting = true;
    timer.refresh();
    try {
      return await body.next();
    } catch (cause) {
      throw new OriginMismatch(`the origin broke off public/${path} after ${length} of ${size} bytes`, { cause });
    } finally {
      waiting = false;
    }
  };
  return {
    next: async () => {
      const { done, value } = await received();
      if (done !== true) {
        length += value.length;
        hash.update(value);
        if (length > size) throw new OriginMismatch(`the origin sends more than the ${size} bytes of public/${path}`);
        return value;
      }
      const found = hash.digest('hex');
      if (length !== size || found !== shasum)
        throw new OriginMismatch(
          `the origin's public/${path} has ${length} bytes and SHA-1 ${found}, the index says ${size} and ${shasum}`,
        );
      return undefined;
    },
    stop: () => clearTimeout(timer),
  };
}
