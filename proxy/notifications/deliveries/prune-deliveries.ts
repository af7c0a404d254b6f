// Removes settled deliveries of endpoints, and rows that a removed endpoint left behind.

import type { StateEntry, StateStore } from '../../core/state/state-store.ts';
import { deliveryFamily, deliveryPrefix, dueFamily, duePrefix, parseDeliveryRecord } from '../model/delivery.ts';
import { endpointKey, parseEndpointId, type EndpointId } from '../model/endpoint.ts';
import { listEndpoints } from '../endpoints/list-endpoints.ts';

/** Settled deliveries of an endpoint that stay listed, and can be sent again. */
const mostSettled = 500;
const longestSettledMs = 30 * 86_400_000;
const rowsAtOnce = 200;

/** For all endpoints. `nowMs`: epoch. */
export async function pruneDeliveries(state: StateStore, nowMs: number): Promise<void> {
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
