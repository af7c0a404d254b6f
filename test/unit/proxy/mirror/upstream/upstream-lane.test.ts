// Tests what a request costs while its host accepts requests and answers none.

import type { ServerResponse } from 'node:http';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createAddressPolicy } from '../../../../../build/egress/address-policy.ts';
import { createGuardedAgent, resolveBySystem } from '../../../../../build/egress/guarded-agent.ts';
import { UpstreamUnavailable } from '../../../../../proxy/mirror/upstream/mirror-failure.ts';
import { UpstreamClient } from '../../../../../proxy/mirror/upstream/upstream-client.ts';
import { UpstreamLane } from '../../../../../proxy/mirror/upstream/upstream-lane.ts';
import { startUpstream } from '../../../../util/upstream.ts';

it('fails requests to a host after two seconds once one has got no answer, and one goes on until it answers', async () => {
  await using upstream = await startUpstream();
  const policy = createAddressPolicy(['127.0.0.0/8']);
  const access = { policy, agent: createGuardedAgent(policy, resolveBySystem) };
  const options = { access, withholds: false, userAgent: 'x', now: Date.now, random: () => 0 };
  const lane = new UpstreamLane({ ...options, silent: new Map() });
  onTestFinished(() => lane.close());
  const { origin } = new URL(upstream.url);
  const ask = (path: string, timeoutMs = 3_600_000): Promise<number> =>
    lane.ask({
      url: new URL(path, origin),
      destination: { origin, credential: undefined },
      headers: {},
      timeoutMs,
      use: ({ response: { status, body } }) => {
        body.resume();
        return status;
      },
    });
  const silent: ServerResponse[] = [];
  for (const path of ['/a', '/b', '/c']) upstream.instead(path, (_request, response) => void silent.push(response));
  upstream.instead('/d', (_request, response) => void response.end());

  await expect(ask('/a', 100)).rejects.toThrow(UpstreamUnavailable);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  for (const path of ['/b', '/c']) {
    const asked = ask(path);
    const fails = expect(asked).rejects.toThrow(`${origin} has answered no request since the last one failed.`);
    await vi.waitUntil(() => upstream.asked(path) === 1, { interval: 0 });
    await vi.advanceTimersByTimeAsync(2000);
    await fails;
  }
  vi.useRealTimers();
  const [, probe, other] = silent;
  await expect.poll(() => other?.destroyed).toBe(true);
  expect(probe?.destroyed).toBe(false);
  probe?.end();
  expect(await ask('/d')).toBe(200);
  const slow = ask('/a');
  await expect.poll(() => silent.length).toBe(4);
  silent[3]?.end();
  expect(await slow).toBe(200);
});

it('fails an archive after two seconds, too, once a document of its host has got no answer', async () => {
  await using upstream = await startUpstream();
  const limits = { documentMs: 100 };
  const client = new UpstreamClient({ allowAddresses: ['127.0.0.0/8'], userAgent: 'x', now: Date.now, limits });
  onTestFinished(() => client.close());
  const { origin } = new URL(upstream.url);
  for (const path of ['/a.json', '/a.zip']) upstream.instead(path, () => undefined);
  const destination = { origin, credential: undefined };
  await expect(client.document(new URL('/a.json', origin), destination)).rejects.toThrow(UpstreamUnavailable);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const asked = client.archive(new URL('/a.zip', origin), destination, 1000);
  const fails = expect(asked).rejects.toThrow(`${origin} has answered no request since the last one failed.`);
  await vi.waitUntil(() => upstream.asked('/a.zip') === 1, { interval: 0 });
  await vi.advanceTimersByTimeAsync(2000);
  await fails;
});
