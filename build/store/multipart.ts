// Writes a large object in parts, each with its own digest. The condition is one of the completion. An upload that does
// not become an object is removed; what a kill leaves is removed by the bucket's rule for unfinished uploads.

import { runBatch } from '../shared/concurrency/batch.ts';
import { escapeHtml } from '../shared/text/escape-html.ts';
import { etagOf, textIn } from './answers.ts';
import type { ObjectBody, ObjectKey } from './object-store.ts';
import { bodyOf, emptyBody, partsOf, sizeOf, type RequestBody } from './request-body.ts';
import type { SettledAnswer, StoreRequests } from './requests.ts';
import { StoreFailure } from './store-failure.ts';

export interface PartedPut {
  readonly key: ObjectKey;
  readonly body: ObjectBody;
  readonly headers: Readonly<Record<string, string>>;
  /** of the completion */
  readonly conditions: { readonly headers: Readonly<Record<string, string>>; readonly expects: readonly number[] };
}

/** S3 takes no more parts of one object. */
const mostParts = 10_000;
const partsAtOnce = 4;
const mostRounds = 3;

/** The answer to the completion: 200, or one that the conditions expect. */
export async function putInParts(requests: StoreRequests, put: PartedPut, partBytes: number): Promise<SettledAnswer> {
  const parts = await partsOf(put.body, Math.max(partBytes, Math.ceil(sizeOf(put.body) / mostParts)));
  for (let round = 1; ; round += 1) {
    const uploadId = await begin(requests, put);
    let isComplete = false;
    try {
      const answer = await complete(requests, put, uploadId, await sendParts(requests, put.key, parts, uploadId));
      isComplete = answer.status < 300;
      // S3 wants a new upload after a conflict with another writer
      if (answer.status !== 409) return answer;
    } finally {
      if (!isComplete) await abort(requests, put.key, uploadId);
    }
    if (round === mostRounds)
      throw new StoreFailure(
        'unreachable',
        `${requests.describe({ method: 'PUT', key: put.key })}: others write this object. Try again later.`,
      );
  }
}

async function begin(requests: StoreRequests, { key, headers }: PartedPut): Promise<string> {
  const request = { method: 'POST', key, query: { uploads: '' }, headers, body: emptyBody } as const;
  return textIn(await requests.send(request), 'InitiateMultipartUploadResult', 'UploadId', requests.describe(request));
}

/** The ETags of the parts. */
function sendParts(
  requests: StoreRequests,
  key: ObjectKey,
  parts: readonly RequestBody[],
  uploadId: string,
): Promise<string[]> {
  return runBatch([...parts.entries()], partsAtOnce, async ([at, body]) => {
    const request = { method: 'PUT', key, query: { partNumber: String(at + 1), uploadId }, body } as const;
    return etagOf(await requests.send(request), requests.describe(request));
  });
}

async function complete(
  requests: StoreRequests,
  { key, conditions }: PartedPut,
  uploadId: string,
  etags: readonly string[],
): Promise<SettledAnswer> {
  const parts = etags.map(
    (etag, at) => `<Part><PartNumber>${at + 1}</PartNumber><ETag>${escapeHtml(etag)}</ETag></Part>`,
  );
  const list = `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`;
  const body = bodyOf(Buffer.from(list));
  const expects = [...conditions.expects, 404, 409];
  return await requests.send({ method: 'POST', key, query: { uploadId }, headers: conditions.headers, body, expects });
}

/** Without success, the parts cost space until the bucket's rule removes them. */
async function abort(requests: StoreRequests, key: ObjectKey, uploadId: string): Promise<void> {
  await requests.send({ method: 'DELETE', key, query: { uploadId }, expects: [404] }).catch(() => undefined);
}
