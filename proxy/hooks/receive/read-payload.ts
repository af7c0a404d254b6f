// The payload in the body of a hook: JSON, or JSON in the field `payload` of a form, which GitHub and Gitea offer.

import type { IncomingHttpHeaders } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isJsonObject, type JsonValue } from '../../../build/contract/json.ts';
import type { Payload, Provider } from '../providers/provider.ts';
import { headerOf } from '../providers/proof.ts';

/** An unreadable payload is an empty one: the sender has proven itself, and gets no error for it. */
export async function readPayload(body: Buffer, headers: IncomingHttpHeaders, { read }: Provider): Promise<Payload> {
  const text = isForm(headers) ? new URLSearchParams(body.toString('latin1')).get('payload') : body.toString('utf8');
  await nextTurn(); // a form of a megabyte takes as long as its JSON
  const value = parse(text ?? '');
  return isJsonObject(value) ? read(value) : { addresses: [] };
}

function isForm(headers: IncomingHttpHeaders): boolean {
  return /^application\/x-www-form-urlencoded(?:;|$)/i.test(headerOf(headers, 'content-type') ?? '');
}

function parse(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
