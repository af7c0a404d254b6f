// Sends waiting deliveries when they are due: a few at once for each endpoint. One at a time while it fails, and where
// the order matters. Only the
// keys and rows of deliveries that are being sent are in memory.

import type { JsonObject } from '../../../build/contract/json.ts';
import { duePrefix, parseDeliveryRecord, parseDueKey, type DeliveryRecord } from '../model/delivery.ts';
import type { EndpointViews } from '../deliveries/endpoint-views.ts';
import {
  endpointKey,
  parseEndpointRecord,
  type EndpointId,
  type EndpointRecord,
  listEndpoints,
} from '../model/endpoint.ts';
import { readStatus } from '../model/endpoint-status.ts';
import { isSeen, keepsOrder } from '../model/event-filter.ts';
import type { RegistryEvent } from '../../events/registry-event.ts';
import type { StateStore } from '../../core/state/state-store.ts';
import { rowsOf, settleAttempt } from './attempt.ts';
import { eventsInRequest, type PostOutcome } from './post-events.ts';

export interface SenderParts {
  readonly state: StateStore;
  readonly views: EndpointViews;
  /** `signal`: ends the request when the server stops */
  readonly post: (
    endpoint: EndpointRecord,
    events: readonly RegistryEvent[],
    signal: AbortSignal,
  ) => Promise<PostOutcome>;
  /** epoch milliseconds */
  readonly now: () => number;
  /** 0 ≤ … < 1 */
  readonly random: () => number;
  readonly onError: (error: unknown) => void;
}

export type DeliverySender = ReturnType<typeof createSender>;

const requestsOfAll = 20;
const requestsOfOne = 4;

/** So long an answer may still come while the server stops. */
const patienceMs = 1000;

interface Working {
  readonly stopping: AbortController;
  /** true: no more attempts begin */
  isClosed: boolean;
  /** keys of the deliveries that are being sent */
  readonly keys: Set<string>;
  readonly requests: Map<EndpointId, number>;
  readonly work: Set<Promise<void>>;
}

export function createSender(parts: SenderParts) {
  const working: Working = {
    stopping: new AbortController(),
    isClosed: false,
    keys: new Set(),
    requests: new Map(),
    work: new Set(),
  };
  const idle = async (): Promise<void> => {
    while (working.work.size > 0) await Promise.all(working.work);
  };
  return {
    /** One look at all endpoints: starts the attempts that are due. False: none is under way. */
    look: async (): Promise<boolean> => {
      for (const endpoint of await listEndpoints(parts.state))
        if (endpoint.disabled === null) await lookAt(parts, working, endpoint).catch(parts.onError);
      return working.work.size > 0;
    },
    /** Resolves when no attempt is under way. */
    idle,
    /** Ends the attempts that are under way after a short wait; their deliveries stay due. */
    close: async (): Promise<void> => {
      working.isClosed = true;
      const timer = setTimeout(() => working.stopping.abort(new Error('the server stops')), patienceMs);
      await idle();
      clearTimeout(timer);
    },
  };
}

async function lookAt(parts: SenderParts, working: Working, endpoint: EndpointRecord): Promise<void> {
  const { state, now } = parts;
  if (working.isClosed) return;
  if ((await parts.views.viewOf(endpoint)) === 'ended') return disable(state, endpoint);
  const { failures, paused_until: paused } = await readStatus(state, endpoint.id);
  if (paused !== null && now() < Date.parse(paused)) return;
  const isChat = endpoint.form !== 'standard';
  const most = failures > 0 || isChat || keepsOrder(endpoint) ? 1 : requestsOfOne;
  if (freeRequests(working, endpoint, most) <= 0) return;
  const size = eventsInRequest(endpoint);
  const due = await dueDeliveries(parts, working, endpoint.id, most * size);
  // counted now: other looks may have started requests meanwhile
  for (let from = 0; from < due.length && freeRequests(working, endpoint, most) > 0; from += size)
    start(parts, working, endpoint, due.slice(from, from + size));
}

function freeRequests({ isClosed, requests, work }: Working, { id }: EndpointRecord, most: number): number {
  return isClosed ? 0 : Math.min(most - (requests.get(id) ?? 0), requestsOfAll - work.size);
}

/** Keys of deliveries that are due and not being sent, oldest first. */
async function dueDeliveries(
  { state, now }: SenderParts,
  { keys }: Working,
  endpoint: EndpointId,
  most: number,
): Promise<readonly string[]> {
  const rows = await state.range(duePrefix(endpoint), { limit: most + keys.size });
  const nowMs = now();
  return rows
    .map(({ key }) => parseDueKey(endpoint, key))
    .filter(({ atMs, delivery }) => atMs <= nowMs && !keys.has(delivery))
    .slice(0, most)
    .map(({ delivery }) => delivery);
}

function start(parts: SenderParts, working: Working, endpoint: EndpointRecord, keys: readonly string[]): void {
  for (const key of keys) working.keys.add(key);
  working.requests.set(endpoint.id, (working.requests.get(endpoint.id) ?? 0) + 1);
  const attempt: Promise<void> = send(parts, working.stopping.signal, endpoint, keys)
    .catch(parts.onError)
    .then(() => {
      for (const key of keys) working.keys.delete(key);
      working.requests.set(endpoint.id, (working.requests.get(endpoint.id) ?? 1) - 1);
      working.work.delete(attempt);
      // a long line goes on at once; chat services want pauses between messages
      if (endpoint.form === 'standard') return lookAgain(parts, working, endpoint);
      return undefined;
    });
  working.work.add(attempt);
}

async function lookAgain(parts: SenderParts, working: Working, { id }: EndpointRecord): Promise<void> {
  const entry = await parts.state.get(endpointKey(id)).catch(() => undefined);
  const endpoint = entry === undefined ? undefined : parseEndpointRecord(entry.value);
  if (endpoint?.disabled === null) await lookAt(parts, working, endpoint).catch(parts.onError);
}

/** Throws only for a fault of the state: then the deliveries stay due. */
async function send(
  parts: SenderParts,
  stopping: AbortSignal,
  endpoint: EndpointRecord,
  keys: readonly string[],
): Promise<void> {
  const { state, post, now, random } = parts;
  const shown: string[] = [];
  const events: RegistryEvent[] = [];
  for (const key of keys) {
    const entry = await state.get(key);
    const record = entry === undefined ? undefined : parseDeliveryRecord(entry.value);
    if (entry === undefined || record?.state !== 'pending') continue;
    if (await isStillSeen(parts, endpoint, record)) {
      shown.push(key);
      events.push(record.event);
    } else await hide(state, key, entry.revision, record);
  }
  if (events.length === 0) return;
  const startedMs = now();
  const outcome = await post(endpoint, events, stopping);
  // an attempt that the server itself ended is none
  if (stopping.aborted && outcome.error !== null) return;
  await settleAttempt(state, endpoint.id, shown, { outcome, startedMs, endedMs: now(), random: random() });
}

/** The limits of the token may have changed since the event was handed over. */
async function isStillSeen(
  { views }: SenderParts,
  endpoint: EndpointRecord,
  { event }: DeliveryRecord,
): Promise<boolean> {
  const view = await views.viewOf(endpoint);
  if (view === 'all') return true;
  return view !== 'ended' && isSeen(event, view, (name) => views.seePackage(view, name));
}

async function hide(state: StateStore, key: string, revision: number, record: DeliveryRecord): Promise<void> {
  const { puts, deletes } = rowsOf(record, { ...record, state: 'hidden', next_at: null });
  await state.commit({ conditions: [{ key, revision }], puts, deletes, quiet: true });
}

async function disable(state: StateStore, { id }: EndpointRecord): Promise<void> {
  const entry = await state.get(endpointKey(id));
  if (entry === undefined) return;
  const value = { ...parseEndpointRecord(entry.value), disabled: 'token ended' } as unknown as JsonObject;
  const { key, revision } = entry;
  await state.commit({ conditions: [{ key, revision }], puts: [{ key, value }], deletes: [] });
}
