// The port to an object store, over the protocol of S3 as AWS, R2, Ceph and Garage speak it.

import { createHash } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { PassThrough, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { runBatch } from '../shared/concurrency/batch.ts';
import { encodedKey } from './address.ts';
import { etagOf } from './answers.ts';
import { createCredentials } from './credentials.ts';
import { listObjects } from './listing.ts';
import type { ObjectKey, ObjectStore, StoredObject } from './object-store.ts';
import { headObject, putObject, type PartSizes } from './put.ts';
import { StoreRequests, type RequestOptions } from './requests.ts';
import type { CredentialOptions } from './role-credentials.ts';
import { StoreFailure } from './store-failure.ts';

export interface S3StoreOptions
  extends Omit<RequestOptions, 'credentials' | 'sleep'>, Omit<CredentialOptions, 'region'>, Partial<PartSizes> {
  readonly sleep?: RequestOptions['sleep'];
}

const standardSizes: PartSizes = { multipartAbove: 100_000_000, partBytes: 16 * 1024 ** 2 };

export function createS3Store(options: S3StoreOptions): ObjectStore {
  const { address, connections = 16 } = options;
  const sizes = { ...standardSizes, ...options };
  const credentials = createCredentials({ ...options, region: address.region });
  const requests = new StoreRequests({ sleep: async (ms) => void (await delay(ms)), ...options, credentials });
  return {
    name: address.name,
    get: async (key, maxBytes) => {
      const found = await getObject(requests, key, undefined, maxBytes);
      return found === 'same' ? undefined : found;
    },
    getIfChanged: (key, etag, maxBytes) => getObject(requests, key, etag, maxBytes),
    head: (key) => headObject(requests, key),
    download: (key, target, expected) => download(requests, key, target, expected),
    put: (key, body, headers, condition) => putObject(requests, { key, body, headers, condition }, sizes),
    copy: async (from, to) => {
      const source = `/${address.bucket}/${encodedKey(`${address.prefix}${from}`)}`;
      const headers = { 'x-amz-copy-source': source };
      return (await requests.send({ method: 'PUT', key: to, headers, expects: [404] })).status !== 404;
    },
    remove: async (keys) => {
      await runBatch(keys, connections, (key) => requests.send({ method: 'DELETE', key, expects: [404] }));
    },
    list: (prefix) => listObjects(requests, address, prefix),
    presign: (key, seconds) => requests.presign(key, seconds),
    close: () => requests.close(),
  };
}

/** `etag`: of an object that is known. */
export async function getObject(
  requests: StoreRequests,
  key: ObjectKey,
  etag: string | undefined,
  maxBytes: number,
): Promise<StoredObject | 'same' | undefined> {
  const request = { method: 'GET', key, maxBytes } as const;
  const answer = await requests.send(
    etag === undefined
      ? { ...request, expects: [404] }
      : { ...request, expects: [304, 404], headers: { 'if-none-match': etag } },
  );
  if (answer.status === 404) return undefined;
  if (answer.status === 304) return 'same';
  return { bytes: answer.body, etag: etagOf(answer, requests.describe(request)) };
}

interface Expected {
  readonly size: number;
  /** hex */
  readonly sha256: string;
}

async function download(
  requests: StoreRequests,
  key: ObjectKey,
  target: string | undefined,
  expected: Expected,
): Promise<boolean> {
  const what = requests.describe({ method: 'GET', key });
  const read = (body: Readable): Promise<void> => save(body, target, expected, what);
  const answer = await requests.send({ method: 'GET', key, expects: [404], receive: { bytes: expected.size, read } });
  return answer.status !== 404;
}

/** Removes what it wrote after a failure. */
async function save(body: Readable, target: string | undefined, expected: Expected, what: string): Promise<void> {
  const { size, sha256 } = expected;
  const other = new StoreFailure('damaged', `${what}: the object is not the one that was stored. Store it again.`);
  const hash = createHash('sha256');
  let arrived = 0;
  const metered = async function* (pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, void> {
    for await (const piece of pieces) {
      arrived += piece.length;
      if (arrived > size) throw other;
      hash.update(piece);
      if (target !== undefined) yield piece;
    }
  };
  const file = target === undefined ? undefined : await open(target, 'wx', 0o600);
  try {
    await pipeline(body, metered, file?.createWriteStream() ?? new PassThrough());
    if (hash.digest('hex') === sha256) return;
    throw other;
  } catch (error) {
    if (target !== undefined) await rm(target, { force: true });
    throw error;
  }
}
