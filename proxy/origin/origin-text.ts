// Fetches a small file of the origin completely into memory, unless the cached one is still current.

import { digestInTurns } from '../../build/shared/concurrency/yielding.ts';
import type { PublicPath } from '../../build/contract/paths.ts';
import type { OriginReply, OriginRequest, OriginRequests } from './origin-requests.ts';
import { OriginFailure } from './origin-failure.ts';

/** Validators for a later request of the same file: an unchanged file then gets a short answer. */
export interface RequestValidators {
  readonly ifNoneMatch?: string | undefined;
  readonly ifModifiedSince?: string | undefined;
}

export type Fetched =
  | { readonly outcome: 'same' }
  | { readonly outcome: 'absent' }
  | { readonly outcome: 'whole'; readonly bytes: Buffer; readonly validators: RequestValidators };

/** Time for a whole file, its head included. */
const wholeTimeoutMs = 15_000;
const mostDocumentBytes = 64 * 1024 * 1024;
const drainedUpToBytes = 64 * 1024;
const drainTimeoutMs = 5000;

/**
 * Rejects with OriginFailure for a status other than 200, 304 and 404, for more than `maxBytes`, and for a late or
 * incomplete response.
 */
export async function fetchWhole(
  requests: OriginRequests,
  path: string,
  maxBytes: number,
  asked: Omit<OriginRequest, 'method' | 'path'> = {},
): Promise<Fetched> {
  const reply = await requests.open({ method: 'GET', path, ...asked });
  if (reply.status === 304 && (asked.ifNoneMatch !== undefined || asked.ifModifiedSince !== undefined))
    return drained(reply, { outcome: 'same' });
  if (reply.status === 404 || reply.status === 410) return drained(reply, { outcome: 'absent' });
  const timer = setTimeout(reply.drop, wholeTimeoutMs);
  try {
    assertWhole(reply, path);
    return { outcome: 'whole', bytes: await readWhole(reply, path, maxBytes), validators: validatorsOf(reply) };
  } finally {
    clearTimeout(timer);
    reply.drop();
  }
}

/** The published bytes of packages.json or a p2 document. Rejects with OtherContent if the origin has other ones. */
export async function fetchDocument(requests: OriginRequests, path: PublicPath, sha256: string): Promise<Buffer> {
  const fetched = await fetchWhole(requests, `public/${path}`, mostDocumentBytes, { sha256 });
  if (fetched.outcome !== 'whole') throw new OtherContent(`the origin has no public/${path}, which is published`);
  const found = await digestInTurns(fetched.bytes);
  if (found === sha256) return fetched.bytes;
  throw new OtherContent(
    `the origin's public/${path} has SHA-256 ${found}, published is ${sha256}: an upload is in progress, or ` +
      'was interrupted',
  );
}

export class OtherContent extends OriginFailure {}

/** Throws OriginFailure for a response that is no plain file: another status, or an unrequested encoding. */
export function assertWhole({ status, headers }: OriginReply, path: string): void {
  const coding = headers['content-encoding'];
  // never follows a Location, since it could lead to any host
  if (status !== 200)
    throw new OriginFailure(
      `the origin answered ${status} for ` +
        `${path}${status === 403 ? '; object storage also answers 403 for a missing file if the reader may not list the bucket' : ''}`,
    );
  if (coding !== undefined && coding !== 'identity')
    throw new OriginFailure(`the origin sent ${path} with Content-Encoding ${coding}, which was not requested`);
}

async function readWhole({ headers, body }: OriginReply, path: string, maxBytes: number): Promise<Buffer> {
  const stated = headers['content-length'];
  if (stated !== undefined && Number(stated) > maxBytes)
    throw new OriginFailure(`the origin sends ${stated} bytes for ${path}, more than the maximum of ${maxBytes}`);
  const pieces: Buffer[] = [];
  let length = 0;
  try {
    for await (const piece of body as AsyncIterable<Buffer>) {
      length += piece.length;
      if (length > maxBytes) throw new OriginFailure(`the origin sends more than ${maxBytes} bytes for ${path}`);
      pieces.push(piece);
    }
  } catch (error) {
    throw error instanceof OriginFailure
      ? error
      : new OriginFailure(`the origin broke off ${path} after ${length} bytes`, { cause: error });
  }
  return Buffer.concat(pieces, length);
}

/** Keeps the connection if the rest of the body is short; otherwise ends it. */
export function drained<Result>({ headers, body, drop }: OriginReply, result: Result): Result {
  const stated = headers['content-length'];
  if (Number(stated ?? 0) > drainedUpToBytes || headers['transfer-encoding'] !== undefined) {
    drop();
    return result;
  }
  const timer = setTimeout(drop, drainTimeoutMs);
  body.once('close', () => clearTimeout(timer)).resume();
  return result;
}

/**
 * Static servers make their ETag from size and whole seconds. Such an ETag does not change if the file is replaced
 * within the second of the fetch. So only a file that was older at its fetch is revalidated (RFC 9110 §8.8.2.2).
 */
function validatorsOf({ headers }: OriginReply): RequestValidators {
  const { etag, date, 'last-modified': lastModified } = headers;
  const age = Date.parse(date ?? '') - Date.parse(lastModified ?? '');
  if (Number.isFinite(age) && age < 2000) return {};
  return etag === undefined ? { ifModifiedSince: lastModified } : { ifNoneMatch: etag };
}
