// Notification endpoints with deliveries of every state, for the registry of test/util/filled-registry.ts.

import { setTimeout as sleep } from 'node:timers/promises';
import type { ManagedRegistry } from './managed-registry.ts';
import { answering, type WebhookReceiver } from './webhook-receiver.ts';

type Json = Record<string, unknown>;

export interface FilledNotifications {
  /** with deliveries, some of them failed */
  readonly endpoint: string;
  /** the id of a delivered event */
  readonly event: string;
}

/** Makes the endpoints. The result waits until events have arrived at them. */
export async function addNotifications(
  registry: ManagedRegistry,
  receiver: WebhookReceiver,
): Promise<() => Promise<FilledNotifications>> {
  const make = async (draft: Json): Promise<string> => {
    const { status, json } = await registry.api('POST', '/api/notifications', draft);
    if (status !== 201) throw new Error(`an endpoint was refused: ${JSON.stringify(json)}`);
    return String(json['id']);
  };
  const asked: string[] = [];
  receiver.answer((response, request) => {
    asked.push(request.path);
    const isDown = request.path.startsWith('/down') || (request.path.startsWith('/releases') && asked.length === 1);
    answering(isDown ? 503 : 204, {}, isDown ? '<b>the database is away</b>' : '')(response, request);
  });
  const endpoint = await make({
    name: 'Releases of the shop, for the program that announces them',
    url: `${receiver.url}/releases/${'very-'.repeat(20)}long?key=1`,
    packages: ['acme/*', 'tools/cli'],
    stability: 'beta',
    signature: 'v1a',
  });
  await registry.api('POST', `/api/notifications/${endpoint}/test`);
  await registry.api('POST', `/api/notifications/${endpoint}/secret`);
  await make({ name: '#php', form: 'slack', url: `${receiver.url}/slack` });
  await make({ name: 'A receiver that is down', url: `${receiver.url}/down` });
  const off = await make({ name: 'The former CI', url: `${receiver.url}/off` });
  await registry.api('PATCH', `/api/notifications/${off}`, { enabled: false });
  return async () => ({ endpoint, event: await firstDelivered(registry, endpoint) });
}

async function firstDelivered(registry: ManagedRegistry, endpoint: string): Promise<string> {
  for (;;) {
    const { json } = await registry.api('GET', `/api/notifications/${endpoint}/deliveries`);
    const found = (json['data'] as readonly Json[]).find(({ state }) => state === 'delivered');
    if (found !== undefined) return String(found['id']);
    await sleep(100);
  }
}
