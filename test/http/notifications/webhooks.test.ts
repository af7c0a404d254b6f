// Tests webhooks out with the compiled service: events of real builds reach a receiver, signed as Standard Webhooks
// say. The npm package standardwebhooks verifies `v1`; node:crypto verifies `v1a` by the rules of the specification.

import { createPublicKey, verify } from 'node:crypto';
import { rmSync } from 'node:fs';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startManagedRegistry, type ManagedRegistry } from '../../util/managed-registry.ts';
import { libraryTree, writeTree } from '../../util/package-tree.ts';
import { itInSeries } from '../../util/series.ts';
import { temporaryFolder, type TemporaryFolder } from '../../util/temporary-folder.ts';
import { answering, startReceiver, type ReceivedRequest, type WebhookReceiver } from '../../util/webhook-receiver.ts';

type Json = Record<string, unknown>;

const eventually = <Value>(check: () => Value | Promise<Value>): Promise<Value> =>
  vi.waitFor(check, { timeout: 60_000, interval: 50 });

let roots: TemporaryFolder;
let registry: ManagedRegistry;
let receiver: WebhookReceiver;

beforeAll(async () => {
  roots = temporaryFolder('notified-roots');
  registry = await startManagedRegistry({
    egress: { allow: ['127.0.0.0/8'] },
    publicUrl: 'https://packages.test',
    sourceRoots: [roots.path],
  });
  receiver = await startReceiver();
  await publish('acme/core', '1.0.0');
});
afterAll(async () => {
  await registry[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
  await roots.remove();
});

async function publish(name: string, version: string, more: Json = {}): Promise<void> {
  writeTree(registry.folder.at('src', name), libraryTree(name, { version, ...more }));
  const { exitCode, stderr } = await registry.cli('build', `src/${name}`);
  if (exitCode !== 0) throw new Error(stderr);
}

async function make(draft: Json): Promise<{ id: string; secret: string; json: Json }> {
  const { status, json } = await registry.api('POST', '/api/notifications', draft);
  expect(status, JSON.stringify(json)).toBe(201);
  return { id: String(json['id']), secret: String(json['secret']), json };
}

const to = (path: string): readonly ReceivedRequest[] => receiver.requests.filter((one) => one.path === path);
const bodyOf = (request: ReceivedRequest | undefined): { type: string; timestamp: string; data: Json } =>
  JSON.parse(request?.body ?? '{}') as { type: string; timestamp: string; data: Json };
const received = (path: string, count = 1): Promise<readonly ReceivedRequest[]> =>
  eventually(() => {
    expect(to(path).length, registry.output()).toBeGreaterThanOrEqual(count);
    return to(path);
  });
const deliveriesOf = async (id: string): Promise<Json[]> =>
  (await registry.api('GET', `/api/notifications/${id}/deliveries?limit=50`)).json['data'] as Json[];

describe('a webhook', () => {
  itInSeries('is notified once of a release that the policy holds, over a kill', async () => {
    const rules = [{ rule: 'capability', name: 'new', action: 'block' }];
    expect((await registry.api('PUT', '/api/policy', { rules })).status).toBe(200);
    const { id } = await make({ url: `${receiver.url}/held`, events: ['review.waiting'] });
    const all = await make({ url: `${receiver.url}/offered`, packages: ['acme/kept'] });
    const upload = async (version: string, more: Json = {}): Promise<void> => {
      writeTree(registry.folder.at('kept'), libraryTree('acme/kept', more));
      const { exitCode, stderr } = await registry.cli('publish', 'kept', '--version', version);
      if (exitCode !== 0) throw new Error(stderr);
    };
    await upload('1.0.0');
    await upload('1.0.1', { bin: ['bin/run'] });
    const [request] = await received('/held');
    expect(bodyOf(request)).toMatchObject({
      type: 'review.waiting',
      data: { package: 'acme/kept', version: '1.0.1', origin: 'private', rule: 'new' },
    });
    expect(bodyOf(request).data['reason']).toBe(
      'it adds the command bin/run, unlike 1.0.0; held until somebody approves it',
    );
    await registry.stop('SIGKILL');
    await registry.start();
    await upload('1.0.2', { bin: ['bin/run'] });
    // a kill may repeat a delivery, with the same id
    await eventually(() => expect(to('/held').map((one) => bodyOf(one).data['version'])).toContain('1.0.2'));
    expect(new Set(to('/held').map(({ headers }) => headers['webhook-id'])).size).toBe(2);
    // nobody is told that a held release was published
    await upload('1.0.3');
    await eventually(() => expect(to('/offered').map((one) => bodyOf(one).data['version'])).toContain('1.0.3'));
    const told = to('/offered').map((one) => bodyOf(one));
    expect([
      ...new Set(told.filter(({ type }) => type === 'package.version.published').map(({ data }) => data['version'])),
    ]).toEqual(['1.0.0', '1.0.3']);
    await registry.api('DELETE', `/api/notifications/${all.id}`);
    await registry.api('DELETE', `/api/notifications/${id}`);
    await registry.api('PUT', '/api/policy', { rules: [] });
  });

  it('is notified of a published and a withdrawn version, signed with v1', async () => {
    const { id, secret } = await make({ url: `${receiver.url}/v1`, packages: ['acme/*'] });
    await publish('acme/core', '1.1.0');
    const all = await received('/v1', 2);
    const request = all.find(({ body }) => body.includes('1.1.0'));
    expect(new Webhook(secret).verify(request!.body, { ...request!.headers })).toEqual(bodyOf(request));
    expect(bodyOf(request)).toMatchObject({
      type: 'package.version.published',
      data: {
        package: 'acme/core',
        version: '1.1.0',
        stability: 'stable',
        change: 'added',
        url: 'https://packages.test/ui/packages/acme/core',
      },
    });
    expect(request!.headers['webhook-id']).toMatch(/^evt_[0-9A-Za-z]{22}$/);
    expect(bodyOf(all.find(({ body }) => body.includes('withdrawn')))).toMatchObject({
      type: 'package.version.withdrawn',
      data: { package: 'acme/core', version: '1.0.0' },
    });
    const shown = await eventually(async () => {
      const { json } = await registry.api('GET', `/api/notifications/${id}`);
      expect(json).toMatchObject({ enabled: true, failures: 0, waiting: 0, last_error: null });
      return json;
    });
    expect(JSON.stringify(shown)).not.toContain(secret);
    await registry.api('DELETE', `/api/notifications/${id}`);
  });

  it('is signed with v1a, whose public key everybody may know', async () => {
    const { id, secret } = await make({ url: `${receiver.url}/v1a`, signature: 'v1a' });
    expect(secret).toMatch(/^whpk_/);
    expect((await registry.api('POST', `/api/notifications/${id}/test`)).json).toMatchObject({ state: 'delivered' });
    const [request] = to('/v1a');
    const { 'webhook-id': webhookId, 'webhook-timestamp': time, 'webhook-signature': signatures } = request!.headers;
    const key = createPublicKey({
      key: Buffer.concat([
        Buffer.from('302a300506032b6570032100', 'hex'),
        Buffer.from(secret.slice('whpk_'.length), 'base64'),
      ]),
      format: 'der',
      type: 'spki',
    });
    const signature = Buffer.from(signatures!.replace(/^v1a,/, ''), 'base64');
    expect(verify(null, Buffer.from(`${webhookId}.${time}.${request!.body}`), key, signature)).toBe(true);
    expect(verify(null, Buffer.from(`${webhookId}.${time}.${request!.body} `), key, signature)).toBe(false);
    await registry.api('DELETE', `/api/notifications/${id}`);
  });

  it('is signed with both secrets while a receiver changes to the new one', async () => {
    const { id, secret: old } = await make({ url: `${receiver.url}/rotated` });
    const { json } = await registry.api('POST', `/api/notifications/${id}/secret`);
    const fresh = String(json['secret']);
    expect(json['secrets']).toHaveLength(2);
    await registry.api('POST', `/api/notifications/${id}/test`);
    const [request] = to('/rotated');
    for (const secret of [old, fresh]) new Webhook(secret).verify(request!.body, { ...request!.headers });
    await registry.api('POST', `/api/notifications/${id}/secret`, { drop_old: true });
    await registry.api('POST', `/api/notifications/${id}/test`);
    for (const secret of [old, fresh])
      expect(() => new Webhook(secret).verify(to('/rotated')[1]!.body, { ...to('/rotated')[1]!.headers })).toThrow();
    await registry.api('DELETE', `/api/notifications/${id}`);
  });

  itInSeries('is tried again with the same id and a new time, and shows why it failed', async () => {
    receiver.answer(answering(500, {}, 'the database is away'));
    const { id, secret } = await make({ url: `${receiver.url}/retried` });
    await publish('acme/retried', '1.0.0');
    await received('/retried');
    receiver.answer(answering(204));
    const [first, second] = await received('/retried', 2);
    expect(second!.headers['webhook-id']).toBe(first!.headers['webhook-id']);
    expect(Number(second!.headers['webhook-timestamp'])).toBeGreaterThan(Number(first!.headers['webhook-timestamp']));
    new Webhook(secret).verify(second!.body, { ...second!.headers });
    await eventually(async () => {
      const [delivery] = await deliveriesOf(id);
      expect(delivery).toMatchObject({
        state: 'delivered',
        attempts: [{ status: 500, error: expect.stringContaining('the database is away') as string }, { status: 204 }],
      });
    });
    await registry.api('DELETE', `/api/notifications/${id}`);
  });

  it('ends with 410, and begins again when a person enables it', async () => {
    receiver.answer(answering(410));
    const { id } = await make({ url: `${receiver.url}/gone` });
    await publish('acme/gone', '1.0.0');
    await eventually(async () =>
      expect((await registry.api('GET', `/api/notifications/${id}`)).json).toMatchObject({
        enabled: false,
        disabled_reason: 'gone',
      }),
    );
    receiver.answer(answering(204));
    await registry.api('PATCH', `/api/notifications/${id}`, { enabled: true });
    const [failed] = await deliveriesOf(id);
    await registry.api('POST', `/api/notifications/${id}/replay`, { event: failed!['id'] });
    await eventually(() =>
      expect(to('/gone').filter(({ headers }) => headers['webhook-id'] === failed!['id'])).toHaveLength(2),
    );
    await registry.api('DELETE', `/api/notifications/${id}`);
  });

  it('follows no redirect, and reads no endless answer', async () => {
    receiver.answer(answering(302, { location: `${receiver.url}/elsewhere` }));
    const { id } = await make({ url: `${receiver.url}/redirects` });
    const { json } = await registry.api('POST', `/api/notifications/${id}/test`);
    expect(json).toMatchObject({ state: 'failed', attempts: [{ status: 302 }] });
    expect(to('/elsewhere')).toEqual([]);
    receiver.answer((response) => {
      response.writeHead(500);
      const more = (): void => void (response.writable && response.write('x'.repeat(65_536), more));
      more();
    });
    const endless = (await registry.api('POST', `/api/notifications/${id}/test`)).json;
    expect(endless).toMatchObject({ state: 'failed', attempts: [{ status: 500 }] });
    expect(JSON.stringify(endless).length).toBeLessThan(2000);
    receiver.answer(answering(204));
    await registry.api('DELETE', `/api/notifications/${id}`);
  });

  it('with the view of a token is notified of nothing that the token does not see', async () => {
    const token = (
      await registry.api('POST', '/api/tokens', {
        kind: 'read',
        description: 'customer',
        packages: ['acme/open'],
        stability: 'stable',
      })
    ).json;
    const view = String(token['id']);
    const { id } = await make({ url: `${receiver.url}/view`, view });
    const wrong = await registry.api('POST', '/api/notifications', {
      url: `${receiver.url}/view`,
      view,
      events: ['audit.event', 'repository.sync.failed'],
    });
    expect(wrong).toMatchObject({ status: 400, json: { code: 'INVALID_INPUT' } });
    await make({ url: `${receiver.url}/abandoned`, view, events: ['package.abandoned'] });
    await publish('acme/hidden', '1.0.0');
    await publish('acme/open', '2.0.0-beta1');
    await publish('acme/open', '1.0.0');
    const [request] = await received('/view');
    expect(bodyOf(request)).toMatchObject({ data: { package: 'acme/open', version: '1.0.0' } });
    expect(
      to('/view')
        .map(({ body }) => body)
        .join(' '),
    ).not.toMatch(/hidden|beta/);
    // only a version that the token does not see says so
    await publish('acme/open', '1.1.0-beta1', { abandoned: 'acme/hidden' });
    await publish('acme/open', '1.0.1', { abandoned: 'acme/other' });
    const [abandoned] = await received('/abandoned');
    // a receiver that answers late gets a delivery again, with the same id
    expect(new Set(to('/abandoned').map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(bodyOf(abandoned)).toMatchObject({ data: { package: 'acme/open', replacement: 'acme/other' } });
    await registry.api('DELETE', `/api/tokens/${view}`);
    await eventually(async () =>
      expect((await registry.api('GET', `/api/notifications/${id}`)).json).toMatchObject({
        disabled_reason: 'token ended',
      }),
    );
    await registry.api('DELETE', `/api/notifications/${id}`);
  });

  itInSeries('is notified of a failed sync once, and of its recovery', async () => {
    const { id } = await make({
      url: `${receiver.url}/syncs`,
      events: ['repository.sync.failed', 'repository.sync.recovered'],
    });
    writeTree(roots.at('r', 'tool'), libraryTree('acme/tool', { version: '1.0.0' }));
    const body = { type: 'directory', url: roots.at('r') };
    const repository = await registry.api('POST', '/api/repositories', body);
    const sync = (): Promise<unknown> =>
      registry.api('POST', `/api/repositories/${String(repository.json['id'])}/sync`);
    expect(repository.status, JSON.stringify(repository.json)).toBe(201);
    rmSync(roots.at('r'), { recursive: true });
    await sync();
    const [failed] = await received('/syncs');
    expect(bodyOf(failed)).toMatchObject({
      type: 'repository.sync.failed',
      data: { repository_id: repository.json['id'], repository_url: roots.at('r') },
    });
    await sync();
    writeTree(roots.at('r', 'tool'), libraryTree('acme/tool', { version: '1.0.0' }));
    await sync();
    const all = await received('/syncs', 2);
    expect(all.map((one) => bodyOf(one).type)).toEqual(['repository.sync.failed', 'repository.sync.recovered']);
    await registry.api('DELETE', `/api/notifications/${id}`);
  });
});

it('chat services get a message in their form, without a signature and with no secret in what people see', async () => {
  const forms = {
    slack: /"type":"mrkdwn"/,
    teams: /AdaptiveCard/,
    mattermost: /"username":"Libretto"/,
    discord: /"allowed_mentions":\{"parse":\[\]\}/,
    'google-chat': /cardsV2/,
  };
  const made = await Promise.all(
    Object.keys(forms).map((form) => make({ url: `${receiver.url}/${form}/T0PSECRET?token=T0PSECRET`, form })),
  );
  for (const { json } of made) expect(json).toMatchObject({ signature: null, secret: null, url: `${receiver.url}/…` });
  receiver.answer((response, { path }) => answering(404, {}, `no hook at ${path}`)(response, receiver.requests[0]!));
  for (const { id } of made)
    expect(JSON.stringify(await registry.api('POST', `/api/notifications/${id}/test`))).not.toContain('T0PSECRET');
  receiver.answer(answering(204));
  receiver.forget();
  await publish('acme/chat', '1.0.0');
  for (const [form, pattern] of Object.entries(forms)) {
    const [request] = await received(`/${form}/T0PSECRET?token=T0PSECRET`);
    expect(request!.body).toMatch(pattern);
    expect(request!.body).toContain('was published');
    expect(request!.headers).not.toHaveProperty('webhook-signature');
  }
  for (const { id } of made) {
    expect(JSON.stringify(await deliveriesOf(id))).not.toContain('T0PSECRET');
    await registry.api('DELETE', `/api/notifications/${id}`);
  }
});
