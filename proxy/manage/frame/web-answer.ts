// Between the pipeline's answers and the web's Request and Response that Hono speaks.

import { bodyOf, type Answer } from '../../core/http/answer.ts';
import type { FeatureRequest } from '../../core/protocol/feature.ts';
import { readFormBody, readJsonBody } from '../../core/http/request-body.ts';

/** Operations whose handlers read the body from the socket. */
const streamed = new Set(['POST /api/artifacts']);

/** Operations of OAuth, whose bodies are forms. */
const forms = new Set(['POST /api/oauth/device_authorization', 'POST /api/oauth/token']);

export async function toWebRequest({ incoming, sendContinue }: FeatureRequest): Promise<Request> {
  const url = new URL(`http://localhost${incoming.url ?? '/'}`);
  // HEAD needs the length of GET's body (RFC 9110 §8.6); the sender omits the body itself
  const method = incoming.method === 'HEAD' ? 'GET' : (incoming.method ?? 'GET');
  const headers = new Headers();
  for (const name of ['accept', 'content-type', 'if-none-match'] as const) {
    const value = incoming.headers[name];
    if (value !== undefined) headers.set(name, value);
  }
  if (method === 'GET' || streamed.has(`${method} ${url.pathname}`)) return new Request(url, { method, headers });
  sendContinue();
  const body = await (forms.has(`${method} ${url.pathname}`) ? readFormBody(incoming) : readJsonBody(incoming));
  return new Request(url, { method, headers, ...(body === undefined ? {} : { body }) });
}

/** Answers of the management API are never stored, unless a handler allows it. */
const standardHeaders = [
  ['cache-control', 'private, no-store'],
  ['vary', 'Authorization, Accept-Encoding'],
  ['x-content-type-options', 'nosniff'],
] as const;

/**
 * An answer whose body stays in memory. A Response copies its body for each request; this one only carries the answer
 * to `toAnswer`.
 */
export class AnswerResponse extends Response {
  readonly answer: Answer;

  /** `answer`: with all its headers. */
  constructor(answer: Answer) {
    super(null, { status: answer.status });
    this.answer = answer;
  }
}

export async function toAnswer(response: Response): Promise<Answer> {
  if (response instanceof AnswerResponse) return response.answer;
  const bytes = Buffer.from(await response.arrayBuffer());
  const { headers } = response;
  for (const [name, value] of standardHeaders) if (!headers.has(name)) headers.set(name, value);
  const flat = [...headers].flatMap(([name, value]) => [capitalized(name), value]);
  return {
    status: response.status,
    headers: response.status === 304 ? flat : [...flat, 'Content-Length', String(bytes.length)],
    body: bodyOf(bytes),
  };
}

function capitalized(name: string): string {
  return name.replaceAll(/(^|-)[a-z]/g, (letter) => letter.toUpperCase());
}
