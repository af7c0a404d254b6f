// Measures what `libretto policy protect` costs: a p2 document and an archive, and with 10 000 packages the list of held
// releases, and the first p2 document and the server's own look after a publication.

import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { bare, binary, measuredCommand, median, run } from '../measure.mjs';
import { processorSeconds } from './servers.mjs';
import { copyOf, makeLargeTree, makeTree, paths, publishAgain } from './trees.mjs';
import { inTurns, wrk } from './wrk.mjs';

export async function review({ folder, rounds, quick, servers, say }) {
  return [
    ...(await requests({ folder, rounds, quick, servers, say })),
    ...(await manyPackages({ folder, rounds, quick, servers, say })),
  ];
}

async function protect(data) {
  await run(process.execPath, [binary, 'policy', 'protect', '--data', data], { cwd: data, env: bare });
}

async function requests({ folder, rounds, quick, servers, say }) {
  const { data, token } = await makeTree(folder);
  const copy = copyOf(data, join(folder, 'protected'));
  await protect(copy);
  const [without, held] = [await servers.proxy(data, { log: 'none' }), await servers.proxy(copy, { log: 'none' })];
  const figures = [];
  for (const [what, path] of [
    ['p2', paths.p2],
    ['dist of 20 KB', paths.small],
  ]) {
    say(`${what} with the rule capability …`);
    const asks = (server) => () => wrk(server, path, { Authorization: `Bearer ${token}` }, quick ? 1 : 4);
    for (const server of [without, held]) await asks(server)();
    const measured = await inTurns({ without: asks(without), held: asks(held) }, rounds);
    figures.push({
      what: `${what} with the rule capability, processor time`,
      unit: 'µs',
      value: measured.held.microseconds,
      besideValue: measured.without.microseconds,
      beside: 'without',
      ours: measured.held.microseconds / measured.without.microseconds,
      atMost: 1.02,
    });
  }
  return figures;
}

async function manyPackages({ folder, rounds, quick, servers, say }) {
  say('10 000 packages with the rule capability …');
  const { data, names, token } = await makeLargeTree(folder, quick ? 1000 : 10_000);
  const copy = copyOf(data, join(folder, 'large-protected'));
  await protect(copy);
  const lists = [];
  for (let round = 0; round < rounds; round += 1)
    lists.push(await measuredCommand(['policy', 'held', '--data', copy], { cwd: folder }));
  const of = (all, key) => median(all.map((one) => one[key]));
  const each = `${names.length} packages × 20 versions`;
  const figures = [
    { what: `policy held, ${each}`, unit: 'ms', value: of(lists, 'cpuMs'), ours: of(lists, 'cpuMs') },
    { what: '  its peak memory', unit: 'MB', value: of(lists, 'mb'), ours: of(lists, 'mb'), atMost: 250 },
  ];
  const measured = {};
  for (const [name, root] of Object.entries({ without: data, held: copy })) {
    const server = await servers.proxy(root, { log: 'none' });
    await quiet(server);
    measured[name] = [];
    for (let round = 1; round <= rounds; round += 1)
      measured[name].push(await afterPublication(server, { root, name: names[round], serial: round + 1, token }));
  }
  const compared = (what, unit, key, limit) => ({
    what,
    unit,
    value: of(measured.held, key),
    besideValue: of(measured.without, key),
    beside: 'without',
    ours: of(measured.held, key) / of(measured.without, key),
    ...limit,
  });
  return [
    ...figures,
    compared('  first p2 after a publication', 'ms', 'firstMs'),
    compared('  processor time in the seconds after it', 'ms', 'cpuMs'),
  ];
}

/** Resolves once the server has no work of its own. */
async function quiet({ processId }) {
  for (let last = -1, now = 0; now - last > 0.02;) {
    [last, now] = [now, processorSeconds(processId)];
    await sleep(2000);
    now = processorSeconds(processId);
  }
}

async function afterPublication(server, { root, name, serial, token }) {
  const before = processorSeconds(server.processId);
  publishAgain(root, name, serial);
  const asked = performance.now();
  const answer = await fetch(`${server.url}/p2/${name}.json`, { headers: { Authorization: `Bearer ${token}` } });
  const text = await answer.text();
  const firstMs = performance.now() - asked;
  if (!text.includes(`Publication ${serial}`)) throw new Error(`${name} is not the new document: ${answer.status}`);
  await quiet(server);
  return { firstMs, cpuMs: (processorSeconds(server.processId) - before) * 1000 };
}
