// Reads the body of a request that is JSON, within a size, a depth and a time.

import { RegistryError } from '../../build/contract/errors.ts';
import { loneSurrogate, type JsonValue } from '../../build/contract/json.ts';
import { withDeadline } from '../../build/shared/concurrency/with-deadline.ts';
import { depthOf } from '../../build/shared/json/json-scan.ts';
import type { HttpRequest } from './http-request.ts';

export interface BodyLimits {
  readonly mostBytes: number;
  /** time limit from the first read to the end of the body, milliseconds */
  readonly longestMs: number;
}

const ofManagement: BodyLimits = { mostBytes: 1024 * 1024, longestMs: 30_000 };
const mostDepth = 32;

/** The text of a JSON body; undefined without a body. Throws RegistryError for any other body. */
export async function readJsonBody(
  request: HttpRequest,
  limits: BodyLimits = ofManagement,
): Promise<string | undefined> {
  const bytes = await readBody(request, limits);
  if (bytes.length === 0) return undefined;
  const type = request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  if (type !== 'application/json') throw new RegistryError('UNSUPPORTED_MEDIA_TYPE');
  const text = decode(bytes);
  const value = parse(text);
  if (depthOf(bytes) > mostDepth)
    throw new RegistryError('BAD_REQUEST', { message: `The JSON is nested deeper than ${mostDepth} levels.` });
  // UTF-8 has none: one can only come by an escape
  if (/\\u[dD][89a-fA-F]/.test(text)) assertWellFormed(value);
  return text;
}

function parse(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch (error) {
    throw new RegistryError('BAD_REQUEST', { message: `The body is not JSON: ${(error as Error).message}.` });
  }
}

function assertWellFormed(value: JsonValue): void {
  const found = loneSurrogate(value);
  if (found === undefined) return;
  const message = `${found.inKey ? 'one of its keys contains' : 'contains'} half of a surrogate pair, which is not valid text`;
  throw new RegistryError('INVALID_INPUT', { details: { issues: [{ path: found.path.join('.'), message }] } });
}

/** A slow body gets an answer, and its connection ends with the answer. Throws RegistryError. */
export async function readBody(request: HttpRequest, { mostBytes, longestMs }: BodyLimits): Promise<Buffer> {
  const refuse = (): Promise<never> => Promise.reject(new RegistryError('REQUEST_TIMEOUT'));
  return withDeadline(readPieces(request, mostBytes), longestMs, refuse);
}

async function readPieces(request: HttpRequest, mostBytes: number): Promise<Buffer> {
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > mostBytes) throw tooLarge(mostBytes);
  const pieces: Buffer[] = [];
  let size = 0;
  try {
    for await (const piece of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += piece.length;
      if (size > mostBytes) throw tooLarge(mostBytes);
      pieces.push(piece);
    }
  } catch (cause) {
    throw request.aborted ? brokenOff(cause) : cause;
  }
  if (request.aborted) throw brokenOff(undefined); // before the first byte was read
  return Buffer.concat(pieces);
}

/** The client closed the connection, so the error reaches no reader. */
function brokenOff(cause: unknown): RegistryError {
  return new RegistryError('BAD_REQUEST', { message: 'The body ended too early.', cause });
}

function tooLarge(mostBytes: number): RegistryError {
  return new RegistryError('BODY_TOO_LARGE', {
    message: `The body is larger than the maximum of ${mostBytes} bytes.`,
    details: { limit: mostBytes },
  });
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new RegistryError('BAD_REQUEST', { message: 'The body is not UTF-8.' });
  }
}
