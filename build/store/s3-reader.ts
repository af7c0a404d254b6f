// Reads objects for a server, over S3: an answer comes soon or is a failure, and the body of an answer is unread.

import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { createCredentials } from './credentials.ts';
import type { ObjectKey, StoredObject } from './object-store.ts';
import { StoreRequests, type RequestLimits, type RequestOptions } from './requests.ts';
import type { CredentialOptions } from './role-credentials.ts';
import { getObject } from './s3-store.ts';

export interface OpenedObject {
  /** 200, or 404 */
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The reader reads it to its end, or destroys it. */
  readonly body: Readable;
}

/** Every method rejects with StoreFailure. */
export interface ObjectReader {
  /** As in the port ObjectStore. */
  readonly getIfChanged: (
    key: ObjectKey,
    etag: string | undefined,
    maxBytes: number,
  ) => Promise<StoredObject | 'same' | undefined>;
  readonly open: (method: 'GET' | 'HEAD', key: ObjectKey) => Promise<OpenedObject>;
  /** As in the port ObjectStore. */
  readonly presign: (key: ObjectKey, seconds: number) => Promise<string>;
  readonly close: () => void;
}

export type ReaderOptions = Omit<RequestOptions, 'credentials' | 'sleep' | 'connections'> &
  Omit<CredentialOptions, 'region'>;

/** Two with connections of their own, so that documents never wait behind downloads, and with common credentials. */
export function createS3Readers(
  options: ReaderOptions,
  documentConnections: number,
  archiveConnections: number,
): { readonly documents: ObjectReader; readonly archives: ObjectReader } {
  const credentials = createCredentials({ ...options, region: options.address.region });
  const sleep = async (ms: number): Promise<void> => void (await delay(ms));
  const reader = (sockets: number): ObjectReader => {
    const limits = { ...serverLimits, ...options.limits, sockets };
    return readerOf(new StoreRequests({ ...options, credentials, sleep, limits, connections: sockets }));
  };
  return { documents: reader(documentConnections), archives: reader(archiveConnections) };
}

/** Clients wait: a server repeats less than a builder, and has older content. */
const serverLimits: RequestLimits = { attemptMs: 10_000, silenceMs: 30_000, repetitions: 2 };

function readerOf(requests: StoreRequests): ObjectReader {
  return {
    getIfChanged: (key, etag, maxBytes) => getObject(requests, key, etag, maxBytes),
    open: async (method, key) => {
      let opened: Readable | undefined;
      const read = (body: Readable): Promise<void> => Promise.resolve(void (opened = body));
      const answer = await requests.send({ method, key, expects: [404], receive: { bytes: 0, read } });
      return { status: answer.status, headers: answer.headers, body: opened ?? Readable.from([]) };
    },
    presign: (key, seconds) => requests.presign(key, seconds),
    close: () => requests.close(),
  };
}
