// Writes objects: small ones whole, large ones in parts. A condition of a put in parts is one of its completion. If an
// earlier attempt of a conditional put may have had its effect, the digest of the object that is there decides.

import { etagOf, textIn } from './answers.ts';
import { putInParts } from './multipart.ts';
import type { HeadFacts, ObjectBody, ObjectKey, Precondition, PutHeaders, PutOutcome } from './object-store.ts';
import { sizeOf, wholeBody } from './request-body.ts';
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

export async function putObject(requests: StoreRequests, put: Put, sizes: PartSizes): Promise<PutOutcome> {
  const { key, body, condition } = put;
  const what = requests.describe({ method: 'PUT', key });
  const conditions = { headers: conditionHeaders(condition), expects: refusals(condition) };
  if (sizeOf(body) > sizes.multipartAbove) {
    const answer = await putInParts(requests, { key, body, headers: metadata(put), conditions }, sizes.partBytes);
    if (answer.status >= 300) return await settled(requests, put, answer);
    return { outcome: 'written', etag: textIn(answer, 'CompleteMultipartUploadResult', 'ETag', what) };
  }
  const headers = { ...metadata(put), ...conditions.headers };
  const answer = await requests.send({
    method: 'PUT',
    key,
    body: wholeBody(body),
    headers,
    expects: conditions.expects,
  });
  return answer.status < 300
    ? { outcome: 'written', etag: etagOf(answer, what) }
    : await settled(requests, put, answer);
}

/** undefined: there is no object. */
export async function headObject(requests: StoreRequests, key: ObjectKey): Promise<HeadFacts | undefined> {
  const request = { method: 'HEAD', key, expects: [404] } as const;
  const answer = await requests.send(request);
  if (answer.status === 404) return undefined;
  const what = requests.describe(request);
  const size = Number(answer.headers['content-length'] ?? Number.NaN);
  if (!Number.isSafeInteger(size))
    throw new StoreFailure(
      'unsupported',
      `${what}: the store sent no size. Look for a proxy that removes Content-Length.`,
    );
  const sha256 = /^[\da-f]{64}$/.exec(answer.headers['x-amz-meta-sha256'] ?? '')?.[0];
  return { key, size, etag: etagOf(answer, what), sha256 };
}

function metadata({ headers: { contentType, cacheControl }, body }: Put): Record<string, string> {
  return { 'content-type': contentType, 'cache-control': cacheControl, 'x-amz-meta-sha256': body.sha256 };
}

function conditionHeaders(condition: Precondition | undefined): Record<string, string> {
  if (condition === undefined) return {};
  return condition === 'absent' ? { 'if-none-match': '*' } : { 'if-match': condition.etag };
}

/** AWS answers 404 if the object of an ETag is gone, others 412. */
function refusals(condition: Precondition | undefined): number[] {
  if (condition === undefined) return [];
  return condition === 'absent' ? [412] : [412, 404];
}

async function settled(requests: StoreRequests, put: Put, answer: SettledAnswer): Promise<PutOutcome> {
  const { key, body, condition } = put;
  const found = answer.repeated ? await headObject(requests, key) : undefined;
  if (found?.sha256 === body.sha256) return { outcome: 'written', etag: found.etag };
  const { status, code, repeated } = answer;
  const isLost = code === 'NoSuchUpload' && !repeated;
  if (condition !== undefined && !isLost) return { outcome: 'refused' };
  throw explainRefusal(requests.describe({ method: 'PUT', key }), { status, code });
}
