// Reading and changing the requests of terminals in the state. Questions of terminals are quiet: no cache depends on
// them, and a terminal that waits must not make every server read its tokens again.

import type { JsonValue } from '../../build/contract/json.ts';
import type { UserId } from '../core/tokens/person.ts';
import type { StateStore } from '../core/state/state-store.ts';
import {
  isOver,
  parseCodePointer,
  parseSignInRequest,
  requestKey,
  requestPrefix,
  userCodeKey,
  type SignInRequest,
} from './sign-in-request.ts';
import { hashCode } from './user-code.ts';

export interface StoredRequest {
  readonly key: string;
  readonly revision: number;
  readonly request: SignInRequest;
}

export async function readRequest(
  store: Pick<StateStore, 'get'>,
  deviceCodeHash: string,
): Promise<StoredRequest | undefined> {
  const key = requestKey(deviceCodeHash);
  const entry = await store.get(key);
  return entry && { key, revision: entry.revision, request: parseSignInRequest(entry.value) };
}

/** The request of a code that was typed; undefined: there is none. */
export async function readByUserCode(
  store: Pick<StateStore, 'get'>,
  userCode: string,
): Promise<StoredRequest | undefined> {
  const pointer = await store.get(userCodeKey(hashCode(userCode)));
  return pointer === undefined ? undefined : readRequest(store, parseCodePointer(pointer.value));
}

/** The rows of a request, to delete. */
export function rowsOf({ key, request }: StoredRequest): readonly string[] {
  return [key, userCodeKey(request.user_code)];
}

/** The rows of all requests that the person approved, and that gave no token yet. */
export async function approvedBy(store: Pick<StateStore, 'range'>, user: UserId): Promise<readonly string[]> {
  const rows = await store.range(requestPrefix);
  return rows
    .map(({ key, revision, value }) => ({ key, revision, request: parseSignInRequest(value) }))
    .filter(({ request: { decision } }) => decision?.approved === true && decision.by === user)
    .flatMap(rowsOf);
}

/** False if the request has changed since. */
export function replaceQuietly(
  store: Pick<StateStore, 'commit'>,
  { key, revision }: StoredRequest,
  request: SignInRequest,
): Promise<boolean> {
  const puts = [{ key, value: valueOf(request) }];
  return store.commit({ conditions: [{ key, revision }], puts, deletes: [], quiet: true });
}

export function valueOf(request: SignInRequest): JsonValue {
  return { ...request, decision: request.decision === null ? null : { ...request.decision } };
}

/** An ended request is kept a little longer, so that its terminal learns how it ended. */
const keptMs = 600_000;

/** Removes ended requests. Resolves with how many are left, up to `most`. */
export async function sweepRequests(
  store: Pick<StateStore, 'range' | 'commit'>,
  nowMs: number,
  most: number,
): Promise<number> {
  const rows = (await store.range(requestPrefix, { limit: most + 20 })).map(({ key, value, revision }) => ({
    key,
    revision,
    request: parseSignInRequest(value),
  }));
  const ended = rows.filter(({ request }) => isOver(request, nowMs - keptMs));
  if (ended.length > 0)
    await store.commit({
      conditions: ended.map(({ key, revision }) => ({ key, revision })),
      puts: [],
      deletes: ended.flatMap(rowsOf),
      quiet: true,
    });
  return rows.length - ended.length;
}
