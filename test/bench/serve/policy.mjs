// Measures the policy: a p2 document and an archive from a server with twelve rules, against the same server without a
// policy. Processor time per request counts.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { copyOf, makeTree, paths } from './trees.mjs';
import { inTurns, wrk } from './wrk.mjs';

const rules = [
  { name: 'advisories', rule: 'advisories', severity: 'high', action: 'block' },
  { name: 'malware', rule: 'filter', lists: ['malware'], action: 'block' },
  { name: 'age', rule: 'age', seconds: 1, action: 'block' },
  { name: 'licences', rule: 'license', allow: ['MIT', 'BSD-*'], action: 'block' },
  { name: 'abandoned', rule: 'abandoned', action: 'warn' },
  { name: 'plugins', rule: 'plugin', allow: ['bench/*'], action: 'block' },
  { name: 'complete', rule: 'required', fields: ['license'], action: 'block' },
  { name: 'composer', rule: 'composer', versions: '>=2.2', action: 'block' },
  ...Array.from({ length: 4 }, (_, at) => ({
    name: `vendor-${at}`,
    rule: 'license',
    allow: ['MIT'],
    packages: [`vendor-${at}/*`, `*/of-${at}`],
    action: 'block',
  })),
];

export async function policy({ folder, rounds, quick, servers, say }) {
  const { data, token } = await makeTree(folder);
  const file = join(folder, 'policy.json');
  writeFileSync(file, JSON.stringify({ rules }));
  const copy = copyOf(data, join(folder, 'policed')); // before a server opens the state
  const without = await servers.proxy(data, { log: 'none' });
  const policed = await servers.proxy(copy, {
    log: 'none',
    flags: ['--policy', file],
  });
  const figures = [];
  for (const [what, path] of [
    ['p2', paths.p2],
    ['dist of 20 KB', paths.small],
  ]) {
    say(`${what} with twelve rules …`);
    const asks = (server) => () => wrk(server, path, { Authorization: `Bearer ${token}` }, quick ? 2 : 4);
    for (const server of [without, policed]) await asks(server)();
    const measured = await inTurns({ without: asks(without), policed: asks(policed) }, rounds);
    figures.push({
      what: `${what} with a policy, processor time`,
      unit: 'µs',
      value: measured.policed.microseconds,
      besideValue: measured.without.microseconds,
      beside: 'without',
      ours: measured.policed.microseconds / measured.without.microseconds,
      atMost: 1.05,
    });
  }
  return figures;
}
