// Reads objects for a server, over S3: an answer comes soon or is a failure, and the body of an answer is unread. Every
// method rejects with StoreFailure.

import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { createCredentials } from './credentials.ts';
import type { ObjectKey } from './object-store.ts';
import { StoreRequests, type RequestLimits, type RequestOptions } from './requests.ts';
import type { CredentialOptions } from './role-credentials.ts';
import { getObject } from './s3-store.ts';

export type ReaderOptions = Omit<RequestOptions, 'credentials' | 'sleep' | 'connections'> &
  Omit<CredentialOptions, 'region'>;

/** Clients wait: a server repeats less than a builder, and has older content. */
const serverLimits: RequestLimits = { attemptMs: 10_000, silenceMs: 30_000, repetitions: 2 };

/** Two with connections of their own, so that documents never wait behind downloads, and with common credentials. */
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
