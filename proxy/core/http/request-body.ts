// Reads the body of a request, within a size and a time: piece by piece, as bytes, as JSON or as a form.

import { type ErrorCode, invalidInput, RegistryError } from '../../../build/contract/errors.ts';
import { loneSurrogate, protoMember, type JsonValue } from '../../../build/contract/json.ts';
import { shapeOf } from '../../../build/shared/json/json-scan.ts';
import type { HttpRequest } from './http-request.ts';
import type { MaybeAsync } from '../../../build/shared/concurrency/maybe-async.ts';
import { withDeadline } from '../../../build/shared/concurrency/with-deadline.ts';

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
  if (shapeOf(bytes).depth > mostDepth)
    throw new RegistryError('BAD_REQUEST', { message: `The JSON is nested deeper than ${mostDepth} levels.` });
  // UTF-8 has none: one can only come by an escape
  if (/\\u[dD][89a-fA-F]/.test(text)) assertWellFormed(value);
  if (/\\u005f|__proto__/i.test(text)) assertNoProto(value);
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
  throw invalidInput({ path: found.path.join('.'), message });
}

/** It would be left out silently, and with it a rule of the caller. */
function assertNoProto(value: JsonValue): void {
  const path = protoMember(value);
  if (path === undefined) return;
  const message = '"__proto__" is a name that no member can have: choose another';
  throw invalidInput({ path: path.join('.'), message });
}

/** The bytes of a body. Throws RegistryError. */
export async function readBody(request: HttpRequest, limits: BodyLimits): Promise<Buffer> {
  const pieces: Buffer[] = [];
  await readPieces(request, limits, (piece) => void pieces.push(piece));
  return Buffer.concat(pieces);
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new RegistryError('BAD_REQUEST', { message: 'The body is not UTF-8.' });
  }
}

export interface BodyLimits {
  readonly mostBytes: number;
  /** time limit from the first read to the end of the body, milliseconds */
  readonly longestMs: number;
  /** the error for a larger body; default: BODY_TOO_LARGE */
  readonly tooLarge?: ErrorCode;
}

/**
 * Gives each piece to `take`, and waits for it. A slow body gets an answer, and its connection ends with the answer.
 * Throws RegistryError. `take` may get pieces after that, until the connection ends.
 */
export function readPieces(
  request: HttpRequest,
  limits: BodyLimits,
  take: (piece: Buffer) => MaybeAsync<void>,
): Promise<void> {
  const refuse = (): Promise<never> => Promise.reject(new RegistryError('REQUEST_TIMEOUT'));
  return withDeadline(readAll(request, limits, take), limits.longestMs, refuse);
}

async function readAll(
  request: HttpRequest,
  limits: BodyLimits,
  take: (piece: Buffer) => MaybeAsync<void>,
): Promise<void> {
  if (Number(request.headers['content-length'] ?? 0) > limits.mostBytes) throw tooLarge(limits);
  let size = 0;
  try {
    for await (const piece of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += piece.length;
      if (size > limits.mostBytes) throw tooLarge(limits);
      const taken = take(piece);
      if (taken !== undefined) await taken;
    }
  } catch (cause) {
    throw request.aborted ? brokenOff(cause) : cause;
  }
  if (request.aborted) throw brokenOff(undefined); // before the first byte was read
}

/** The client closed the connection, so the error reaches no reader. */
function brokenOff(cause: unknown): RegistryError {
  return new RegistryError('BAD_REQUEST', { message: 'The body ended too early.', cause });
}

function tooLarge({ mostBytes, tooLarge: code = 'BODY_TOO_LARGE' }: BodyLimits): RegistryError {
  return new RegistryError(code, {
    message: `The body is larger than the maximum of ${mostBytes} bytes.`,
    details: { limit: mostBytes },
  });
}

/** The text of the form. Throws RegistryError for a body of another type. */
export async function readFormBody(request: HttpRequest): Promise<string> {
  const type = request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  if (type !== 'application/x-www-form-urlencoded')
    throw new RegistryError('UNSUPPORTED_MEDIA_TYPE', {
      message: 'The body must be a form of the type application/x-www-form-urlencoded.',
    });
  return (await readBody(request, { mostBytes: 10_000, longestMs: 30_000 })).toString('utf8');
}
