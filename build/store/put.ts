// Writes objects: small ones whole, large ones in parts. A condition of a put in parts is one of its completion. If an
// earlier attempt of a conditional put may have had its effect, the digest of the object that is there decides. Parts
// that do not become an object are removed; those that a kill leaves are a matter of the bucket's own rule for them.

import { runBatch } from '../shared/concurrency/batch.ts';
import { escapeHtml } from '../shared/text/escape-html.ts';
import { etagOf, textIn } from './answers.ts';
import type { HeadFacts, ObjectBody, ObjectKey, Precondition, PutHeaders, PutOutcome } from './object-store.ts';
import { bodyOf, emptyBody, partsOf, sizeOf, wholeBody, type RequestBody } from './request-body.ts';
import type { SettledAnswer, StoreRequests } from './requests.ts';
import { explainRefusal, StoreFailure } from './store-failure.ts';

export interface Put {
  readonly key: ObjectKey;
  readonly body: ObjectBody;
  readonly headers: PutHeaders;
  readonly condition: Precondition | undefined;
}

export interface PartSizes {
  /** the size of a body from which on it is sent in parts */
  readonly multipartAbove: number;
  readonly partBytes: number;
}

/** S3 takes no more parts of one object. */
const mostParts = 10_000;
const partsAtOnce = 4;
const mostRounds = 3;

export async function putObject(requests: StoreRequests, put: Put, sizes: PartSizes): Promise<PutOutcome> {
  const { key, body, condition } = put;
  const isParted = sizeOf(body) > sizes.multipartAbove;
  const answer = isParted
    ? await putInParts(requests, put, sizes.partBytes)
    : await requests.send({
        method: 'PUT',
        key,
        body: wholeBody(body),
        headers: { ...metadataOf(put), ...conditionOf(put) },
        // AWS answers 404 if the object of an ETag is gone, others 412
        expects: condition === undefined ? [] : condition === 'absent' ? [412] : [412, 404],
      });
  const what = requests.describe({ method: 'PUT', key });
  if (answer.status < 300) {
    const etag = isParted ? textIn(answer, 'CompleteMultipartUploadResult', 'ETag', what) : etagOf(answer, what);
    return { outcome: 'written', etag };
  }
  const found = answer.repeated ? await headObject(requests, key) : undefined;
  if (found?.sha256 === body.sha256) return { outcome: 'written', etag: found.etag };
  if (condition !== undefined && (answer.code !== 'NoSuchUpload' || answer.repeated)) return { outcome: 'refused' };
  throw explainRefusal(what, answer);
}

/** undefined: there is no object. */
export async function headObject(requests: StoreRequests, key: ObjectKey): Promise<HeadFacts | undefined> {
  const request = { method: 'HEAD', key, expects: [404] } as const;
  const answer = await requests.send(request);
  if (answer.status === 404) return undefined;
  const size = Number(answer.headers['content-length'] ?? Number.NaN);
  const sha256 = /^[\da-f]{64}$/.exec(answer.headers['x-amz-meta-sha256'] ?? '')?.[0];
  if (Number.isSafeInteger(size)) return { key, size, etag: etagOf(answer, requests.describe(request)), sha256 };
  const reason = 'the store sent no size. Look for a proxy that removes Content-Length.';
  throw new StoreFailure('unsupported', `${requests.describe(request)}: ${reason}`);
}

function metadataOf({ headers: { contentType, cacheControl }, body }: Put): Record<string, string> {
  return { 'content-type': contentType, 'cache-control': cacheControl, 'x-amz-meta-sha256': body.sha256 };
}

function conditionOf({ condition }: Put): Record<string, string> {
  if (condition === undefined) return {};
  return condition === 'absent' ? { 'if-none-match': '*' } : { 'if-match': condition.etag };
}

/** The answer to the completion. */
async function putInParts(requests: StoreRequests, put: Put, partBytes: number): Promise<SettledAnswer> {
  const { key, body } = put;
  const parts = await partsOf(body, Math.max(partBytes, Math.ceil(sizeOf(body) / mostParts)));
  const begin = { method: 'POST', key, query: { uploads: '' }, headers: metadataOf(put), body: emptyBody } as const;
  for (let round = 1; round <= mostRounds; round += 1) {
    const begun = await requests.send(begin);
    const uploadId = textIn(begun, 'InitiateMultipartUploadResult', 'UploadId', requests.describe(begin));
    let isComplete = false;
    try {
      const answer = await completed(requests, put, uploadId, await sendParts(requests, key, parts, uploadId));
      isComplete = answer.status < 300;
      // S3 wants a new upload after a conflict with another writer
      if (answer.status !== 409) return answer;
    } finally {
      // without success they cost space until the bucket's rule removes them
      if (!isComplete)
        await requests.send({ method: 'DELETE', key, query: { uploadId }, expects: [404] }).catch(() => undefined);
    }
  }
  const what = requests.describe({ method: 'PUT', key });
  throw new StoreFailure('unreachable', `${what}: others write this object. Try again later.`);
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

function completed(
  requests: StoreRequests,
  put: Put,
  uploadId: string,
  etags: readonly string[],
): Promise<SettledAnswer> {
  const parts = etags.map(
    (etag, at) => `<Part><PartNumber>${at + 1}</PartNumber><ETag>${escapeHtml(etag)}</ETag></Part>`,
  );
  const body = bodyOf(Buffer.from(`<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`));
  const headers = conditionOf(put);
  return requests.send({ method: 'POST', key: put.key, query: { uploadId }, headers, body, expects: [404, 409, 412] });
}
