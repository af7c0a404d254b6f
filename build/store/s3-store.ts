// The port to an object store, over the protocol of S3 as AWS, R2, Ceph and Garage speak it.

import { createHash } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { runBatch } from '../shared/concurrency/batch.ts';
import { encodedKey, type StoreAddress } from './address.ts';
import { etagOf, xmlOf } from './answers.ts';
import { createCredentials } from './credentials.ts';
import type { ObjectKey, ObjectStore, StoredObject, ListedObject } from './object-store.ts';
import { headObject, putObject, type PartSizes } from './put.ts';
import { StoreRequests, type RequestOptions, type RequestLimits } from './requests.ts';
import type { CredentialOptions } from './role-credentials.ts';
import { StoreFailure } from './store-failure.ts';
import { textAt, type XmlElement } from './xml.ts';

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

/** In the order of the keys, a page of a thousand at a time. `prefix`: a text that the keys start with, below the store's own prefix. */
async function* listObjects(
  requests: StoreRequests,
  address: StoreAddress,
  prefix: string,
): AsyncGenerator<ListedObject, void, void> {
  const what = `LIST ${address.name}/${prefix}`;
  const fixed = { 'encoding-type': 'url', 'list-type': '2', prefix: `${address.prefix}${prefix}` };
  let token: string | undefined;
  do {
    const query = token === undefined ? fixed : { ...fixed, 'continuation-token': token };
    const answer = await requests.send({ method: 'GET', query, maxBytes: 16 * 1024 ** 2 });
    const page = xmlOf(answer, 'ListBucketResult', what);
    const isEncoded = textAt(page, 'EncodingType') === 'url';
    for (const entry of page.children) {
      if (entry.name === 'Contents') yield factsIn(entry, isEncoded, address.prefix, what);
    }
    const next = textAt(page, 'IsTruncated') === 'true' ? (textAt(page, 'NextContinuationToken') ?? '') : undefined;
    if (next === '' || (next !== undefined && next === token)) throw unusable(what);
    token = next;
  } while (token !== undefined);
}

function factsIn(entry: XmlElement, isEncoded: boolean, prefix: string, what: string): ListedObject {
  const [text, size, etag] = ['Key', 'Size', 'ETag'].map((name) => textAt(entry, name) ?? '') as [
    string,
    string,
    string,
  ];
  const key = isEncoded ? decoded(text) : text;
  const modified = Date.parse(textAt(entry, 'LastModified') ?? '');
  if (!key.startsWith(prefix) || !/^\d{1,15}$/.test(size) || etag === '' || Number.isNaN(modified))
    throw unusable(what);
  return { key: key.slice(prefix.length), size: Number(size), etag, modified };
}

/** The text unchanged, if it is not encoded as in a form. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch (error) {
    if (error instanceof URIError) return text;
    throw error;
  }
}

function unusable(what: string): StoreFailure {
  return new StoreFailure('damaged', `${what}: the list cannot be read. Check that the endpoint speaks S3.`);
}

export type ReaderOptions = Omit<RequestOptions, 'credentials' | 'sleep' | 'connections'> &
  Omit<CredentialOptions, 'region'>;

/** Clients wait: a server repeats less than a builder, and has older content. */
export const serverLimits: RequestLimits = { attemptMs: 10_000, silenceMs: 30_000, repetitions: 2 };

/**
 * For a server: an answer comes soon or is a failure, and the body of an answer is unread. Every method rejects with
 * StoreFailure. Two with connections of their own, so that documents never wait behind downloads, and with common
 * credentials.
 */
export function createS3Readers(options: ReaderOptions) {
  const credentials = createCredentials({ ...options, region: options.address.region });
  const sleep = async (ms: number): Promise<void> => void (await delay(ms));
  const reader = (sockets: number) => {
    const limits = { ...serverLimits, ...options.limits, sockets };
    return readerOf(new StoreRequests({ ...options, credentials, sleep, limits, connections: sockets }));
  };
  return { documents: reader(64), archives: reader(256) };
}

function readerOf(requests: StoreRequests) {
  return {
    /** As in the port ObjectStore. */
    getIfChanged: (key: ObjectKey, etag: string | undefined, maxBytes: number) =>
      getObject(requests, key, etag, maxBytes),
    /** 200 or 404, and a body that the caller reads to its end or destroys. */
    open: async (method: 'GET' | 'HEAD', key: ObjectKey) => {
      let opened: Readable | undefined;
      const read = (body: Readable): Promise<void> => Promise.resolve(void (opened = body));
      const answer = await requests.send({ method, key, expects: [404], receive: { bytes: 0, read } });
      return { status: answer.status, headers: answer.headers, body: opened ?? Readable.from([]) };
    },
    presign: (key: ObjectKey, seconds: number) => requests.presign(key, seconds),
    close: () => requests.close(),
  };
}
