// The objects of the hostile store, and what S3 does with them: conditions as each dialect has them, parts, copies and
// lists. Pure of HTTP: it gets a request's parts, and returns an answer or throws Refused.

import { createHash } from 'node:crypto';
import { Refused } from './signature.ts';

/**
 * `aws`, `ceph` and `minio-2024` differ where an object is replaced that is not there. `racy` checks a condition when
 * the request begins, and not when it ends.
 */
export type Dialect = 'aws' | 'ceph' | 'minio-2024' | 'racy';

export interface HeldObject {
  readonly bytes: Buffer;
  readonly etag: string;
  /** content-type, cache-control and x-amz-meta-* */
  readonly headers: Readonly<Record<string, string>>;
  /** the time of its upload, RFC 3339 */
  readonly modified?: string;
}

export interface AskedOperation {
  readonly method: string;
  /** undefined: the bucket */
  readonly key: string | undefined;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer;
  /** the number of writes of the key when the request began */
  readonly writesBefore: number;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

interface Upload {
  readonly key: string;
  readonly headers: HeldObject['headers'];
  readonly parts: Map<number, Buffer>;
}

export class Bucket {
  readonly objects = new Map<string, HeldObject>();
  readonly uploads = new Map<string, Upload>();
  readonly #writes = new Map<string, number>();
  readonly #dialect: Dialect;
  readonly #name: string;
  readonly #pageSize: number;
  #uploadCount = 0;

  constructor(dialect: Dialect, name: string, pageSize: number) {
    this.#dialect = dialect;
    this.#name = name;
    this.#pageSize = pageSize;
  }

  writesOf(key: string | undefined): number {
    return this.#writes.get(key ?? '') ?? 0;
  }

  /** Throws Refused. */
  answer(asked: AskedOperation): Answer {
    const { method, key, query } = asked;
    if (key === undefined) {
      if (method === 'GET' && query.get('list-type') === '2') return this.#list(query);
      throw new Refused(501, 'NotImplemented');
    }
    const uploadId = query.get('uploadId');
    if (method === 'POST' && query.has('uploads')) return this.#begin(key, asked);
    if (uploadId !== null) return this.#uploading(asked, key, uploadId);
    if (method === 'GET' || method === 'HEAD') return this.#read(asked, key);
    if (method === 'PUT' && asked.headers['x-amz-copy-source'] !== undefined) return this.#copy(asked, key);
    if (method === 'PUT') {
      this.#checkConditions(asked, key);
      return empty(200, { etag: this.#write(key, asked.body, keptHeaders(asked.headers)) });
    }
    if (method !== 'DELETE') throw new Refused(405, 'MethodNotAllowed');
    if (this.objects.delete(key)) this.#count(key);
    return empty(204);
  }

  #read({ method, headers }: AskedOperation, key: string): Answer {
    const held = this.objects.get(key);
    if (held === undefined) throw new Refused(404, 'NoSuchKey');
    if (headers['if-none-match'] === held.etag) return empty(304, { etag: held.etag });
    const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(headers['range'] ?? '') ?? [];
    const start = Number(from ?? 0);
    const end = Math.min(held.bytes.length, to === undefined || to === '' ? Infinity : Number(to) + 1);
    if (from !== undefined && start >= held.bytes.length) throw new Refused(416, 'InvalidRange');
    const bytes = held.bytes.subarray(start, end);
    const range = from === undefined ? {} : { 'content-range': `bytes ${start}-${end - 1}/${held.bytes.length}` };
    return {
      status: from === undefined ? 200 : 206,
      headers: { ...held.headers, ...range, etag: held.etag, 'content-length': String(bytes.length) },
      body: method === 'HEAD' ? Buffer.alloc(0) : bytes,
    };
  }

  #checkConditions({ headers, writesBefore }: AskedOperation, key: string): void {
    const [none, match] = [headers['if-none-match'], headers['if-match']];
    if (none === undefined && match === undefined) return;
    const held = this.#dialect === 'racy' && writesBefore === 0 ? undefined : this.objects.get(key);
    if (none !== undefined && none !== '*' && this.#dialect === 'aws') throw new Refused(501, 'NotImplemented');
    // AWS: somebody wrote between the start of this request and its end
    if (this.#dialect === 'aws' && this.writesOf(key) !== writesBefore)
      throw new Refused(409, 'ConditionalRequestConflict');
    if (none !== undefined && held !== undefined && (none === '*' || none === held.etag))
      throw new Refused(412, 'PreconditionFailed');
    if (match === undefined || held?.etag === match) return;
    if (held !== undefined) throw new Refused(412, 'PreconditionFailed');
    if (this.#dialect === 'aws') throw new Refused(404, 'NoSuchKey');
    if (this.#dialect !== 'minio-2024') throw new Refused(412, 'PreconditionFailed');
  }

  #copy({ headers }: AskedOperation, key: string): Answer {
    const [bucket, ...path] = (headers['x-amz-copy-source'] ?? '').replace(/^\//, '').split('/');
    if (bucket !== this.#name) throw new Refused(404, 'NoSuchBucket');
    const source = this.objects.get(decodeURIComponent(path.join('/')));
    if (source === undefined) throw new Refused(404, 'NoSuchKey');
    const etag = this.#write(key, source.bytes, source.headers);
    return xml('CopyObjectResult', `<ETag>${escaped(etag)}</ETag>`);
  }

  #begin(key: string, { headers }: AskedOperation): Answer {
    this.#uploadCount += 1;
    const id = `upload/${this.#uploadCount}+=`;
    this.uploads.set(id, { key, headers: keptHeaders(headers), parts: new Map() });
    return xml('InitiateMultipartUploadResult', `<UploadId>${escaped(id)}</UploadId>`);
  }

  #uploading(asked: AskedOperation, key: string, id: string): Answer {
    const upload = this.uploads.get(id);
    if (upload?.key !== key) throw new Refused(404, 'NoSuchUpload');
    if (asked.method === 'PUT') {
      upload.parts.set(Number(asked.query.get('partNumber')), asked.body);
      return empty(200, { etag: md5Tag(asked.body) });
    }
    if (asked.method === 'DELETE') {
      this.uploads.delete(id);
      return empty(204);
    }
    const named = [...asked.body.toString().matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>(.*?)<\/ETag>/g)];
    const parts = named.map(([, number, etag]) => {
      const part = upload.parts.get(Number(number));
      if (part === undefined || escaped(md5Tag(part)) !== etag) throw new Refused(400, 'InvalidPart');
      return part;
    });
    if (parts.length !== upload.parts.size || parts.length === 0) throw new Refused(400, 'InvalidPart');
    this.#checkConditions(asked, key);
    this.uploads.delete(id);
    const digests = Buffer.concat(parts.map((part) => createHash('md5').update(part).digest()));
    const etag = `"${createHash('md5').update(digests).digest('hex')}-${parts.length}"`;
    this.#write(key, Buffer.concat(parts), upload.headers, etag);
    return xml('CompleteMultipartUploadResult', `<ETag>${escaped(etag)}</ETag>`);
  }

  #list(query: URLSearchParams): Answer {
    const [prefix, after] = [query.get('prefix') ?? '', query.get('continuation-token')];
    const isEncoded = query.get('encoding-type') === 'url';
    const shown = (text: string): string =>
      escaped(isEncoded ? encodeURIComponent(text).replaceAll('%20', '+').replaceAll('%2F', '/') : text);
    const found = [...this.objects]
      .filter(([key]) => key.startsWith(prefix))
      .sort(([one], [other]) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
    const start = after === null ? 0 : found.findIndex(([key]) => tokenOf(key) === after) + 1;
    const page = found.slice(start, start + this.#pageSize);
    const last = page.at(-1)?.[0];
    const isTruncated = last !== undefined && start + page.length < found.length;
    const contents = page.map(
      ([key, { bytes, etag, modified = '2026-01-01T00:00:00.000Z' }]) =>
        `<Contents><Key>${shown(key)}</Key><LastModified>${modified}</LastModified><Size>${bytes.length}</Size>` +
        `<ETag>${escaped(etag)}</ETag></Contents>`,
    );
    const next = isTruncated ? `<NextContinuationToken>${escaped(tokenOf(last))}</NextContinuationToken>` : '';
    const encoding = isEncoded ? '<EncodingType>url</EncodingType>' : '';
    return xml('ListBucketResult', `<IsTruncated>${isTruncated}</IsTruncated>${encoding}${next}${contents.join('')}`);
  }

  #write(key: string, bytes: Buffer, headers: HeldObject['headers'], etag = md5Tag(bytes)): string {
    this.objects.set(key, { bytes, etag, headers, modified: new Date().toISOString() });
    this.#count(key);
    return etag;
  }

  #count(key: string): void {
    this.#writes.set(key, this.writesOf(key) + 1);
  }
}

/** An answer in XML, as AWS writes it. */
export function xml(root: string, content: string, status = 200): Answer {
  const text = `<?xml version="1.0" encoding="UTF-8"?>\n<${root} xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${content}</${root}>`;
  return { status, headers: { 'content-type': 'application/xml' }, body: Buffer.from(text) };
}

export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

function empty(status: number, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status, headers, body: Buffer.alloc(0) };
}

function keptHeaders(headers: AskedOperation['headers']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      /^(?:content-type|cache-control|x-amz-meta-.*)$/.test(name) && value !== undefined ? [[name, value]] : [],
    ),
  );
}

function md5Tag(bytes: Buffer): string {
  return `"${createHash('md5').update(bytes).digest('hex')}"`;
}

function tokenOf(key: string): string {
  return Buffer.from(`after ${key}`).toString('base64');
}
