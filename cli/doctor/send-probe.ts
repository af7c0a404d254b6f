// One request from outside, as a client would send it. Redirects are not followed, and bodies are not decoded. Only the
// digest of a large body is stored.

import { createHash } from 'node:crypto';
import { receiveResponse } from '../remote/receive-response.ts';

const timeoutMs = 15_000;
/** More than an archive has: an answer that goes on is cut off. */
const mostBytes = 512 * 1024 * 1024;
/** No document is larger; of more than that only the digest is known. */
const maxTextBytes = 32 * 1024 * 1024;

export interface ProbeResponse {
  readonly status: number;
  /** names in lower case; of a header that came twice, the first */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
  readonly sha1: string;
  readonly bytes: number;
  /** false: it was more than was wanted of it, and text and digest are of its beginning */
  readonly whole: boolean;
  /** this host's time when the headers came, epoch milliseconds */
  readonly atMs: number;
}

export interface ProbeOptions {
  readonly method?: 'GET' | 'HEAD';
  /** the connection ends once more than this number of body bytes has arrived; default: 512 MiB */
  readonly upToBytes?: number;
}

/**
 * Rejects with Node's or undici's error if the server does not respond. The path of `url` is sent unchanged, with any
 * invalid escapes.
 */
export async function sendProbe(
  url: string,
  headers: Readonly<Record<string, string>>,
  now: () => Date,
  { method = 'GET', upToBytes = mostBytes }: ProbeOptions = {},
): Promise<ProbeResponse> {
  const hash = createHash('sha1');
  const pieces: Buffer[] = [];
  let [atMs, bytes] = [0, 0];
  const head = (): void => void (atMs = now().getTime());
  const part = (piece: Buffer): boolean => {
    hash.update(piece);
    bytes += piece.length;
    if (bytes <= maxTextBytes) pieces.push(piece);
    return bytes <= upToBytes;
  };
  const answer = await receiveResponse(
    url,
    { method, headers: { 'user-agent': 'Libretto doctor', ...headers }, idleTimeoutMs: timeoutMs },
    { head, part },
  );
  const flat = Object.fromEntries(
    Object.entries(answer.headers).map(([name, value]) => [name, Array.isArray(value) ? value[0] : value]),
  );
  return {
    status: answer.status,
    headers: flat,
    text: Buffer.concat(pieces).toString('utf8'),
    sha1: hash.digest('hex'),
    bytes,
    whole: bytes <= upToBytes,
    atMs,
  };
}

/** A short description of an answer: `401 INVALID_TOKEN`, `400 (not an answer of Libretto)`. */
export function describeResponse({ status, text, headers }: ProbeResponse): string {
  if (status >= 300 && status < 400 && headers['location'] !== undefined)
    return `${status}, to ${headers['location'].slice(0, 200)}`;
  const code = jsonOf(text)['code'];
  const known = typeof code === 'string' ? code.slice(0, 64) : status < 300 ? '' : '(not an answer of Libretto)';
  return `${status} ${known}`.trim();
}

/** An empty object for a text that is no JSON object. */
export function jsonOf(text: string): Readonly<Record<string, unknown>> {
  try {
    const json: unknown = JSON.parse(text);
    return typeof json === 'object' && json !== null && !Array.isArray(json) ? (json as Record<string, unknown>) : {};
  } catch {
    return {}; // a front that answers in HTML
  }
}
