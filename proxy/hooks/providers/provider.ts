// The port to a provider of hooks: what its headers and its payload say. Each provider is one file of this folder.

import type { IncomingHttpHeaders } from 'node:http';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../build/contract/json.ts';
import type { ProviderName } from '../inbox.ts';
import type { Proof } from './proof.ts';

/** `code`: tags or branches may have changed. `ping`: somebody tries the hook. */
export type Subject = 'code' | 'ping' | 'other';

export interface Provider {
  readonly name: ProviderName;
  /** its name for people */
  readonly title: string;
  /** True if this provider sent a request with these headers. */
  readonly isSender: (headers: IncomingHttpHeaders) => boolean;
  /** undefined: the request has no proof, or an empty one */
  readonly proofOf: (headers: IncomingHttpHeaders) => Proof | undefined;
  /** where its proof is, for people */
  readonly proofPlace: string;
  /** The id of the delivery, which is the same if the provider sends it again. undefined: it sent none. */
  readonly idOf: (headers: IncomingHttpHeaders) => string | undefined;
  /** The name of the event; undefined: the body has it. */
  readonly eventOf: (headers: IncomingHttpHeaders) => string | undefined;
  readonly subjectOf: (event: string) => Subject;
  readonly read: (payload: JsonObject) => Payload;
}

/** What a payload may say. It is a hint, so that each part may be missing. */
export interface Payload {
  /** addresses of the repository, as the payload has them */
  readonly addresses: readonly string[];
  /** the address of the organisation in a browser, where a test names no repository */
  readonly owner?: string | undefined;
  /** the event, for a provider whose header does not name it */
  readonly event?: string | undefined;
  /** the id of the delivery, for a provider without a header for it */
  readonly id?: string | undefined;
}

/** The value at a path of keys; undefined where one of them is missing. */
export function valueAt(payload: JsonObject, ...keys: readonly string[]): JsonValue | undefined {
  let value: JsonValue | undefined = payload;
  for (const key of keys) {
    if (!isJsonObject(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value;
}

export function textAt(payload: JsonObject, ...keys: readonly string[]): string | undefined {
  const value = valueAt(payload, ...keys);
  return typeof value === 'string' ? value : undefined;
}

/** The texts among these. */
export function present(texts: readonly (string | undefined)[]): readonly string[] {
  return texts.filter((text) => text !== undefined);
}

/** The addresses in a `repository` as GitHub, Gitea and Forgejo write it. */
export function repositoryAddresses(payload: JsonObject): readonly string[] {
  return present(['clone_url', 'ssh_url', 'html_url'].map((field) => textAt(payload, 'repository', field)));
}

/** The subject of an event, for a provider whose events of code are these. */
export function subjectAmong(code: readonly string[], ping?: string): (event: string) => Subject {
  return (event) => (event === ping ? 'ping' : code.includes(event) ? 'code' : 'other');
}
