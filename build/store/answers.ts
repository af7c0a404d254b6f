// What came back from a store. A refusal has its code in XML; long operations may say 200 first and refuse later.

import type { Readable } from 'node:stream';
import { StoreFailure, type Refusal } from './store-failure.ts';
import { textAt, xmlIn, type XmlElement } from './xml.ts';

export interface StoreAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer;
}

/** Throws StoreFailure for more than `maxBytes`. */
export async function readAll(body: Readable, maxBytes: number, what: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes)
      throw new StoreFailure('damaged', `${what}: the answer has more than ${maxBytes} bytes, the most that is read.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

const lateStatuses: Readonly<Record<string, number>> = {
  PreconditionFailed: 412,
  ConditionalRequestConflict: 409,
  NoSuchKey: 404,
  NoSuchUpload: 404,
  AccessDenied: 403,
};

/** undefined: the answer is a success. */
export function refusalOf(method: string, { status, headers, body }: StoreAnswer): Refusal | undefined {
  const isSuccess = status >= 200 && status < 300;
  // the content of an object is none of our XML
  if (isSuccess && (body.length === 0 || method === 'GET')) return undefined;
  const root = xmlIn(body.toString('utf8'));
  const error = root?.name === 'Error' ? root : undefined;
  if (isSuccess && error === undefined) return undefined;
  const code = plain(textAt(error, 'Code'));
  const region = plain(headers['x-amz-bucket-region'] ?? textAt(error, 'Region'));
  return { status: isSuccess ? (lateStatuses[code ?? ''] ?? 500) : status, code, region };
}

/** Throws StoreFailure unless the answer names it. */
export function etagOf({ headers }: StoreAnswer, what: string): string {
  if (headers['etag']) return headers['etag'];
  throw new StoreFailure('unsupported', `${what}: the store sent no ETag. Look for a proxy that removes this header.`);
}

/** The root of an answer in XML. Throws StoreFailure. */
export function xmlOf({ body }: StoreAnswer, root: string, what: string): XmlElement {
  const element = xmlIn(body.toString('utf8'));
  if (element?.name === root) return element;
  throw new StoreFailure('damaged', `${what}: the answer is no ${root}. Check that the endpoint speaks S3.`);
}

/** A text below that root. Throws StoreFailure. */
export function textIn(answer: StoreAnswer, root: string, name: string, what: string): string {
  const text = textAt(xmlOf(answer, root, what), name);
  if (text) return text;
  throw new StoreFailure('damaged', `${what}: the ${root} has no ${name}. Check that the endpoint speaks S3.`);
}

/** A code or a region. Other texts of an answer are not repeated. */
function plain(text: string | undefined): string | undefined {
  return text !== undefined && /^[A-Za-z0-9-]{1,64}$/.test(text) ? text : undefined;
}
