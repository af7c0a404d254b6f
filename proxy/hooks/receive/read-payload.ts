// The payload in the body of a hook: JSON, or JSON in the field `payload` of a form, which GitHub and Gitea offer.

import type { IncomingHttpHeaders } from 'node:http';
import { isJsonObject, type JsonValue } from '../../../build/contract/json.ts';
import type { InSlices } from '../../../build/shared/concurrency/yielding.ts';
import { shapeOf } from '../../../build/shared/json/json-scan.ts';
import type { Payload, Provider } from '../providers/provider.ts';
import { isForm } from '../providers/proof.ts';

/** Resolves with an empty payload for one that cannot be read: its sender has proven itself, and gets no error for it. */
export type ReadPayload = (body: Buffer, headers: IncomingHttpHeaders, provider: Provider) => Promise<Payload>;

/** `inSlices`: of the receiver, because a megabyte takes some milliseconds. */
export function createPayloadReader(inSlices: InSlices): ReadPayload {
  return async (body, headers, { read }) => {
    const bytes = isForm(headers) ? await inSlices(() => payloadOfForm(body)) : body;
    const isUsual = await inSlices(() => hasUsualShape(bytes));
    const value = isUsual ? await inSlices(() => parse(bytes)) : undefined;
    return isJsonObject(value) ? read(value) : { addresses: [] };
  };
}

/** URLSearchParams takes eight times as long. A body without the field may be JSON: curl calls every body a form. */
function payloadOfForm(body: Buffer): Buffer {
  const [, encoded] = /(?:^|&)payload=([^&]*)/.exec(body.toString('latin1')) ?? [];
  if (encoded === undefined) return body;
  try {
    return Buffer.from(decodeURIComponent(encoded.replaceAll('+', ' ')));
  } catch (error) {
    if (error instanceof URIError) return Buffer.alloc(0);
    throw error;
  }
}

/** No provider nests deeper, and deep JSON takes twenty times as long to parse. */
const mostDepth = 32;
/** A push of thousands of commits has fewer, and each name that the parser does not know yet takes half a microsecond. */
const mostMembers = 30_000;

function hasUsualShape(bytes: Buffer): boolean {
  const { depth, members } = orUndefined(() => shapeOf(bytes)) ?? { depth: 0, members: 0 };
  return depth > 0 && depth <= mostDepth && members <= mostMembers;
}

function parse(bytes: Buffer): JsonValue | undefined {
  return orUndefined(() => JSON.parse(bytes.toString('utf8')) as JsonValue);
}

function orUndefined<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
