// Hands events to the endpoints that are subscribed to them: the rows of one delivery for each. The caller stores them
// in the commit that moves the cursor of the events on.

import type { RegistryEvent } from '../../events/registry-event.ts';
import type { StateStore } from '../../core/state/state-store.ts';
import { endpointPrefix, parseEndpointRecord, type EndpointRecord } from '../model/endpoint.ts';
import { isSeen, isSelected } from '../model/event-filter.ts';
import { waitingRows, type DeliveryRecord } from '../model/delivery.ts';
import type { EndpointViews } from './endpoint-views.ts';

export interface HandedOver {
  /** the endpoints are still there, as they were */
  readonly conditions: readonly { readonly key: string; readonly revision: number }[];
  readonly puts: ReturnType<typeof waitingRows>['puts'];
}

/** Endpoints that are disabled, and events from before an endpoint was made, give no rows. */
export async function handOver(
  state: Pick<StateStore, 'get' | 'range'>,
  views: EndpointViews,
  events: readonly RegistryEvent[],
  nowMs: number,
): Promise<HandedOver> {
  const conditions: HandedOver['conditions'][number][] = [];
  const puts: HandedOver['puts'][number][] = [];
  const entries = events.length === 0 ? [] : await state.range(endpointPrefix);
  for (const { key, value, revision } of entries) {
    const endpoint = parseEndpointRecord(value);
    const before = puts.length;
    for (const event of events)
      if (await isHeard(views, endpoint, event))
        puts.push(...waitingRows(deliveryOf(endpoint, await shownTo(views, endpoint, event), nowMs)).puts);
    if (puts.length > before) conditions.push({ key, revision });
  }
  return { conditions, puts };
}

async function isHeard(views: EndpointViews, endpoint: EndpointRecord, event: RegistryEvent): Promise<boolean> {
  if (endpoint.disabled !== null || event.at < endpoint.created_at || !isSelected(endpoint, event)) return false;
  const view = await views.viewOf(endpoint);
  if (view === 'all') return true;
  return view !== 'ended' && isSeen(event, view, (name) => views.seePackage(view, name));
}

/**
 * What an endpoint with a view gets (I23): no serial of a publication, which would count the others, and no hidden
 * package as the replacement of an abandoned one.
 */
async function shownTo(views: EndpointViews, endpoint: EndpointRecord, event: RegistryEvent): Promise<RegistryEvent> {
  if (endpoint.view === null) return event;
  const less = {
    ...(event.data['publication'] === undefined ? {} : { publication: null }),
    ...(event.type === 'package.abandoned' ? { replacement: await shownReplacement(views, endpoint, event) } : {}),
  };
  return { ...event, data: { ...event.data, ...less } };
}

/** As the newest version says that the view sees: another may name another package. */
async function shownReplacement(
  views: EndpointViews,
  endpoint: EndpointRecord,
  { subject, data }: RegistryEvent,
): Promise<string | null> {
  const view = await views.viewOf(endpoint);
  if (view === 'all') return typeof data['replacement'] === 'string' ? data['replacement'] : null;
  if (view === 'ended' || subject === null) return null;
  const abandoned = (await views.seePackage(view, subject.name))?.abandoned;
  return typeof abandoned === 'string' && !(await views.hidesPackage(view, abandoned)) ? abandoned : null;
}

/** The first attempt is at once. */
export function deliveryOf(
  { id }: Pick<EndpointRecord, 'id'>,
  event: RegistryEvent,
  nowMs: number,
): DeliveryRecord & { readonly next_at: string } {
  const at = new Date(nowMs).toISOString();
  return { endpoint: id, event, state: 'pending', failures: 0, attempts: [], next_at: at, created_at: at };
}
