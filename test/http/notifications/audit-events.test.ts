// Tests the events of the audit log for an endpoint that asks for them (row 96): each from its creation on, none older,
// in the order of their numbers, and never with a secret.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { collectAudit } from '../../../proxy/notifications/collect/collector.ts';
import { createAuditedStore, type AuditedStore } from '../../../proxy/state/audit.ts';
import { eventually } from '../../util/eventually.ts';
import { startManagedRegistry } from '../../util/managed-registry.ts';
import { sentNotifications, type SentNotifications } from '../../util/sent-notifications.ts';
import { answering, startReceiver, type WebhookReceiver } from '../../util/webhook-receiver.ts';

interface AuditLine {
  readonly seq: number;
  readonly time: string;
  readonly action: string;
}

let receiver: WebhookReceiver;
beforeEach(async () => void (receiver = await startReceiver()));
afterEach(() => receiver[Symbol.asyncDispose]());

const received = (path = '/audit'): readonly AuditLine[] =>
  receiver.requests
    .filter((one) => one.path === path)
    .map(({ body }) => (JSON.parse(body) as { data: { event: AuditLine } }).data.event);

it('each event from the creation of the endpoint on arrives once, in order, and holds no secret', async () => {
  await using registry = await startManagedRegistry({ egress: { allow: ['127.0.0.0/8'] } });
  for (const at of [1, 2, 3]) await registry.api('POST', '/api/tokens', { kind: 'read', description: `before ${at}` });
  const { json } = await registry.api('POST', '/api/notifications', {
    url: `${receiver.url}/audit?key=T0PSECRET`,
    events: ['audit.event'],
  });
  const secrets = [String(json['secret']), 'T0PSECRET'];
  const made = await Promise.all(
    Array.from({ length: 60 }, (_, at) =>
      registry.api('POST', '/api/tokens', { kind: 'read', description: `token ${at}` }),
    ),
  );
  secrets.push(...made.map((reply) => String(reply.json['token'])));
  const password = 'another horse battery staple';
  await registry.api('POST', '/api/auth/password', { current_password: 'wrong horse battery', new_password: password });
  await registry.api('POST', '/api/users', { email: 'eve@example.org', role: 'viewer' });
  const log = async (): Promise<AuditLine[]> =>
    ((await registry.api('GET', '/api/audit?limit=100')).json['data'] as AuditLine[]).toReversed();
  await eventually(() => received('/audit?key=T0PSECRET').some(({ action }) => action === 'user.create'));
  const wanted = await log();
  const from = wanted.findIndex(({ action }) => action === 'notification.create');
  expect(from).toBeGreaterThan(0);
  const got = received('/audit?key=T0PSECRET').map(({ seq }) => seq);
  expect(got).toEqual(wanted.slice(from, from + got.length).map(({ seq }) => seq));
  expect(got.length).toBeGreaterThanOrEqual(62);
  const bodies = receiver.requests.map(({ body }) => body).join('\n');
  for (const secret of [...secrets, password]) expect(bodies).not.toContain(secret);
});

describe('a receiver that fails', () => {
  let sent: SentNotifications;
  let store: AuditedStore;
  beforeEach(() => {
    sent = sentNotifications();
    store = createAuditedStore({ store: sent.state, now: sent.nowMs });
  });
  afterEach(() => sent[Symbol.asyncDispose]());

  const log = async (action: string): Promise<void> => {
    const change = { conditions: [], puts: [{ key: `setting/${action}`, value: 1 }], deletes: [] };
    await store.commit(change, { actor: 'cli:test', action, subject: 'x', details: {} });
  };
  const collect = async (): Promise<void> => {
    await collectAudit({ state: sent.state, now: sent.nowMs, receive: sent.receive });
  };

  it('gets every event when it works again, and none is left out', async () => {
    await log('old.event');
    sent.pass(5);
    await sent.make({ url: `${receiver.url}/audit`, events: ['audit.event'] });
    for (let at = 0; at < 10; at += 1) await log(`event.${at}`);
    await collect();
    let turn = 0;
    receiver.answer((response) => void response.writeHead((turn += 1) % 3 === 2 ? 500 : 204).end());
    for (let look = 0; look < 40; look += 1) {
      if (look === 5) {
        await log('event.late');
        await collect();
      }
      await sent.look();
      sent.pass(60_000);
    }
    const taken = received().filter(({ seq }, at, all) => all.findIndex((one) => one.seq === seq) === at);
    const actions = ['notification.create', ...Array.from({ length: 10 }, (_, at) => `event.${at}`), 'event.late'];
    expect(taken.toSorted((one, other) => one.seq - other.seq).map(({ action }) => action)).toEqual(actions);
    receiver.answer(answering(204));
  });
});
