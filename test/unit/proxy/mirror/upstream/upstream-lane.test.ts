// Tests what a request costs while its host accepts requests and answers none.

import type { ServerResponse } from 'node:http';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createAddressPolicy } from '../../../../../build/egress/address-policy.ts';
import { createGuardedAgent, resolveBySystem } from '../../../../../build/egress/guarded-agent.ts';
import { UpstreamUnavailable } from '../../../../../proxy/mirror/upstream/mirror-failure.ts';
import { UpstreamLane } from '../../../../../proxy/mirror/upstream/upstream-lane.ts';
import { startUpstream } from '../../../../util/upstream.ts';

it('fails requests to a host after two seconds once one has got no answer, and one goes on until it answers', async () => {
  await using upstream = await startUpstream();
  const policy = createAddressPolicy(['127.0.0.0/8']);
  const access = { policy, agent: createGuardedAgent(policy, resolveBySystem) };
  const lane = new UpstreamLane({ access, withholds: false, userAgent: 'x', now: Date.now, random: () => 0 });
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
