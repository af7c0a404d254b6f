// The composition root of notifications: endpoints, their deliveries, the mails about events, and the background work.

import { createAddressPolicy } from '../../build/egress/address-policy.ts';
import { createGuardedAgent, resolveBySystem } from '../../build/egress/guarded-agent.ts';
import type { Sealer } from '../../proxy/keys/sealer.ts';
import { createEndpointViews, type EndpointViews } from '../../proxy/notifications/deliveries/endpoint-views.ts';
import { replayDeliveries, type ReplayRange } from '../../proxy/notifications/deliveries/list-deliveries.ts';
import { testEndpoint } from '../../proxy/notifications/send/test-endpoint.ts';
import type { DeliveryRecord } from '../../proxy/notifications/model/delivery.ts';
import { createEndpoints, type Endpoints } from '../../proxy/notifications/endpoints/endpoints.ts';
import { postEvents } from '../../proxy/notifications/send/post-events.ts';
import type { SenderParts } from '../../proxy/notifications/send/sender.ts';
import type { Catalogue } from '../../proxy/packages/catalogue.ts';
import { createAuditedStore, type Actor } from '../../proxy/state/audit.ts';
import type { StateStore } from '../../proxy/core/state/state-store.ts';
import type { Config } from '../config/config.ts';
import type { Context } from '../io/context.ts';
import { version } from '../io/version.ts';

export interface Notifying {
  readonly endpointsOf: (actor: Actor) => Endpoints;
  /** the number of deliveries that are sent again */
  readonly replayOf: (actor: Actor) => (endpoint: string, range: ReplayRange) => Promise<number>;
  /** Sends a test, and returns how it went. */
  readonly testEndpoint: (id: string) => Promise<DeliveryRecord>;
  readonly views: EndpointViews;
  readonly post: SenderParts['post'];
  readonly close: () => void;
}

export interface NotifyingParts {
  readonly state: StateStore;
  readonly sealer: Sealer;
  readonly catalogue: Pick<Catalogue, 'read'>;
}

const connectTimeoutMs = 10_000;

/** Throws BuildRefused for an invalid range in egress.allow. */
export function composeNotifying(
  config: Config,
  { now: clock, randomBytes }: Pick<Context, 'now' | 'randomBytes'>,
  { state, sealer, catalogue }: NotifyingParts,
): Notifying {
  const now = (): number => clock().getTime();
  const store = createAuditedStore({ store: state, now });
  const policy = createAddressPolicy(config.egressAllow.value);
  const agent = createGuardedAgent(policy, resolveBySystem, { connectTimeoutMs });
  const poster = { sealer, policy, agent, userAgent: `Libretto/${version}`, now };
  const post: SenderParts['post'] = (endpoint, events, signal) => postEvents(poster, endpoint, events, signal);
  return {
    endpointsOf: (actor) => createEndpoints({ store, sealer, policy, now, randomBytes, actor }),
    replayOf: (actor) => (endpoint, range) => replayDeliveries({ store, now, actor }, endpoint, range),
    testEndpoint: (id) =>
      testEndpoint({ state, post: (endpoint, events) => postEvents(poster, endpoint, events), now }, id),
    views: createEndpointViews({ state, catalogue, now }),
    post,
    close: () => agent.destroy(),
  };
}
