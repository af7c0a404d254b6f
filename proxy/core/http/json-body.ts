// Reads the body of a request that is JSON, within a size, a depth and a time.

import { RegistryError } from '../../../build/contract/errors.ts';
import { loneSurrogate, protoMember, type JsonValue } from '../../../build/contract/json.ts';
import { shapeOf } from '../../../build/shared/json/json-scan.ts';
import { readPieces, type BodyLimits } from './body-pieces.ts';
import type { HttpRequest } from './http-request.ts';

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
  throw new RegistryError('INVALID_INPUT', { details: { issues: [{ path: found.path.join('.'), message }] } });
}

/** It would be left out silently, and with it a rule of the caller. */
function assertNoProto(value: JsonValue): void {
  const path = protoMember(value);
  if (path === undefined) return;
  const message = '"__proto__" is a name that no member can have: choose another';
  throw new RegistryError('INVALID_INPUT', { details: { issues: [{ path: path.join('.'), message }] } });
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
