// Tests the way of a webhook as a user sees it: the API makes its secret, the provider sends it, a sync runs, and the
// API shows the delivery with its sync. All parts are real except the builder's process.

import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../build/contract/json.ts';
import type { Feature } from '../../../proxy/core/protocol/feature.ts';
import { createHookReceiver } from '../../../proxy/hooks/receive/receive-hook.ts';
import { createFailedAuthLimiter } from '../../../proxy/core/limits/failed-auth-limiter.ts';
import { recordedPayloads, registeredAddresses } from '../../util/hook-payloads.ts';
import { github, senders, type Sender, type SentHook } from '../../util/hook-senders.ts';
import { runManagement, type RunningManagement } from '../../util/running-management.ts';

type Json = Record<string, unknown>;

interface Receiving extends AsyncDisposable {
  readonly registry: RunningManagement;
  /** The answer of the API to a maintainer. */
  readonly api: (method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown) => Promise<Json>;
  /** Registers a repository, and gives its id. */
  readonly register: (url: string) => Promise<string>;
  /** Sends a hook, waits for its syncs, and gives the status and the body of the answer. */
  readonly send: (path: string, hook: SentHook) => Promise<readonly [number, Json]>;
}

async function startReceiving(): Promise<Receiving> {
  // the registry makes the inbox that the receiver needs
  const made: { receive?: Feature } = {};
  const registry = await runManagement({
    features: () => [{ kinds: ['hooks'], routeOf: (...asked) => made.receive?.routeOf(...asked) }],
  });
  const { inbox, syncer } = registry.repositories;
  const randomBytes = (size: number): Uint8Array => new Uint8Array(size).fill(7);
  made.receive = createHookReceiver({ inbox, wrongProofs: createFailedAuthLimiter(), randomBytes });
  const { token: as } = await registry.signIn('maintainer');
  const api: Receiving['api'] = async (method, path, body) =>
    (await registry.call(method, path, { as, ...(body === undefined ? {} : { body }) })).json();
  return {
    registry,
    api,
    register: async (url) => String((await api('POST', '/api/repositories', { type: 'git', url }))['id']),
    send: async (path, { headers, body }) => {
      const reply = await registry.proxy.send('POST', path, headers, body);
      await syncer.idle();
      return [reply.status, reply.json()];
    },
    [Symbol.asyncDispose]: async () => {
      await syncer.close();
      await registry[Symbol.asyncDispose]();
    },
  };
}

/** A new delivery: its id is in the payload of Azure DevOps. */
function pushOf({ provider, send }: Sender, secret: unknown): Promise<SentHook> {
  const [{ event, payload }] = recordedPayloads[provider];
  const id = randomUUID();
  const body = JSON.stringify(provider === 'azure' ? { ...payload, id } : payload);
  return send(String(secret), { event, body, atMs: Date.now(), id });
}

const syncsOf = async ({ api }: Receiving, id: string): Promise<readonly Json[]> =>
  (await api('GET', `/api/repositories/${id}/jobs`))['data'] as readonly Json[];

describe('a webhook', () => {
  it('of each provider makes one sync, and the API shows the delivery with it', async () => {
    await using receiving = await startReceiving();
    const { secret: shared } = await receiving.api('POST', '/api/hook');
    for (const sender of senders) {
      const id = await receiving.register(`${registeredAddresses[sender.provider]}`);
      const { secret } = await receiving.api('POST', `/api/repositories/${id}/hook`);
      for (const [path, proof] of [
        [`/hooks/${id}`, secret],
        ['/hooks', shared],
      ] as const) {
        const hook = await pushOf(sender, proof);
        expect([sender.title, path, ...(await receiving.send(path, hook))]).toMatchObject([
          sender.title,
          path,
          202,
          { status: 'accepted', repositories: [id] },
        ]);
      }
      expect(await syncsOf(receiving, id)).toMatchObject([{ trigger: 'hook' }, { trigger: 'hook' }]);
      expect((await receiving.api('GET', `/api/repositories/${id}/hook`))['deliveries']).toMatchObject([
        { provider: sender.provider, hook: 'registry', outcome: 'sync', syncs: [{ state: 'succeeded' }] },
        { provider: sender.provider, hook: 'repository', outcome: 'sync', syncs: [{ state: 'succeeded' }] },
      ]);
      await receiving.api('DELETE', `/api/repositories/${id}?confirm=${id}`);
    }
  });

  it('that arrives twice makes one sync', async () => {
    await using receiving = await startReceiving();
    const id = await receiving.register(registeredAddresses.github);
    const { secret } = await receiving.api('POST', `/api/repositories/${id}/hook`);
    const hook = await pushOf(github, secret);
    const answers = [await receiving.send(`/hooks/${id}`, hook), await receiving.send(`/hooks/${id}`, hook)];
    expect(answers).toMatchObject([
      [202, { status: 'accepted' }],
      [202, { status: 'repeated' }],
    ]);
    expect(await syncsOf(receiving, id)).toHaveLength(1);
  });

  it('is proven by the secret of its own address, and of a hook that still exists', async () => {
    await using receiving = await startReceiving();
    const id = await receiving.register(registeredAddresses.github);
    const path = `/api/repositories/${id}/hook`;
    const { secret: shared } = await receiving.api('POST', '/api/hook');
    const { secret: first } = await receiving.api('POST', path);
    const { secret: second } = await receiving.api('POST', path, {});
    const statuses = async (...secrets: readonly unknown[]): Promise<readonly number[]> => {
      const found: number[] = [];
      for (const one of secrets) found.push((await receiving.send(`/hooks/${id}`, await pushOf(github, one)))[0]);
      return found;
    };
    expect(await statuses(shared, first, second)).toEqual([403, 202, 202]);
    const { secret: third } = await receiving.api('POST', path, { drop_old: true });
    expect(await statuses(first, second, third)).toEqual([403, 403, 202]);
    expect((await receiving.send('/hooks', await pushOf(github, third)))[0]).toBe(403);
    await receiving.api('DELETE', path);
    expect(await statuses(third)).toEqual([403]);
    await receiving.api('DELETE', `/api/repositories/${id}?confirm=${id}`);
    expect(await statuses(third)).toEqual([403]);
  });

  it('is proven by a new secret after the sealing key of the old one was lost', async () => {
    await using receiving = await startReceiving();
    const { state } = receiving.registry;
    const id = await receiving.register(registeredAddresses.github);
    const path = `/api/repositories/${id}/hook`;
    await receiving.api('POST', path);
    const [row] = await state.range(`hook/repository/${id}`);
    const sealed = JSON.stringify(row?.value).replaceAll(/"v1\.[^.]+\./g, '"v1.lost.');
    const key = `hook/repository/${id}`;
    await state.commit({
      conditions: [],
      puts: [{ key, value: JSON.parse(sealed) as Json as JsonObject }],
      deletes: [],
    });
    const { secret } = await receiving.api('POST', path, {});
    expect((await receiving.send(`/hooks/${id}`, await pushOf(github, secret)))[0]).toBe(202);
    expect((await receiving.send(`/hooks/${id}`, await pushOf(github, 'wrong')))[0]).toBe(403);
  });
});
