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
    const next = textAt(page, 'IsTruncated') === 'true' ? textAt(page, 'NextContinuationToken') : undefined;
    if (textAt(page, 'IsTruncated') === 'true' && (next ?? '') === '')
      throw unusable(what, 'the list has no next page');
    if (next !== undefined && next === token) throw unusable(what, 'the next page is the same page');
    token = next;
  } while (token !== undefined);
}

function factsIn(entry: XmlElement, isEncoded: boolean, prefix: string, what: string): ListedObject {
  const [text, size, etag] = [textAt(entry, 'Key') ?? '', textAt(entry, 'Size') ?? '', textAt(entry, 'ETag') ?? ''];
  const key = isEncoded ? decoded(text) : text;
  if (key?.startsWith(prefix) !== true) throw unusable(what, 'a key does not have the prefix');
  if (!/^\d{1,15}$/.test(size) || etag === '') throw unusable(what, 'an object has no size or no ETag');
  const modified = Date.parse(textAt(entry, 'LastModified') ?? '');
  if (Number.isNaN(modified)) throw unusable(what, 'an object has no time');
  return { key: key.slice(prefix.length), size: Number(size), etag, modified };
}

/** undefined: it is not encoded as a form is */
function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}

function unusable(what: string, reason: string): StoreFailure {
  return new StoreFailure('damaged', `${what}: ${reason}. Check that the endpoint speaks S3.`);
}
