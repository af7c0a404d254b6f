// Endpoints and their sender on a state in memory, with a clock that the test moves. The requests are real: they go
// through the guard of all egress to a real socket. A test hands events over, and looks when something is due.

import { randomBytes } from 'node:crypto';
import { createAddressPolicy, type AddressPolicy } from '../../build/egress/address-policy.ts';
import { createGuardedAgent, resolveBySystem, type Resolve } from '../../build/egress/guarded-agent.ts';
import { eventId, type EventType, type RegistryEvent } from '../../proxy/events/registry-event.ts';
import { createKeyRing } from '../../proxy/keys/key-ring.ts';
import { createSealer } from '../../proxy/keys/sealer.ts';
import { createEndpointViews } from '../../proxy/notifications/deliveries/endpoint-views.ts';
import type { Receive } from '../../proxy/notifications/collect/collecting.ts';
import { handOver } from '../../proxy/notifications/deliveries/hand-over.ts';
import { listDeliveries } from '../../proxy/notifications/deliveries/list-deliveries.ts';
import { createEndpoints, type Endpoints, type IssuedEndpoint } from '../../proxy/notifications/endpoints/endpoints.ts';
import type { EndpointDraft } from '../../proxy/notifications/endpoints/parse-endpoint.ts';
import type { DeliveryRecord } from '../../proxy/notifications/model/delivery.ts';
import type { EndpointId } from '../../proxy/notifications/model/endpoint.ts';
import { readStatus, type EndpointStatus } from '../../proxy/notifications/model/endpoint-status.ts';
import { postEvents, type PosterOptions } from '../../proxy/notifications/send/post-events.ts';
import { createSender, type DeliverySender, type SenderParts } from '../../proxy/notifications/send/sender.ts';
import type { Catalogue } from '../../proxy/packages/catalogue.ts';
import { createAuditedStore } from '../../proxy/state/audit.ts';
import { createMemoryStore } from '../../proxy/core/state/memory-store.ts';
import type { StateStore } from '../../proxy/core/state/state-store.ts';
import { temporaryFolder } from './temporary-folder.ts';

export interface SentNotifications extends AsyncDisposable {
  readonly state: StateStore;
  readonly nowMs: () => number;
  readonly pass: (ms: number) => void;
  readonly endpoints: () => Endpoints;
  readonly make: (draft: EndpointDraft) => Promise<IssuedEndpoint>;
  /** The receiver of events that collectors call. */
  readonly receive: Receive;
  /** Hands these events to the endpoints, as a collector does. */
  readonly hand: (...events: readonly RegistryEvent[]) => Promise<void>;
  /** Sends what is due now, and waits for its end. */
  readonly look: () => Promise<void>;
  /** newest first */
  readonly deliveriesOf: (id: EndpointId) => Promise<readonly DeliveryRecord[]>;
  readonly statusOf: (id: EndpointId) => Promise<EndpointStatus>;
  readonly errors: readonly unknown[];
}

export interface SentOptions {
  /** of one request with its answer */
  readonly timeoutMs?: number;
  /** looked at again for each address */
  readonly allow?: readonly string[];
  readonly resolve?: Resolve;
  /** of the views of endpoints; default: no endpoint has one */
  readonly catalogue?: Pick<Catalogue, 'read'>;
  /** 0 ≤ … < 1; default: half, which is no jitter */
  readonly random?: () => number;
}

/** An event about no package: its number makes it another one. */
export function eventAt(atMs: number, number = 0, type: EventType = 'repository.sync.failed'): RegistryEvent {
  return {
    id: eventId('test', type, atMs, number),
    type,
    at: new Date(atMs).toISOString(),
    data: { repository_id: 'repo_0000000000000000', repository_url: `https://git.test/${number}`, error: 'away' },
    subject: null,
  };
}

/** A state that answers in a later turn of the event loop, as Redis does. */
function answeringLater(store: StateStore): StateStore {
  const later = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
  return {
    ...store,
    get: (key) => later().then(() => store.get(key)),
    range: (prefix, options) => later().then(() => store.range(prefix, options)),
    commit: (change) => later().then(() => store.commit(change)),
  };
}

export function sentNotifications(options: SentOptions = {}): SentNotifications {
  let clock = Date.UTC(2026, 10, 27);
  const now = (): number => clock;
  const folder = temporaryFolder('sent');
  const state = answeringLater(createMemoryStore());
  const sealer = createSealer(createKeyRing({ folder: folder.at('keys'), now, randomBytes }), randomBytes);
  const policy: AddressPolicy = (address) => createAddressPolicy(options.allow ?? ['127.0.0.0/8'])(address);
  const views = createEndpointViews({ state, catalogue: options.catalogue ?? noCatalogue, now });
  const endpoints = (): Endpoints => {
    const store = createAuditedStore({ store: state, now });
    return createEndpoints({ store, sealer, policy, now, randomBytes, actor: 'cli:test' });
  };
  const receive: Receive = (events) => handOver(state, views, events, now());
  const errors: unknown[] = [];
  const { sender, close } = senderOf(options, {
    state,
    sealer,
    policy,
    views,
    now,
    onError: (one) => errors.push(one),
  });
  return {
    state,
    nowMs: now,
    pass: (ms) => void (clock += ms),
    endpoints,
    make: (draft) => endpoints().create(draft),
    receive,
    hand: (...events) => handTo(state, receive, events),
    look: () => sender.look().then(sender.idle),
    deliveriesOf: async (id) => (await listDeliveries(state, id, { limit: 1000 })).deliveries,
    statusOf: (id) => readStatus(state, id),
    errors,
    [Symbol.asyncDispose]: async () => {
      await close();
      await folder.remove();
    },
  };
}

async function handTo(state: StateStore, receive: Receive, events: readonly RegistryEvent[]): Promise<void> {
  const { conditions, puts } = await receive(events);
  await state.commit({ conditions, puts, deletes: [] });
}

const noCatalogue = { read: () => Promise.reject(new Error('no endpoint has a view here')) };

interface Parts
  extends Pick<SenderParts, 'state' | 'views' | 'now' | 'onError'>, Pick<PosterOptions, 'sealer' | 'policy'> {}

function senderOf(
  { timeoutMs = 15_000, resolve = resolveBySystem, random = () => 0.5 }: SentOptions,
  parts: Parts,
): { readonly sender: DeliverySender; readonly close: () => Promise<void> } {
  const agent = createGuardedAgent(parts.policy, resolve, { connectTimeoutMs: 5000 });
  const poster = { ...parts, agent, userAgent: 'Libretto/test', timeoutMs };
  const sender = createSender({
    ...parts,
    random,
    post: (endpoint, events, signal) => postEvents(poster, endpoint, events, signal),
  });
  return {
    sender,
    close: async () => {
      await sender.close();
      agent.destroy();
    },
  };
}
