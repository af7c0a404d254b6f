// Reads the JSON body of a request to the management API, within a size, a depth and a time.

import type { IncomingMessage } from 'node:http';
import { RegistryError } from '../../build/contract/errors.ts';

const mostBytes = 1024 * 1024;
const mostDepth = 32;
const longestMs = 30_000;

/** The text of a body that is JSON; undefined where there is none. Throws RegistryError for everything else. */
export async function readJsonBody(request: IncomingMessage): Promise<string | undefined> {
  const bytes = await readBody(request);
  if (bytes.length === 0) return undefined;
  const type = request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  if (type !== 'application/json') throw new RegistryError('UNSUPPORTED_MEDIA_TYPE');
  const text = decode(bytes);
  try {
    JSON.parse(text);
  } catch (error) {
    throw new RegistryError('BAD_REQUEST', { message: `The body is not JSON: ${(error as Error).message}.` });
  }
  if (depthOf(text) > mostDepth) throw new RegistryError('BAD_REQUEST', { message: `The JSON is nested deeper than ${mostDepth} levels.` });
  return text;
}

/** What is too slow is answered, and its connection ends with the answer. */
async function readBody(request: IncomingMessage): Promise<Buffer> {
  let late: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    late = setTimeout(() => reject(new RegistryError('REQUEST_TIMEOUT')), longestMs);
  });
  try {
    return await Promise.race([readPieces(request), timeout]);
  } finally {
    clearTimeout(late);
  }
}

async function readPieces(request: IncomingMessage): Promise<Buffer> {
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > mostBytes) throw tooLarge();
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > mostBytes) throw tooLarge();
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

function tooLarge(): RegistryError {
  return new RegistryError('BODY_TOO_LARGE', { message: `The body is larger than the ${mostBytes} bytes that are taken here.`, details: { limit: mostBytes } });
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new RegistryError('BAD_REQUEST', { message: 'The body is not UTF-8.' });
  }
}

/** Brackets outside of strings, of a text that is JSON. */
function depthOf(text: string): number {
  let [depth, deepest] = [0, 0];
  for (const [mark] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/gs)) {
    if (mark === '[' || mark === '{') deepest = Math.max(deepest, (depth += 1));
    else if (mark === ']' || mark === '}') depth -= 1;
  }
  return deepest;
}
