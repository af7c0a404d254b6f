// Measures requests per processor second of two worker processes against one, both with counters in Redis. Batched
// requests are cheaper than single ones. Two workers are therefore measured with as many connections per process, which
// the promise is about, and once with as many in total.

import { join } from 'node:path';
import { makeTree, paths } from './trees.mjs';
import { connections, inTurns, wrk } from './wrk.mjs';

export async function workers({ folder, rounds, quick, servers, say }) {
  const { data, token } = await makeTree(folder);
  const redis = await servers.redis();
  const one = await servers.proxy(data, { log: join(folder, 'one.log'), flags: ['--redis', redis] });
  const two = await servers.proxy(data, { log: join(folder, 'two.log'), flags: ['--redis', redis, '--workers', '2'] });
  say('two workers beside one …');
  const headers = { Authorization: `Bearer ${token}` };
  for (const server of [one, two]) await wrk(server, paths.p2, headers, 1);
  const seconds = quick ? 2 : 4;
  const measured = await inTurns(
    {
      one: () => wrk(one, paths.p2, headers, seconds),
      each: () => wrk(two, paths.p2, headers, seconds, 2 * connections),
      inAll: () => wrk(two, paths.p2, headers, seconds),
    },
    rounds,
  );
  const row = (what, { microseconds }, promised) => {
    const [aSecond, besideValue] = [1e6 / microseconds, 1e6 / measured.one.microseconds];
    return {
      what,
      unit: '/CPU s',
      value: aSecond,
      besideValue,
      beside: 'one',
      ours: aSecond / besideValue,
      ...promised,
    };
  };
  return [
    row(`p2, two workers, ${connections} connections each`, measured.each, { atLeast: 0.85 }),
    row(`p2, two workers, ${connections} connections in all`, measured.inAll, {}),
  ];
}
