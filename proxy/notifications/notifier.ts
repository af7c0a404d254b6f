// The background work of notifications: one server among all that share a state collects events and sends them. The
// lease only saves work: each event is handed over by one commit, and a delivery is sent at least once.

import type { StateStore, StateEntry } from '../core/state/state-store.ts';
import type { Lease } from '../sync/lease.ts';
import type { Collector } from './collect/collector.ts';
import { deliveryFamily, deliveryPrefix, dueFamily, duePrefix, parseDeliveryRecord } from './model/delivery.ts';
import { endpointKey, parseEndpointId, type EndpointId, listEndpoints } from './model/endpoint.ts';

/** Settled deliveries of an endpoint that stay listed, and can be sent again. */
const mostSettled = 500;
const longestSettledMs = 30 * 86_400_000;
const rowsAtOnce = 200;

/** For all endpoints. `nowMs`: epoch. */
async function pruneDeliveries(state: StateStore, nowMs: number): Promise<void> {
  for (const { id } of await listEndpoints(state)) await pruneSettled(state, id, nowMs);
  await removeOrphans(state, deliveryFamily, deliveryPrefix);
  await removeOrphans(state, dueFamily, duePrefix);
}

async function pruneSettled(state: StateStore, endpoint: EndpointId, nowMs: number): Promise<void> {
  const settled = (await state.range(deliveryPrefix(endpoint), { reverse: true })).filter(
    ({ value }) => parseDeliveryRecord(value).state !== 'pending',
  );
  const old = settled.filter(
    ({ value }, at) => at >= mostSettled || Date.parse(parseDeliveryRecord(value).event.at) < nowMs - longestSettledMs,
  );
  await removeRows(state, old);
}

/** Visits one row of each endpoint. */
async function removeOrphans(
  state: StateStore,
  family: string,
  prefixOf: (endpoint: EndpointId) => string,
): Promise<void> {
  let after: string | undefined;
  for (;;) {
    const [row] = await state.range(family, { limit: 1, ...(after === undefined ? {} : { after }) });
    const endpoint = parseEndpointId(row?.key.slice(family.length).split('/', 1)[0] ?? '');
    if (row === undefined || endpoint === undefined) return;
    const prefix = prefixOf(endpoint);
    if ((await state.get(endpointKey(endpoint))) === undefined) await removeRows(state, await state.range(prefix));
    // behind all keys of this endpoint
    after = `${prefix}~`;
  }
}

/** A row that was changed in between stays. */
async function removeRows(state: StateStore, rows: readonly StateEntry[]): Promise<void> {
  for (let from = 0; from < rows.length; from += rowsAtOnce) {
    const chunk = rows.slice(from, from + rowsAtOnce);
    await state.commit({
      conditions: chunk.map(({ key, revision }) => ({ key, revision })),
      puts: [],
      deletes: chunk.map(({ key }) => key),
      quiet: true,
    });
  }
}

export interface NotifierParts {
  readonly state: StateStore;
  readonly lease: Lease;
  readonly collector: Pick<Collector, 'look'>;
  /**
   * those who send: each look starts what is due, and gives false if nothing is. Without senders, `collector` looks at
   * more than the state.
   */
  readonly senders: readonly { readonly look: () => Promise<boolean>; readonly close: () => Promise<void> }[];
  /** epoch milliseconds */
  readonly now: () => number;
  /** monotonic, milliseconds */
  readonly monotonicMs: () => number;
  readonly onError: (error: unknown) => void;
  /** between two looks; default 1 s */
  readonly everyMs?: number;
}

export interface Notifier {
  /** One look, if this process holds the lease. False: something could not be read. */
  readonly look: () => Promise<boolean>;
  readonly start: () => void;
  /** Ends the attempts that are under way; what they were to send stays due. */
  readonly stop: () => Promise<void>;
}

const holdEveryMs = 10_000;
/** A state that is away is asked less often. */
const afterFailure = 10;
const pruneEveryMs = 300_000;
/** While the state has not changed, and nothing was due: what becomes due is found so late. */
const idleEveryMs = 5000;

export function createNotifier(parts: NotifierParts): Notifier {
  const { lease, senders, onError, everyMs = 1000 } = parts;
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> = Promise.resolve();
  let stopped = false;
  const look = createLook(parts);
  const failed = (error: unknown): boolean => {
    onError(error);
    return false;
  };
  const later = (afterMs: number): void => {
    if (stopped) return;
    timer = setTimeout(() => {
      looking = look()
        .catch(failed)
        .then((isRead) => later(isRead ? everyMs : everyMs * afterFailure));
    }, afterMs);
    timer.unref();
  };
  return {
    look,
    start: () => later(everyMs),
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      await looking;
      await Promise.all(senders.map((sender) => sender.close()));
      await lease.release().catch(onError);
    },
  };
}

/** One look. The lease is renewed, and deliveries are pruned, only every so often. */
function createLook({ state, lease, collector, senders, now, monotonicMs }: NotifierParts): Notifier['look'] {
  let heldAtMs = Number.NEGATIVE_INFINITY;
  let leads = false;
  let prunedAtMs = monotonicMs();
  let idle = { generation: Number.NaN, sinceMs: 0 };
  return async () => {
    if (monotonicMs() - heldAtMs >= holdEveryMs) {
      leads = await lease.hold();
      heldAtMs = monotonicMs();
    }
    if (!leads) return true;
    // read before the rows, so that a later commit leads to the next look
    const generation = state.generation();
    if (generation === idle.generation && monotonicMs() - idle.sinceMs < idleEveryMs) return true;
    const isRead = await collector.look();
    let isIdle = isRead && senders.length > 0;
    for (const sender of senders) if (await sender.look()) isIdle = false;
    idle = { generation: isIdle ? generation : Number.NaN, sinceMs: monotonicMs() };
    if (senders.length === 0 || monotonicMs() - prunedAtMs < pruneEveryMs) return isRead;
    prunedAtMs = monotonicMs();
    await pruneDeliveries(state, now());
    return isRead;
  };
}
