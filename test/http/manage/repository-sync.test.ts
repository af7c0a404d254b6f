// Tests syncs over HTTP: the job for each result of the builder, and row 74: simultaneous syncs, the queue, removal
// during a sync, and crashes.

import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../build/contract/json.ts';
import { describeOwner } from '../../../proxy/sync/process-owner.ts';
import { runManagement, type RunningManagement } from '../../util/running-management.ts';
import { unchangedReport } from '../../util/scripted-builder.ts';

type Json = Record<string, unknown>;

interface Rig extends AsyncDisposable {
  readonly registry: RunningManagement;
  readonly as: string;
  readonly register: (name: string, body?: Json) => Promise<string>;
  readonly sync: (id: string) => Promise<Json>;
  readonly get: (path: string) => Promise<Json>;
}

async function startRig(now?: () => number): Promise<Rig> {
  const registry = await runManagement(now === undefined ? {} : { now });
  const { token: as } = await registry.signIn('admin');
  return {
    registry,
    as,
    register: async (name, body = {}) =>
      String(
        (
          await registry.call('POST', '/api/repositories', {
            as,
            body: { type: 'git', url: `https://git.example.org/acme/${name}.git`, ...body },
          })
        ).json()['id'],
      ),
    sync: async (id) => (await registry.call('POST', `/api/repositories/${id}/sync`, { as })).json(),
    get: async (path) => (await registry.call('GET', `/api/repositories/${path}`, { as })).json(),
    [Symbol.asyncDispose]: async () => {
      await registry.repositories.syncer.close();
      await registry[Symbol.asyncDispose]();
    },
  };
}

const changed = {
  ...unchangedReport,
  serial: 4,
  published: true,
  added: [{ name: 'acme/tool', version: '1.0.0', source: 'git:x' }],
  quarantined: [
    {
      name: 'acme/tool',
      version: '2.0.0',
      code: 'INVALID_COMPOSER_JSON',
      message: 'broken',
      where: 'tag 2.0.0',
      source: 'git:x',
    },
  ],
};

describe('a sync', () => {
  it('is a job that lists the published and the excluded versions', async () => {
    await using rig = await startRig();
    const id = await rig.register('tool');
    rig.registry.repositories.builder.answer(() => ({ exitCode: 1, report: changed, messages: 'a word\n' }));
    const begun = await rig.sync(id);
    expect(begun).toMatchObject({
      id: expect.stringMatching(/^job_[0-9A-Za-z]{16}$/) as string,
      repository_id: id,
      trigger: 'request',
      finished_at: null,
    });
    expect(begun).not.toHaveProperty('owner');
    await rig.registry.repositories.syncer.idle();
    expect(rig.registry.repositories.builder.calls).toEqual([
      ['repository', 'sync', id, '--child', '--on-behalf-of', expect.stringMatching(/^user:usr_/)],
    ]);
    const job = await rig.get(`${id}/jobs/${String(begun['id'])}`);
    expect(job).toMatchObject({
      state: 'succeeded',
      error: null,
      report: {
        published: true,
        serial: 4,
        counts: { added: 1, changed: 0, withdrawn: 0, quarantined: 1 },
        added: [{ name: 'acme/tool', version: '1.0.0' }],
        quarantined: [
          { name: 'acme/tool', version: '2.0.0', code: 'INVALID_COMPOSER_JSON', message: 'broken', where: 'tag 2.0.0' },
        ],
      },
    });
    expect(job['log']).toEqual([
      expect.stringMatching(/Queued\.$/),
      expect.stringMatching(/Started\.$/),
      expect.stringMatching(/a word$/),
      expect.stringMatching(/Done: 1 added, 0 changed, 0 withdrawn, 1 left out\.$/),
    ]);
    expect(await rig.get(id)).toMatchObject({
      status: 'active',
      error_message: null,
      last_synced_at: job['finished_at'],
    });
    expect((await rig.get(`${id}/jobs`))['data']).toEqual([job]);
  });

  it.each<[string, { exitCode: number; report: Json | undefined; messages: string }, string, string]>([
    [
      'could not read the repository',
      {
        exitCode: 1,
        report: { ...unchangedReport, failed: [{ source: 'git:x', reason: 'Authentication failed' }] },
        messages: '',
      },
      'BUILD_FAILED',
      'Authentication failed',
    ],
    [
      'was not let out',
      { exitCode: 1, report: { error: 'inside', code: 'EGRESS_DENIED', details: {} }, messages: '' },
      'EGRESS_DENIED',
      'inside',
    ],
    [
      'was refused',
      { exitCode: 2, report: undefined, messages: 'note\nlibretto: The data folder cannot be used.' },
      'BUILD_FAILED',
      'The data folder cannot be used.',
    ],
    ['was killed', { exitCode: -1, report: undefined, messages: '' }, 'BUILD_FAILED', 'gave no reason'],
  ])('that %s is a failed job, and the repository has the reason', async (_, run, code, message) => {
    await using rig = await startRig();
    const id = await rig.register('tool');
    rig.registry.repositories.builder.answer(() => run as never);
    const { id: job } = await rig.sync(id);
    await rig.registry.repositories.syncer.idle();
    const ended = await rig.get(`${id}/jobs/${String(job)}`);
    expect(ended).toMatchObject({
      state: 'failed',
      error: { code, message: expect.stringContaining(message) as string },
    });
    expect(JSON.stringify(ended)).not.toContain('/srv');
    expect(await rig.get(id)).toMatchObject({
      status: 'error',
      error_message: expect.stringContaining(message) as string,
      last_synced_at: null,
    });
  });

  it('that waited too long for another build is a failed job without a fault of the repository', async () => {
    await using rig = await startRig();
    const id = await rig.register('tool');
    await rig.sync(id);
    await rig.registry.repositories.syncer.idle();
    const before = await rig.get(id);
    rig.registry.repositories.builder.answer(() => ({
      exitCode: 75,
      report: undefined,
      messages: 'libretto: /srv/data/build/lock: a build with process id 5 is at work',
    }));
    const { id: job } = await rig.sync(id);
    await rig.registry.repositories.syncer.idle();
    const ended = await rig.get(`${id}/jobs/${String(job)}`);
    expect(ended).toMatchObject({
      state: 'failed',
      error: { code: 'BUILD_BUSY', message: 'a build with process id 5 is at work' },
    });
    expect(JSON.stringify(ended)).not.toContain('/srv');
    expect(before['status']).toBe('active');
    expect(await rig.get(id)).toEqual(before);
  });

  it('row 74: is shared by further requests for the same repository', async () => {
    await using rig = await startRig();
    const id = await rig.register('tool');
    const { release } = rig.registry.repositories.builder.hold();
    const jobs = await Promise.all([rig.sync(id), rig.sync(id), rig.sync(id)]);
    expect(new Set(jobs.map((job) => job['id'])).size).toBe(1);
    expect((await rig.get(id))['status']).toBe('syncing');
    release();
    await rig.registry.repositories.syncer.idle();
    expect(rig.registry.repositories.builder.calls.length).toBe(1);
    expect((await rig.get(id))['status']).toBe('active');
    expect((await rig.sync(id))['id']).not.toBe(jobs[0]?.['id']);
  });

  it('row 74: waits its turn behind fifty others, and the next sync is refused with Retry-After', async () => {
    await using rig = await startRig();
    const ids: string[] = [];
    for (let count = 0; count < 53; count += 1) ids.push(await rig.register(`tool${count}`));
    const { release } = rig.registry.repositories.builder.hold();
    for (const id of ids.slice(0, 52)) expect(['queued', 'running']).toContain((await rig.sync(id))['state']);
    expect(rig.registry.repositories.builder.calls.length).toBe(2);
    const refused = await rig.registry.call('POST', `/api/repositories/${ids[52] ?? ''}/sync`, { as: rig.as });
    expect([refused.status, refused.json()['code'], refused.headers['retry-after']]).toEqual([500, 'OVERLOADED', '30']);
    expect((await rig.get(ids[52] ?? ''))['status']).toBe('pending');
    release();
    await rig.registry.repositories.syncer.idle();
    expect(rig.registry.repositories.builder.calls.length).toBe(52);
  });

  it('row 74: of another host starts at once, however many syncs of one host hang', async () => {
    await using rig = await startRig();
    const hung = await Promise.all(['a', 'b', 'c', 'd'].map((name) => rig.register(name)));
    const other = await rig.register('lib', { url: 'ssh://git@other.example.org/lib.git' });
    const { release } = rig.registry.repositories.builder.hold();
    for (const id of hung) await rig.sync(id);
    await rig.sync(other);
    await expect
      .poll(() => rig.registry.repositories.builder.calls.map(([, , id]) => id))
      .toEqual([...hung.slice(0, 2), other]);
    release();
    await rig.registry.repositories.syncer.idle();
    expect(rig.registry.repositories.builder.calls).toHaveLength(5);
  });

  it('row 74: ends when its repository is removed, and leaves nothing behind', async () => {
    await using rig = await startRig();
    const id = await rig.register('tool');
    const { release } = rig.registry.repositories.builder.hold();
    await rig.sync(id);
    await expect.poll(() => rig.registry.repositories.builder.calls.length).toBe(1);
    expect((await rig.registry.call('DELETE', `/api/repositories/${id}?confirm=${id}`, { as: rig.as })).status).toBe(
      200,
    );
    release();
    await rig.registry.repositories.syncer.idle();
    expect(rig.registry.repositories.builder.stopped()).toBe(1);
    expect(rig.registry.repositories.builder.calls.at(-1)).toEqual([
      'repository',
      'withdraw',
      '--on-behalf-of',
      expect.stringMatching(/^user:usr_/),
    ]);
    for (const family of ['repository', 'job/']) expect(await rig.registry.state.range(family)).toEqual([]);
  });

  it('is a withdrawal on behalf of the schedule, if nobody asked for it', async () => {
    await using rig = await startRig();
    const { syncer, builder } = rig.registry.repositories;
    syncer.withdraw();
    await syncer.idle();
    expect(builder.calls).toEqual([['repository', 'withdraw', '--on-behalf-of', 'system:schedule']]);
  });

  it('row 74: of a service that died fails as soon as another one starts', async () => {
    await using rig = await startRig();
    const [started, asked] = [await rig.register('one'), await rig.register('two')];
    rig.registry.repositories.builder.hold();
    for (const id of [started, asked]) {
      await rig.sync(id);
      // the remains of a killed process of this host
      const [row] = await rig.registry.state.range(`job/${id}/`);
      if (row !== undefined)
        await rig.registry.state.commit({
          conditions: [],
          puts: [
            {
              key: row.key,
              value: { ...(row.value as object), owner: (await describeOwner()).replace(/\d+$/, '1') } as JsonValue,
            },
          ],
          deletes: [],
        });
    }
    const again = await rig.sync(asked);
    expect((await rig.get(`${asked}/jobs`))['data']).toMatchObject([
      { id: again['id'], state: 'queued' },
      { state: 'failed', error: { code: 'BUILD_FAILED', message: expect.stringContaining('Sync again') as string } },
    ]);
    await rig.registry.repositories.schedule.start();
    await rig.registry.repositories.schedule.stop();
    expect(await rig.get(started)).toMatchObject({ status: 'error' });
  });

  it('row 74: of another host continues while that host sends heartbeats, and fails half a minute after the last', async () => {
    let time = Date.parse('2026-11-21T10:00:00Z');
    await using rig = await startRig(() => time);
    const id = await rig.register('tool');
    const { state, repositories } = rig.registry;
    repositories.builder.hold();
    const there = await rig.sync(id);
    const [row] = await state.range(`job/${id}/`);
    if (row !== undefined)
      await state.commit({
        conditions: [],
        puts: [{ key: row.key, value: { ...(row.value as object), owner: 'other-boot/1 1 1' } as JsonValue }],
        deletes: [],
      });
    for (let round = 0; round < 4; round += 1) {
      await repositories.schedule.look();
      time += 20_000;
      expect((await rig.sync(id))['id']).toBe(there['id']);
      const active = await state.get(`repository-active/${id}`);
      if (active !== undefined)
        await state.commit({ conditions: [], puts: [{ key: active.key, value: active.value }], deletes: [] });
    }
    await rig.sync(id); // read in its last state
    time += 31_000;
    await repositories.schedule.look();
    expect((await rig.get(`${id}/jobs`))['data']).toMatchObject([
      { id: there['id'], state: 'failed', error: { code: 'BUILD_FAILED' } },
    ]);
    expect((await rig.sync(id))['id']).not.toBe(there['id']);
  });

  it('row 74: is not blocked permanently by a row that names a missing job', async () => {
    await using rig = await startRig();
    const id = await rig.register('tool');
    await rig.registry.state.commit({
      conditions: [],
      puts: [{ key: `repository-active/${id}`, value: `job/${id}/gone` }],
      deletes: [],
    });
    expect(await rig.sync(id)).toMatchObject({ state: 'queued' });
  });

  it('is stopped with the service, and its job is marked so', async () => {
    await using rig = await startRig();
    const [id, waiting] = [await rig.register('tool'), await rig.register('other')];
    rig.registry.repositories.builder.hold();
    await rig.sync(id);
    await rig.sync(waiting);
    await rig.registry.repositories.syncer.close();
    for (const one of [id, waiting])
      expect(await rig.get(one)).toMatchObject({
        status: 'error',
        error_message: expect.stringContaining('was stopped') as string,
      });
    const late = await rig.registry.call('POST', `/api/repositories/${id}/sync`, { as: rig.as });
    expect(late.json()['code']).toBe('OVERLOADED');
  });

  it('is stored with the last twenty of its repository', async () => {
    let time = Date.parse('2026-11-21T10:00:00Z');
    await using rig = await startRig(() => time);
    const id = await rig.register('tool');
    const made: unknown[] = [];
    for (let count = 0; count < 23; count += 1) {
      made.push((await rig.sync(id))['id']);
      await rig.registry.repositories.syncer.idle();
      time += 1000;
    }
    const page = await rig.get(`${id}/jobs?limit=15`);
    const rest = await rig.get(`${id}/jobs?limit=15&cursor=${String(page['next_cursor'])}`);
    expect([...(page['data'] as Json[]), ...(rest['data'] as Json[])].map((job) => job['id'])).toEqual(
      made.toReversed().slice(0, 20),
    );
  });

  it('starts automatically: the first at once, the others once the interval is over, and not earlier', async () => {
    let time = Date.parse('2026-11-21T10:00:00Z');
    await using rig = await startRig(() => time);
    const { schedule, syncer, builder } = rig.registry.repositories;
    const id = await rig.register('tool', { interval: 600 });
    await rig.register('never');
    const lookAfter = async (seconds: number): Promise<number> => {
      time += seconds * 1000;
      await schedule.look();
      await syncer.idle();
      return builder.calls.length;
    };
    expect(await lookAfter(0)).toBe(1);
    expect(await lookAfter(599)).toBe(1);
    expect(await lookAfter(1)).toBe(2);
    expect((await rig.get(`${id}/jobs`))['data']).toMatchObject([
      { trigger: 'interval', created_by: 'system:schedule' },
      { trigger: 'interval' },
    ]);
    const actions = (await rig.registry.state.range('audit/event/')).map(({ value }) => (value as Json)['action']);
    expect(actions).not.toContain('repository.sync'); // syncs that no caller requested
    expect(rig.registry.repositories.errors).toEqual([]);
  });
});
