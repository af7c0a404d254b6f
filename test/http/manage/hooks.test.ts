// Tests webhooks over the API and row 91: the secret that is shown once, the syncs that deliveries ask for, their list,
// replay and removal. Deliveries come through the inbox, as the receiver hands them over.

import { describe, expect, it } from 'vitest';
import type { ReceivedDelivery } from '../../../proxy/hooks/inbox.ts';
import type { RepositoryId } from '../../../proxy/sync/repository.ts';
import { runManagement, type RunningManagement } from '../../util/running-management.ts';

type Json = Record<string, unknown>;

interface Rig extends AsyncDisposable {
  readonly registry: RunningManagement;
  readonly as: string;
  /** https://<host>/acme/<name>.git */
  readonly register: (name: string, host?: string) => Promise<RepositoryId>;
  readonly call: (
    method: 'GET' | 'POST' | 'DELETE' | 'PATCH',
    path: string,
    body?: unknown,
  ) => Promise<{ status: number; json: Json }>;
  /** A push to the address of this repository. */
  readonly push: (id: RepositoryId, delivery: string, more?: Partial<ReceivedDelivery>) => Promise<string>;
  /** the ids of the repositories that were synced, in the order of their builds */
  readonly synced: () => readonly (string | undefined)[];
  readonly idle: () => Promise<void>;
}

async function startRig(now?: () => number): Promise<Rig> {
  const registry = await runManagement(now === undefined ? {} : { now });
  const { token: as } = await registry.signIn('maintainer');
  const { inbox, builder, syncer } = registry.repositories;
  const call: Rig['call'] = async (method, path, body) => {
    const reply = await registry.call(method, path, { as, ...(body === undefined ? {} : { body }) });
    return { status: reply.status, json: reply.json() };
  };
  return {
    registry,
    as,
    call,
    register: async (name, host = 'git.example.org') =>
      (await call('POST', '/api/repositories', { type: 'git', url: `https://${host}/acme/${name}.git` })).json[
        'id'
      ] as RepositoryId,
    push: (id, delivery, more = {}) =>
      inbox.receive({
        hook: { of: 'repository', id },
        provider: 'github',
        id: delivery,
        event: 'push',
        concerns: [id],
        outcome: 'sync',
        ...more,
      }),
    synced: () => builder.calls.map(([, , id]) => id),
    idle: () => syncer.idle(),
    [Symbol.asyncDispose]: async () => {
      await syncer.close();
      await registry[Symbol.asyncDispose]();
    },
  };
}

describe('the webhook of a repository', () => {
  it('is made with a secret that no later answer shows, and is rotated and removed', async () => {
    await using rig = await startRig();
    const id = await rig.register('tool');
    const path = `/api/repositories/${id}/hook`;
    expect((await rig.call('GET', path)).json).toEqual({
      url: null,
      path: `/hooks/${id}`,
      secrets: [],
      created_at: null,
      created_by: null,
      refused: null,
      deliveries: [],
    });
    const made = await rig.call('POST', path);
    expect([made.status, made.json['secret']]).toEqual([201, expect.stringMatching(/^whsec_[0-9A-Za-z+/]{43}=$/)]);
    const shown = (await rig.call('GET', path)).json;
    expect(shown).toEqual({ ...made.json, secret: undefined });
    const second = (await rig.call('POST', path, {})).json;
    expect(second['secrets']).toMatchObject([{ ends_at: null }, { ends_at: expect.any(String) as string }]);
    const third = (await rig.call('POST', path, { drop_old: true })).json;
    expect(third['secrets']).toHaveLength(1);
    const valid = await rig.registry.repositories.inbox.secretsOf({ of: 'repository', id });
    expect(valid.map((secret) => secret.reveal())).toEqual([third['secret']]);
    expect((await rig.call('DELETE', path)).json['secrets']).toEqual([]);
    expect((await rig.call('DELETE', path)).status).toBe(200);
  });

  it('is unknown for an unknown repository, and goes with its repository', async () => {
    await using rig = await startRig();
    expect((await rig.call('POST', '/api/repositories/repo_0000000000000000/hook')).status).toBe(404);
    const id = await rig.register('tool');
    await rig.call('POST', `/api/repositories/${id}/hook`);
    await rig.push(id, 'one');
    await rig.idle();
    const { release } = rig.registry.repositories.builder.hold();
    await rig.push(id, 'two');
    await rig.push(id, 'three');
    expect((await rig.call('DELETE', `/api/repositories/${id}?confirm=${id}`)).status).toBe(200);
    release();
    await rig.idle();
    for (const family of ['hook/', 'hook-delivery/', 'hook-pending/', 'job/'])
      expect(await rig.registry.state.range(family)).toEqual([]);
    expect(await rig.push(id, 'four')).toBe('accepted');
    await rig.idle();
    expect(await rig.registry.state.range('hook-pending/')).toEqual([]);
  });

  it('its secrets are sealed in the state', async () => {
    await using rig = await startRig();
    const id = await rig.register('tool');
    const { secret } = (await rig.call('POST', `/api/repositories/${id}/hook`)).json;
    expect(JSON.stringify(await rig.registry.state.range(''))).not.toContain(secret);
  });
});

describe('a delivery', () => {
  it('starts one sync, which its list shows with the result', async () => {
    await using rig = await startRig();
    const id = await rig.register('tool');
    expect(await rig.push(id, 'guid')).toBe('accepted');
    await rig.idle();
    expect(rig.synced()).toEqual([id]);
    const [job] = (await rig.call('GET', `/api/repositories/${id}/jobs`)).json['data'] as Json[];
    expect(job).toMatchObject({ trigger: 'hook', created_by: 'system:hooks', state: 'succeeded' });
    expect((await rig.call('GET', `/api/repositories/${id}/hook`)).json['deliveries']).toMatchObject([
      {
        provider: 'github',
        provider_id: 'guid',
        event: 'push',
        hook: 'repository',
        outcome: 'sync',
        syncs: [{ repository_id: id, job_id: job?.['id'], state: 'succeeded' }],
      },
    ]);
    expect(await rig.registry.state.range('hook-pending/')).toEqual([]);
  });

  it('that is repeated asks for nothing', async () => {
    await using rig = await startRig();
    const id = await rig.register('tool');
    await rig.push(id, 'guid');
    await rig.idle();
    expect(await rig.push(id, 'guid')).toBe('repeated');
    await rig.idle();
    expect(rig.synced()).toEqual([id]);
  });

  it('during a sync asks for one more, however many arrive', async () => {
    await using rig = await startRig();
    const id = await rig.register('tool');
    const { release } = rig.registry.repositories.builder.hold();
    await rig.push(id, 'first');
    await expect.poll(() => rig.synced()).toEqual([id]);
    for (let count = 0; count < 12; count += 1) await rig.push(id, `later ${count}`);
    const states = async (): Promise<unknown[]> =>
      ((await rig.call('GET', `/api/repositories/${id}/hook`)).json['deliveries'] as { syncs: Json[] }[]).map(
        ({ syncs }) => syncs[0]?.['state'],
      );
    expect(await states()).toEqual([...Array.from({ length: 12 }, () => 'waiting'), 'running']);
    release();
    await rig.idle();
    expect(rig.synced()).toEqual([id, id]);
    expect(new Set(await states())).toEqual(new Set(['succeeded']));
  });

  it('waits while the queue is full, and is not lost', async () => {
    await using rig = await startRig();
    const ids: RepositoryId[] = [];
    for (let count = 0; count < 52; count += 1) ids.push(await rig.register(`tool${count}`));
    const hooked = await rig.register('hooked');
    const { release } = rig.registry.repositories.builder.hold();
    for (const id of ids) await rig.call('POST', `/api/repositories/${id}/sync`);
    expect(await rig.push(hooked, 'one')).toBe('accepted');
    release();
    await rig.idle();
    expect(rig.synced().filter((id) => id === hooked)).toHaveLength(1);
    expect(rig.registry.repositories.errors).toEqual([]);
  });

  it('a burst of hooks over many repositories costs one sync each, and one more for what came meanwhile', async () => {
    await using rig = await startRig();
    const ids = await Promise.all(
      Array.from({ length: 12 }, (_, count) => rig.register(`tool${count}`, `git${count % 5}.example.org`)),
    );
    const { release } = rig.registry.repositories.builder.hold();
    const burst = Array.from({ length: 60 }, (_, count) => rig.push(ids[count % 12]!, `push ${count}`));
    expect(new Set(await Promise.all(burst))).toEqual(new Set(['accepted']));
    await expect.poll(() => rig.synced()).toHaveLength(4);
    const running = new Set(rig.synced());
    release();
    await rig.idle();
    const counts = ids.map((id) => rig.synced().filter((one) => one === id).length);
    expect(counts.every((count, at) => count === 1 || (count === 2 && running.has(ids[at])))).toBe(true);
    expect(await rig.registry.state.range('hook-pending/')).toEqual([]);
  });

  it('whose sync was cut off by the end of the server is synced by the next server', async () => {
    await using rig = await startRig();
    const id = await rig.register('tool');
    const { repositories } = rig.registry;
    repositories.builder.hold();
    await rig.push(id, 'one');
    await expect.poll(() => rig.synced()).toEqual([id]);
    await repositories.syncer.close();
    const [pending] = await rig.registry.state.range('hook-pending/');
    expect(pending?.value).toMatchObject({ repository_id: id });
    const states = ((await rig.call('GET', `/api/repositories/${id}/hook`)).json['deliveries'] as Json[])[0];
    expect(states?.['syncs']).toEqual([{ repository_id: id, job_id: null, state: 'waiting' }]);
  });

  it('whose sync failed is answered by that failure: the next push or the interval tries again', async () => {
    await using rig = await startRig();
    const id = await rig.register('tool');
    rig.registry.repositories.builder.answer(() => ({ exitCode: 1, report: undefined, messages: 'libretto: no host' }));
    await rig.push(id, 'one');
    await rig.idle();
    expect(rig.synced()).toEqual([id]);
    const [delivery] = (await rig.call('GET', `/api/repositories/${id}/hook`)).json['deliveries'] as Json[];
    expect(delivery?.['syncs']).toMatchObject([{ state: 'failed' }]);
  });

  it('that asks for no sync is listed with the reason', async () => {
    await using rig = await startRig();
    const id = await rig.register('tool');
    await rig.push(id, 'ping', { event: 'ping', concerns: [], outcome: 'ping' });
    await rig.idle();
    const [delivery] = (await rig.call('GET', `/api/repositories/${id}/hook`)).json['deliveries'] as Json[];
    expect(delivery).toMatchObject({ outcome: 'ping', syncs: [] });
    expect(rig.synced()).toEqual([]);
    const replay = await rig.call('POST', `/api/repositories/${id}/hook/deliveries/${String(delivery?.['id'])}/replay`);
    expect([replay.status, replay.json['code']]).toEqual([400, 'CONFLICT']);
  });
});

describe('a replay', () => {
  it('starts a new sync, which the delivery shows, and is an event of the audit log', async () => {
    await using rig = await startRig();
    const id = await rig.register('tool');
    await rig.push(id, 'one');
    await rig.idle();
    const read = async (): Promise<Json> =>
      ((await rig.call('GET', `/api/repositories/${id}/hook`)).json['deliveries'] as Json[])[0] ?? {};
    const before = await read();
    const replay = await rig.call('POST', `/api/repositories/${id}/hook/deliveries/${String(before['id'])}/replay`);
    const [job] = replay.json['data'] as Json[];
    expect([replay.status, job]).toMatchObject([200, { trigger: 'request', repository_id: id }]);
    await rig.idle();
    expect(rig.synced()).toEqual([id, id]);
    expect((await read())['syncs']).toEqual([{ repository_id: id, job_id: job?.['id'], state: 'succeeded' }]);
    const events = (await rig.registry.state.range('audit/event/')).map(({ value }) => value as Json);
    expect(events.at(-1)).toMatchObject({
      action: 'repository.sync',
      subject: id,
      details: { job: job?.['id'], delivery: before['id'] },
    });
    const unknown = await rig.call('POST', `/api/repositories/${id}/hook/deliveries/dlv_0000000000000000/replay`);
    expect(unknown.status).toBe(404);
  });
});

describe('a replay beside an active sync', () => {
  it('joins it, and is an event of the audit log', async () => {
    await using rig = await startRig();
    const id = await rig.register('tool');
    const { release } = rig.registry.repositories.builder.hold();
    await rig.push(id, 'one');
    await expect.poll(() => rig.synced()).toEqual([id]);
    const { deliveries } = (await rig.call('GET', `/api/repositories/${id}/hook`)).json;
    const [{ id: delivery } = {}] = deliveries as Json[];
    const replay = await rig.call('POST', `/api/repositories/${id}/hook/deliveries/${String(delivery)}/replay`);
    const [job] = replay.json['data'] as Json[];
    expect([replay.status, job]).toMatchObject([200, { trigger: 'hook', state: 'running' }]);
    const events = (await rig.registry.state.range('audit/event/')).map(({ value }) => value as Json);
    expect(events.at(-1)).toMatchObject({
      action: 'repository.sync',
      subject: id,
      details: { job: job?.['id'], delivery },
    });
    release();
    await rig.idle();
    expect(rig.synced()).toEqual([id]);
  });
});

describe('the webhook for all repositories', () => {
  it('has a secret of its own, and its deliveries appear at each repository that they concern', async () => {
    await using rig = await startRig();
    const [one, other] = [await rig.register('one'), await rig.register('other')];
    const made = await rig.call('POST', '/api/hook');
    expect([made.status, made.json['path']]).toEqual([201, '/hooks']);
    await rig.push(one, 'org', { hook: { of: 'registry' } });
    await rig.idle();
    expect(rig.synced()).toEqual([one]);
    const deliveriesOf = async (path: string): Promise<Json[]> =>
      (await rig.call('GET', path)).json['deliveries'] as Json[];
    const [delivery] = await deliveriesOf('/api/hook');
    expect(await deliveriesOf(`/api/repositories/${one}/hook`)).toEqual([delivery]);
    expect(await deliveriesOf(`/api/repositories/${other}/hook`)).toEqual([]);
    const replay = await rig.call('POST', `/api/hook/deliveries/${String(delivery?.['id'])}/replay`);
    expect(replay.json['data']).toMatchObject([{ repository_id: one }]);
    expect((await rig.call('DELETE', '/api/hook')).json['secrets']).toEqual([]);
  });
});

describe('the number of concurrent syncs', () => {
  it('is a setting, which applies to the next sync', async () => {
    await using rig = await startRig();
    const ids = await Promise.all(
      Array.from({ length: 6 }, (_, count) => rig.register(`tool${count}`, `git${count}.example.org`)),
    );
    const { token: as } = await rig.registry.signIn('admin');
    const set = await rig.registry.call('PATCH', '/api/settings', { as, body: { sync: { parallel: 2 } } });
    expect(set.status).toBe(200);
    const held = rig.registry.repositories.builder.hold();
    for (const id of ids) await rig.push(id, 'one');
    await expect.poll(() => rig.synced()).toHaveLength(2);
    await rig.registry.call('PATCH', '/api/settings', { as, body: { sync: { parallel: 3 } } });
    await rig.push(ids[0]!, 'two');
    await expect.poll(() => rig.synced()).toHaveLength(3);
    held.release();
    await rig.idle();
    expect(new Set(rig.synced())).toEqual(new Set(ids));
  });
});
