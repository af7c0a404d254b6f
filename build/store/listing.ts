// Lists objects in the order of their keys, a page of a thousand at a time.

import { textAt, type XmlElement } from './xml.ts';
import { xmlOf } from './answers.ts';
import type { StoreAddress } from './address.ts';
import type { ListedObject } from './object-store.ts';
import type { StoreRequests } from './requests.ts';
import { StoreFailure } from './store-failure.ts';

/** `prefix`: a text that the keys start with, below the store's own prefix. */
export async function* listObjects(
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
