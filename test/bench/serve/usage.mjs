// Measures counts by token: a p2 document and an archive from a server with the setting statistics.by token, against
// the same server with counts by version. Processor time per request counts.

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';
import { bare, binary } from '../measure.mjs';
import { copyOf, makeTree, paths } from './trees.mjs';
import { inTurns, wrk } from './wrk.mjs';

export async function usage({ folder, rounds, quick, servers, say }) {
  const { data, token } = await makeTree(folder);
  const copy = copyOf(data, join(folder, 'counted')); // before a server opens the state
  execFileSync(process.execPath, [binary, 'settings', 'set', 'statistics.by', 'token', '--data', copy], { env: bare });
  const without = await servers.proxy(data, { log: 'none' });
  const counted = await servers.proxy(copy, { log: 'none' });
  const figures = [];
  for (const [what, path] of [
    ['p2', paths.p2],
    ['dist of 20 KB', paths.small],
  ]) {
    say(`${what} with counts by token …`);
    const asks = (server) => () => wrk(server, path, { Authorization: `Bearer ${token}` }, quick ? 2 : 4);
    for (const server of [without, counted]) await asks(server)();
    const measured = await inTurns({ without: asks(without), counted: asks(counted) }, rounds);
    figures.push({
      what: `${what} with counts by token, processor time`,
      unit: 'µs',
      value: measured.counted.microseconds,
      besideValue: measured.without.microseconds,
      beside: 'by version',
      ours: measured.counted.microseconds / measured.without.microseconds,
      atMost: 1.02,
    });
  }
  return figures;
}
