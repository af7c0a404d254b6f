// Measures views: a p2 document for a limited token against the same document for an unlimited token. A second row
// measures the memory of 10 000 tokens, each with different limits on 10 000 packages. A third row, for information,
// compares the times for a hidden package and for one that was never published.

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { bare, binary } from '../measure.mjs';
import { residentMb } from './servers.mjs';
import { makeLargeTree } from './trees.mjs';
import { inTurns, wrk } from './wrk.mjs';

const policies = 10_000;
const atOnce = 8;
const password = 'a password of the bench';

export async function views({ folder, rounds, quick, servers, say }) {
  say('a tree of 10 000 packages …');
  const tree = await makeLargeTree(folder, 10_000);
  execFileSync(
    process.execPath,
    [binary, 'user', 'create', '--data', tree.data, '--admin', '--email', 'bench@example.org', '--password-stdin'],
    { cwd: folder, env: bare, input: `${password}\n` },
  );
  const server = await servers.proxy(tree.data, { log: join(folder, 'requests.log') });
  const session = (
    await ask(server.url, 'POST', '/api/auth/login', undefined, { email: 'bench@example.org', password })
  ).token;
  const limited = await createToken(server.url, session, {
    packages: ['bench/*'],
    constraints: { 'bench/*': '<1.19' },
  });
  const [path] = tree.names;
  const asks = (token) => () => wrk(server, `/p2/${path}.json`, { Authorization: `Bearer ${token}` }, quick ? 2 : 4);
  for (const token of [tree.token, limited])
    await wrk(server, `/p2/${path}.json`, { Authorization: `Bearer ${token}` }, 1);
  const { all, some } = await inTurns({ all: asks(tree.token), some: asks(limited) }, rounds);
  const pairs = await hiddenPairs(server.url, session, tree.names[1], quick ? 200 : 1000);
  say(`${policies} tokens that see different things …`);
  const count = quick ? policies / 10 : policies;
  await inParallel(count, async (at) => {
    const token = await createToken(server.url, session, {
      packages: ['bench/*'],
      constraints: { 'bench/*': `<1.${at % 20}.${at}` },
    });
    await ask(server.url, 'GET', `/p2/${tree.names[(at * 7) % tree.names.length]}.json`, token);
    if (at % 20 === 0) await ask(server.url, 'GET', '/packages.json', token);
  });
  const resident = residentMb(server.processId);
  return [
    {
      what: 'p2 for a limited token, processor time',
      unit: 'µs',
      value: some.microseconds,
      besideValue: all.microseconds,
      beside: 'unlimited',
      ours: some.microseconds / all.microseconds,
      atMost: 1.1,
    },
    {
      what: 'a hidden package, median of interleaved pairs of p2 requests',
      unit: 'µs',
      value: pairs.hidden,
      besideValue: pairs.never,
      beside: 'unpublished',
      ours: pairs.hidden / pairs.never,
    },
    { what: `in memory with ${count} limited tokens`, unit: 'MB', value: resident, ours: resident, atMost: 300 },
  ];
}

/** Requests a hidden and an unpublished package in turns, with a token that hides the first by its versions. */
async function hiddenPairs(url, session, name, count) {
  const token = await createToken(url, session, { constraints: { [name]: '<0.0.1' } });
  const paths = { hidden: `/p2/${name}.json`, never: `/p2/${name}-none.json` };
  const times = { hidden: [], never: [] };
  for (let at = 0; at < count; at += 1)
    for (const which of at % 2 === 0 ? ['hidden', 'never'] : ['never', 'hidden']) {
      const from = performance.now();
      await ask(url, 'GET', paths[which], token);
      times[which].push((performance.now() - from) * 1000);
    }
  const median = (all) => all.toSorted((one, other) => one - other)[Math.floor(all.length / 2)];
  return { hidden: median(times.hidden), never: median(times.never) };
}

async function createToken(url, session, limits) {
  return (
    await ask(url, 'POST', '/api/tokens', session, { description: 'bench', kind: 'read', rate_limit: 0, ...limits })
  ).token;
}

async function ask(url, method, path, bearer, body) {
  const answer = await fetch(url + path, {
    method,
    headers: {
      ...(bearer === undefined ? {} : { Authorization: `Bearer ${bearer}` }),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  // a package without visible versions is hidden
  if (!answer.ok && answer.status !== 404) throw new Error(`${method} ${path}: ${answer.status} ${text.slice(0, 300)}`);
  return answer.ok ? JSON.parse(text) : undefined;
}

async function inParallel(count, work) {
  let next = 0;
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (next < count) await work(next++);
    }),
  );
}
