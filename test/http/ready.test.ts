// Tests /health/ready, which load balancers ask before they send traffic.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { StateError } from '../../proxy/core/state/state-error.ts';
import { createMemoryCounters } from '../../proxy/core/limits/memory-counters.ts';
import { runProxy } from '../util/running-proxy.ts';

const asNobody = { authorization: '' };

it('/health/ready is 200 where packages and state can be read, without a token and uncounted', async () => {
  await using served = await runProxy({ readState: () => Promise.resolve(undefined) });
  served.tree.publish();
  const reply = await served.get('/health/ready', asNobody);
  expect([reply.status, reply.json()]).toEqual([
    200,
    { status: 'ready', tree: 'ok', state: 'ok', counters: 'ok', storage: 'ok' },
  ]);
  expect((await served.get('/health/ready', asNobody, 'HEAD')).status).toBe(200);
  expect((await served.get('/health/ready', asNobody, 'DELETE')).status).toBe(400);
  expect(reply.headers).not.toHaveProperty('x-ratelimit-limit');
});

it('/health/ready is 200 as long as cached tokens are accepted, and gives the remaining time', async () => {
  await using served = await runProxy({ readState: () => Promise.resolve(41_900) });
  served.tree.publish();
  const reply = await served.get('/health/ready', asNobody);
  expect([reply.status, reply.json()]).toEqual([
    200,
    { status: 'ready', tree: 'ok', state: 'grace', grace_seconds_left: 41, counters: 'ok', storage: 'ok' },
  ]);
});

it('/health/ready is 200 while requests are counted locally, because limits still apply', async () => {
  await using served = await runProxy({ counters: { ...createMemoryCounters(), degraded: () => true } });
  served.tree.publish();
  const reply = await served.get('/health/ready', asNobody);
  expect([reply.status, reply.json()]).toMatchObject([200, { counters: 'local' }]);
});

it('/health/ready is not 200 before the first publication, and where packages.json is lost', async () => {
  await using served = await runProxy();
  expect((await served.get('/health/ready', asNobody)).json()).toMatchObject({
    code: 'NOT_SERVING',
    details: { tree: 'empty', state: 'ok', closing: false },
  });
  served.tree.publish();
  expect((await served.get('/health/ready', asNobody)).status).toBe(200);
  rmSync(join(served.tree.data, 'public'), { recursive: true });
  const reply = await served.get('/health/ready', asNobody);
  expect([reply.status, reply.headers['retry-after'], reply.json()]).toMatchObject([
    500,
    '5',
    { details: { tree: 'unreadable' } },
  ]);
  expect((await served.get('/health', asNobody)).status).toBe(200);
});

it.each([
  ['fails', () => Promise.reject(new Error('the state is gone'))],
  [
    'throws',
    () => {
      throw new Error('the state is gone');
    },
  ],
  ['says nothing', () => new Promise(() => undefined)],
])(
  '/health/ready is not 200 while the state %s, and /health still reports a living process',
  async (_name, readState) => {
    await using served = await runProxy({ readState });
    served.tree.publish();
    const reply = await served.get('/health/ready', asNobody);
    expect([reply.status, reply.json()]).toMatchObject([
      500,
      { code: 'NOT_SERVING', details: { tree: 'ok', state: 'unreadable' } },
    ]);
    expect(JSON.stringify(reply.json())).not.toContain('gone');
    const health = await served.get('/health', asNobody);
    expect([health.status, health.json()]).toMatchObject([
      200,
      { status: 'degraded', tree: 'ok', state: 'unreadable' },
    ]);
  },
);

describe('settings that cannot be read from the state', () => {
  const damaged = new StateError('STATE_CORRUPT', 'The state is damaged: a row of it is not JSON.');

  it.each([
    ['fail', () => Promise.reject(damaged)],
    [
      'throw',
      () => {
        throw damaged;
      },
    ],
  ])(
    'that %s: /health and /health/ready name the state, and packages.json has no answer',
    async (_name, rootChanges) => {
      await using served = await runProxy({ rootChanges });
      served.tree.publish();
      expect((await served.get('/packages.json')).status).toBe(500);
      expect((await served.get('/health', asNobody)).json()).toMatchObject({
        status: 'degraded',
        metadata_url: null,
        tree: 'ok',
        state: 'unreadable',
      });
      const reply = await served.get('/health/ready', asNobody);
      expect([reply.status, reply.json()]).toMatchObject([
        500,
        { code: 'NOT_SERVING', details: { tree: 'ok', state: 'unreadable' } },
      ]);
      expect(JSON.stringify(reply.json())).not.toContain('damaged');
    },
  );

  it('that never arrive make /health/ready fail', async () => {
    await using served = await runProxy({ rootChanges: () => new Promise(() => undefined) });
    served.tree.publish();
    const reply = await served.get('/health/ready', asNobody);
    expect([reply.status, reply.json()]).toMatchObject([500, { details: { tree: 'ok', state: 'unreadable' } }]);
  });
});
