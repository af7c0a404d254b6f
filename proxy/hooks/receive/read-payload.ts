// The payload in the body of a hook: JSON, or JSON in the field `payload` of a form, which GitHub and Gitea offer.

import type { IncomingHttpHeaders } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import pLimit from 'p-limit';
import { isJsonObject, type JsonValue } from '../../../build/contract/json.ts';
import { depthOf } from '../../../build/shared/json/json-scan.ts';
import type { Payload, Provider } from '../providers/provider.ts';
import { isForm } from '../providers/proof.ts';

/** Resolves with an empty payload for one that cannot be read: its sender has proven itself, and gets no error for it. */
export type ReadPayload = (body: Buffer, headers: IncomingHttpHeaders, provider: Provider) => Promise<Payload>;

/** Reads one payload after the other, with turns for other requests between them: a megabyte takes some milliseconds. */
export function createPayloadReader(): ReadPayload {
  const one = pLimit(1);
  return (body, headers, { read }) =>
    one(async () => {
      await nextTurn();
      const bytes = isForm(headers) ? payloadOfForm(body) : body;
      if (isForm(headers)) await nextTurn();
      const value = parse(bytes);
      return isJsonObject(value) ? read(value) : { addresses: [] };
    });
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

function parse(bytes: Buffer): JsonValue | undefined {
  try {
    return depthOf(bytes) > mostDepth ? undefined : (JSON.parse(bytes.toString('utf8')) as JsonValue);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
