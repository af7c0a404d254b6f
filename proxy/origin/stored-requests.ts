// Requests to an origin that is an object store. Its head names a listing, and the listing names the object of every
// path. Objects never change, so that all files are those of one publication, whatever builders do meanwhile. A path
// without a row is answered with 404, and one that the caller has with 304, without a request.

import { Readable } from 'node:stream';
import {
  documentKey,
  headKey,
  kindOf,
  objectKeyOf,
  parseHead,
  parseListing,
  parsePart,
  partOf,
  type ListedFile,
  type ListingPart,
  type ListingRoot,
  type ObjectDigest,
} from '../../build/contract/store-listing.ts';
import { ByteCache } from '../../build/shared/caches/byte-cache.ts';
import { SingleFlight } from '../../build/shared/concurrency/single-flight.ts';
import { digestOf } from '../../build/shared/text/digest-of.ts';
import { messageOf } from '../../build/shared/text/message-of.ts';
import { OriginFailure } from './origin-failure.ts';
import type { OriginReply, OriginRequest, OriginRequests } from './origin-requests.ts';

/** The port to the objects. Every method rejects if the store fails, with a message that says what to do. */
export interface StoredObjects {
  /** `etag`: the answer to an object that still has it is `same`. undefined: there is no object. */
  readonly getIfChanged: (
    key: string,
    etag: string | undefined,
    maxBytes: number,
  ) => Promise<{ readonly bytes: Buffer; readonly etag: string } | 'same' | undefined>;
  readonly open: (
    method: 'GET' | 'HEAD',
    key: string,
  ) => Promise<{
    readonly status: number;
    readonly headers: Readonly<Record<string, string | undefined>>;
    readonly body: Readable;
  }>;
  /** A URL that is the right to GET. */
  readonly presign: (key: string, seconds: number) => Promise<string>;
  readonly close: () => void;
}

export interface StoredRequestsOptions {
  /** for messages: s3://bucket/prefix */
  readonly name: string;
  readonly documents: StoredObjects;
  /** with connections of their own */
  readonly archives: StoredObjects;
  /** memory for parts of listings */
  readonly limitBytes: number;
}

const mostHeadBytes = 64 * 1024;
const mostListingBytes = 256 * 1024 * 1024;
/** the memory of a part, for each byte of its text */
const partWeight = 4;
const presignedSeconds = 60;

export function createStoredRequests(options: StoredRequestsOptions): OriginRequests {
  const { documents, archives } = options;
  const listings = new Listings(options);
  const objectsOf = (path: string): StoredObjects => (kindOf(path) === 'archives' ? archives : documents);
  return {
    open: (asked) => explained(async () => reply(asked, await listings.find(asked), objectsOf(asked.path), options)),
    taken: () => listings.take(),
    presigned: (path) =>
      explained(async () => {
        const found = await listings.find({ path });
        return found && archives.presign(found.key, presignedSeconds);
      }),
    close: () => {
      documents.close();
      archives.close();
    },
  };
}

interface Found {
  readonly key: string;
  /** undefined: the request itself named the bytes */
  readonly etag: string | undefined;
}

async function reply(
  { method, path, ifNoneMatch }: OriginRequest,
  found: Found | undefined,
  objects: StoredObjects,
  { name }: StoredRequestsOptions,
): Promise<OriginReply> {
  if (found === undefined) return withoutBody(404);
  const { key, etag } = found;
  if (etag !== undefined && etag === ifNoneMatch) return withoutBody(304);
  const { status, headers, body } = await objects.open(method, key);
  if (status === 404 && etag !== undefined && kindOf(path) === 'documents') throw new OriginFailure(lost(name, key));
  const kept = { 'content-length': headers['content-length'], 'content-encoding': headers['content-encoding'], etag };
  return { status, headers: kept, body, drop: () => void body.destroy() };
}

function withoutBody(status: number): OriginReply {
  const body = Readable.from([]);
  return { status, headers: {}, body, drop: () => void body.destroy() };
}

class Listings {
  readonly #options: StoredRequestsOptions;
  readonly #parts: ByteCache<ListingPart>;
  readonly #reading = new SingleFlight<ListingPart>();
  /** what the store had at the last look */
  #newest: { readonly etag: string; readonly root: ListingRoot } | undefined;
  /** the listing whose announcement was taken */
  #taken: ListingRoot | undefined;

  constructor(options: StoredRequestsOptions) {
    this.#options = options;
    this.#parts = new ByteCache(options.limitBytes);
  }

  take(): void {
    this.#taken = this.#newest?.root;
  }

  /** undefined: the publication has no such file. */
  async find({ path, sha256, newest }: Omit<OriginRequest, 'method'>): Promise<Found | undefined> {
    if (sha256 !== undefined) return { key: documentKey(sha256 as ObjectDigest), etag: undefined };
    const file = await this.#row(newest === true ? await this.#look() : this.#taken, path);
    return file && { key: objectKeyOf(path, file), etag: `"${file.sha256}"` };
  }

  /** undefined: nothing was ever published. */
  async #look(): Promise<ListingRoot | undefined> {
    const { documents, name } = this.#options;
    const found = await documents.getIfChanged(headKey, this.#newest?.etag, mostHeadBytes);
    if (found === undefined && this.#newest !== undefined) throw new OriginFailure(lost(name, headKey));
    if (found === undefined || found === 'same') return this.#newest?.root;
    const { listing } = this.#parsed(headKey, found.bytes, parseHead);
    const root = this.#parsed(documentKey(listing), await this.#object(listing), parseListing);
    this.#newest = { etag: found.etag, root };
    return root;
  }

  async #row(root: ListingRoot | undefined, path: string): Promise<ListedFile | undefined> {
    const parts = root?.[kindOf(path)].parts ?? [];
    const digest = parts[partOf(path, parts.length)] ?? null;
    if (digest === null) return undefined;
    const part = this.#parts.get(digest) ?? (await this.#reading.run(digest, () => this.#part(digest)));
    return part.get(path);
  }

  async #part(digest: ObjectDigest): Promise<ListingPart> {
    const bytes = await this.#object(digest);
    const part = this.#parsed(documentKey(digest), bytes, parsePart);
    this.#parts.set(digest, part, bytes.length * partWeight);
    return part;
  }

  async #object(digest: ObjectDigest): Promise<Buffer> {
    const { documents, name } = this.#options;
    const found = await documents.getIfChanged(documentKey(digest), undefined, mostListingBytes);
    if (found === undefined || found === 'same') throw new OriginFailure(lost(name, documentKey(digest)));
    if (digestOf(found.bytes) === digest) return found.bytes;
    throw new OriginFailure(`${documentKey(digest)} of ${name} is damaged. Run \`libretto verify\`.`);
  }

  #parsed<Value>(key: string, bytes: Buffer, parse: (text: string) => Value): Value {
    try {
      return parse(bytes.toString('utf8'));
    } catch (cause) {
      throw new OriginFailure(`${key} of ${this.#options.name}: ${messageOf(cause)}`, { cause });
    }
  }
}

function lost(name: string, key: string): string {
  return `${name} has no ${key}, which its publication needs. Run \`libretto verify\` on a building host.`;
}

async function explained<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (cause) {
    throw cause instanceof OriginFailure ? cause : new OriginFailure(messageOf(cause), { cause });
  }
}
