// Downloads one archive from an upstream to disk, and releases its bytes to readers on arrival, except the last ones.
// The caller decides about the file.

import { createHash } from 'node:crypto';
import { open, writeFile, type FileHandle } from 'node:fs/promises';
import { parseSha1, type Sha1 } from '../../../build/contract/digest.ts';
import { shownUrl } from '../../../build/egress/egress-failure.ts';
import type { TailStream } from './tail-stream.ts';
import { TooSlow, watchThroughput, type ThroughputFloor } from '../../../build/shared/concurrency/throughput-floor.ts';
import { UpstreamRefused, UpstreamUnavailable, UpstreamWithholds } from '../upstream/mirror-failure.ts';
import type { ArchiveStream, UpstreamClient } from '../upstream/upstream-client.ts';
import type { Destination } from '../upstream/upstream-credential.ts';

/** This number of last bytes is withheld until the whole archive is verified. */
export const heldBackBytes = 64 * 1024;
/** A larger archive is sent while it arrives after this time, so that no proxy on the way gives up. */
const longestWaitMs = 5000;

export interface Download {
  readonly client: UpstreamClient;
  readonly destination: Destination;
  /** in the order of the attempts; a further one is tried only before the first byte is released */
  readonly candidates: readonly URL[];
  /** the required digest; undefined: any bytes */
  readonly shasum: Sha1 | undefined;
  readonly maxBytes: number;
  /** An archive of up to this size is verified before its first byte is released, so that its refusal has a status. */
  readonly verifiedFirstBytes: number;
  readonly leastSpeed: ThroughputFloor;
  readonly file: TailStream;
  /** epoch milliseconds */
  readonly now: () => number;
  /** the size that the upstream announces, once known; undefined if it announces none */
  readonly onSize: (size: number | undefined) => void;
}

export interface Downloaded {
  readonly shasum: Sha1;
  readonly size: number;
  /** the whole archive, if it is smaller than the part held back */
  readonly bytes: Buffer | undefined;
  /** the URL without its query */
  readonly from: string;
}

/** The archive arrived in part. */
class BrokenOff extends UpstreamUnavailable {}

/**
 * Rejects with UpstreamUnavailable or UpstreamRefused if all candidates fail. A wrong content takes precedence, then a
 * temporary failure, then a missing file. The written file is then unusable.
 */
export async function downloadArchive(download: Download): Promise<Downloaded> {
  const failures: unknown[] = [];
  for (const url of download.candidates) {
    try {
      return await downloadTwice(url, download);
    } catch (error) {
      failures.push(error);
      if (download.file.released > 0) break;
    }
  }
  throw (
    failures.find((failure) => failure instanceof UpstreamRefused && !(failure instanceof UpstreamWithholds)) ??
    failures.find((failure) => !(failure instanceof UpstreamWithholds)) ??
    failures[0] ??
    new UpstreamRefused('its upstream gives no usable address for the archive')
  );
}

/** A download that breaks off before any byte was released is repeated once. */
async function downloadTwice(url: URL, download: Download): Promise<Downloaded> {
  try {
    return await downloadFrom(url, download);
  } catch (error) {
    if (!(error instanceof BrokenOff) || download.file.released > 0) throw error;
    return downloadFrom(url, download);
  }
}

async function downloadFrom(url: URL, download: Download): Promise<Downloaded> {
  const { client, destination, shasum, maxBytes, file, onSize } = download;
  const stream = await client.archive(url, destination, maxBytes);
  let target: FileHandle | undefined;
  const write = async (bytes: Buffer): Promise<void> => {
    target ??= await open(file.path, 'w', 0o600); // truncates: an earlier candidate may have written to it
    await target.writeFile(bytes);
  };
  try {
    onSize(stream.size);
    const { sha1, size, bytes } = await save(url, stream, write, download);
    if (shasum !== undefined && sha1 !== shasum)
      throw new UpstreamRefused(`${shownUrl(url)} has the SHA-1 ${sha1} instead of ${shasum}`);
    // a small archive is compared with its SHA-1 whenever it is read from disk: after a loss of power it is fetched
    // again
    if (bytes === undefined) await target?.datasync();
    else await writeFile(file.path, bytes, { mode: 0o600 });
    return { shasum: sha1, size, bytes, from: shownUrl(url) };
  } finally {
    if (!stream.body.closed) stream.body.on('error', () => undefined).destroy();
    await target?.close();
  }
}

/** Writes to disk during the download, except the last withheld bytes, which are returned and not written yet. */
async function save(
  url: URL,
  { body, size: stated }: ArchiveStream,
  write: (bytes: Buffer) => Promise<void>,
  { maxBytes, verifiedFirstBytes, leastSpeed, file, now }: Download,
): Promise<{ readonly sha1: Sha1; readonly size: number; readonly bytes: Buffer | undefined }> {
  const hash = createHash('sha1');
  const chunks: Buffer[] = [];
  let size = 0;
  const speed = watchThroughput(body, leastSpeed);
  const waitsUntilMs = (stated ?? 0) > verifiedFirstBytes ? 0 : now() + longestWaitMs;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      speed.arrived(chunk.length);
      if (size === 0 && !startsLikeZip(chunk)) throw new UpstreamRefused(`${shownUrl(url)} is not a ZIP`);
      if (size + chunk.length > maxBytes)
        throw new UpstreamRefused(`${shownUrl(url)} is larger than ${maxBytes} bytes, the most that is fetched`);
      hash.update(chunk);
      size += chunk.length;
      chunks.push(chunk);
      if (size <= heldBackBytes) continue;
      speed.waiting(true);
      await write(Buffer.concat(chunks.splice(0)));
      speed.waiting(false);
      if (size > verifiedFirstBytes || now() > waitsUntilMs) file.release(size - heldBackBytes);
    }
  } catch (error) {
    throw downloadFailure(error, url, size);
  } finally {
    speed.end();
  }
  if (size === 0) throw new UpstreamRefused(`${shownUrl(url)} is empty`);
  if (stated !== undefined && stated !== size)
    throw new BrokenOff(`${shownUrl(url)} broke off after ${size} of ${stated} bytes.`, 0);
  const sha1 = parseSha1(hash.digest('hex'));
  if (sha1 === undefined) throw new Error('a SHA-1 is not what it should be');
  return { sha1, size, bytes: size <= heldBackBytes ? apart(chunks, size) : undefined };
}

/** The error that ended a download after `size` bytes, in a form that the caller can classify. */
function downloadFailure(error: unknown, url: URL, size: number): unknown {
  if (error instanceof UpstreamRefused || isOurs(error)) return error;
  const { Failure, said } =
    error instanceof TooSlow
      ? { Failure: UpstreamUnavailable, said: 'was aborted' }
      : { Failure: BrokenOff, said: 'broke off' };
  const why = error instanceof Error ? `: ${error.message}` : '';
  return new Failure(`${shownUrl(url)} ${said} after ${size} bytes${why}.`, 0, { cause: error });
}

/** Copies into a separate buffer, because a slice would keep the shared buffer in memory. */
function apart(pieces: readonly Buffer[], size: number): Buffer {
  const whole = Buffer.allocUnsafeSlow(size);
  let at = 0;
  for (const piece of pieces) at += piece.copy(whole, at);
  return whole;
}

/** An entry's header, or of an empty ZIP the end record. */
function startsLikeZip(chunk: Buffer): boolean {
  return (
    chunk.length >= 4 &&
    chunk[0] === 0x50 &&
    chunk[1] === 0x4b &&
    ((chunk[2] === 3 && chunk[3] === 4) || (chunk[2] === 5 && chunk[3] === 6))
  );
}

/** An error of the local disk, not of the upstream. */
function isOurs(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && (error.syscall === 'write' || error.syscall === 'open');
}
