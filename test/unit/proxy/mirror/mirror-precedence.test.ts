// I17. Tests that the owner of a name is decided for each publication anew.

import { expect, it } from 'vitest';
import { packageName, runMirror, standardRules } from '../../../util/running-mirror.ts';
import { startUpstream } from '../../../util/upstream.ts';

const name = packageName('some/lib');
const preferences = { acceptEncoding: undefined, ifNoneMatch: undefined, ifModifiedSince: undefined, view: undefined };

it('I17: from the next publication on, a name that became private is neither served from nor requested of an upstream', async () => {
  await using upstream = await startUpstream();
  upstream.put('some/lib', [{ version: '1.0.0' }]);
  await using running = runMirror([upstream.url]);
  const { mirror, clock, privates } = running;
  const at = (epoch: number) => ({ nowMs: clock.nowMs, epoch });
  const statusAt = async (epoch: number) => (await mirror.provider(name, 'stable', preferences, at(epoch)))?.status;

  expect(mirror.isElsewhere(name, at(5)), 'nobody has asked yet').toBe(false);
  expect(await statusAt(5)).toBe(200);
  expect([mirror.isElsewhere(name, at(5)), mirror.isElsewhere(name, at(6))], 'of this publication alone').toEqual([
    true,
    false,
  ]);

  privates.add('some/lib'); // its index is in place
  expect(await statusAt(5), 'and the publication is not announced yet').toBe(200);
  const asked = upstream.server.requests.length;
  clock.nowMs += 3_600_000; // the cached document has expired
  expect(await statusAt(6)).toBeUndefined();
  expect(mirror.isElsewhere(name, at(6))).toBe(false);
  expect(await mirror.archive({ name, labels: ['1.0.0'], reference: undefined }, preferences, at(6))).toBeUndefined();
  expect(await mirror.bring({ name, labels: ['1.0.0'], reference: undefined }, at(6))).toBeUndefined();
  expect(upstream.server.requests).toHaveLength(asked);
});

it('a change of the settings applies at once, within one publication too', async () => {
  await using upstream = await startUpstream();
  upstream.put('some/lib', [{ version: '1.0.0' }]);
  await using running = runMirror([], { set: { upstreams: [{ id: 'one', url: upstream.url, allow: [], deny: [] }] } });
  const at = { nowMs: running.clock.nowMs, epoch: 5 };
  expect((await running.mirror.provider(name, 'stable', preferences, at))?.status).toBe(200);
  running.setRules({ ...standardRules, upstreams: [{ id: 'one', url: upstream.url, allow: [], deny: ['some/*'] }] });
  expect(await running.mirror.provider(name, 'stable', preferences, at)).toBeUndefined();
});
