// Requests a processor second of two worker processes beside one, both with counters in Redis.

import { join } from 'node:path';
import { makeTree, paths } from './trees.mjs';
import { inTurns, wrk } from './wrk.mjs';

export async function workers({ folder, rounds, quick, servers, say }) {
  const { data, token } = await makeTree(folder);
  const redis = await servers.redis();
  const one = await servers.proxy(data, { log: join(folder, 'one.log'), flags: ['--redis', redis] });
  const two = await servers.proxy(data, { log: join(folder, 'two.log'), flags: ['--redis', redis, '--workers', '2'] });
  say('two workers beside one …');
  const headers = { Authorization: `Bearer ${token}` };
  for (const server of [one, two]) await wrk(server, paths.p2, headers, 1);
  const seconds = quick ? 2 : 4;
  const measured = await inTurns({ one: () => wrk(one, paths.p2, headers, seconds), two: () => wrk(two, paths.p2, headers, seconds) }, rounds);
  const [aSecond, besideValue] = [1e6 / measured.two.microseconds, 1e6 / measured.one.microseconds];
  return [{ what: 'p2, two workers', unit: '/CPU s', value: aSecond, besideValue, beside: 'one', ours: aSecond / besideValue, atLeast: 0.85 }];
}
