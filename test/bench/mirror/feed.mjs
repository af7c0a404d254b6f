// Measures the feed of changes: 10 000 changes, against the same bytes by plain node; and a chain of two registries,
// from a publication at the first one until its mirror serves it.

import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { bare, binary, median, run, timed } from '../measure.mjs';
import { makeLargeTree, makeToken, writePackage } from '../serve/trees.mjs';
import { buildTree } from './registries.mjs';

export async function feed({ folder, quick, rounds, servers, say }) {
  const count = quick ? 1000 : 10_000;
  say(`a feed of ${count} changes …`);
  const { data, token } = await makeLargeTree(folder, count);
  const { url } = await servers.proxy(data, { log: join(folder, 'requests.log') });
  const page = { url: `${url}/metadata/changes.json?since=10000000000000`, token };
  let text = '';
  const first = await timed(async () => (text = await bodyOf(page)));
  if (JSON.parse(text).actions.length < count) throw new Error(`the feed is short: ${text.slice(0, 300)}`);
  const plain = createServer((_request, response) => response.end(text)).listen(0, '127.0.0.1');
  const [ours, floors] = [[], []];
  for (let turn = 0; turn < rounds * 20; turn += 1) {
    ours.push(await timed(() => bodyOf(page)));
    floors.push(await timed(() => bodyOf({ url: `http://127.0.0.1:${plain.address().port}`, token })));
  }
  plain.closeAllConnections();
  plain.close();
  const [value, besideValue] = [median(ours), median(floors)];
  return [
    {
      what: `feed of ${count} changes, ${Math.round(text.length / 1024)} KB`,
      unit: 'ms',
      value,
      besideValue,
      beside: 'node:http',
      ours: value / besideValue,
      atMost: 3, // 20 ms where plain node takes 7
    },
    { what: '  its first page after a start', unit: 'ms', value: first, ours: first },
  ];
}

export async function chain({ folder, rounds, servers, say }) {
  writeFileSync(join(folder, 'libretto.json'), JSON.stringify({ egress: { allow: ['127.0.0.0/8'] } }));
  const publish = (registry, name) =>
    buildTree(folder, registry, (source) => writePackage(join(source, 'one-0'), name, '1.0.0', ''));
  const data = await publish('first', 'bench/one');
  const first = await served({ folder, data, servers });
  const last = await served({ folder, data: await publish('second', 'own/one'), servers, of: first });
  const all = [];
  for (let round = 1; round <= rounds; round += 1) {
    say(`a chain of two registries, round ${round} …`);
    const isServed = async () =>
      (await bodyOf({ ...last, url: `${last.url}/p2/bench/one.json` })).includes(`"1.${round}.0"`);
    await isServed();
    await sleep(500 * round); // the moments of the questions differ
    writePackage(join(folder, 'first-source', `one-${round}`), 'bench/one', `1.${round}.0`, '');
    await run(process.execPath, [binary, 'build', '--data', data], { cwd: folder, env: bare });
    const deadline = Date.now() + 60_000;
    all.push(
      await timed(async () => {
        while (!(await isServed())) {
          if (Date.now() > deadline) throw new Error('the mirror does not serve the new version within a minute');
          await sleep(20);
        }
      }),
    );
  }
  const value = Math.max(...all);
  return [
    {
      what: 'published until the mirror of the registry serves it, longest',
      unit: 'ms',
      value,
      ours: value,
      atMost: 5000,
    },
  ];
}

/** A server of the data folder, which mirrors `of`, and a token for it. */
async function served({ folder, data, servers, of }) {
  if (of !== undefined) {
    writeFileSync(join(data, '..', 'upstream-token'), of.token);
    const add = ['repository', 'add', '--type', 'composer', of.url, '--token-file', 'upstream-token', '--data', data];
    await run(process.execPath, [binary, ...add], { cwd: folder, env: bare });
  }
  const token = await makeToken(folder, data);
  return { url: (await servers.proxy(data, { log: join(folder, 'requests.log') })).url, token };
}

async function bodyOf({ url, token }) {
  const answer = await fetch(url, { headers: { Authorization: `Bearer ${token}` } });
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`${url}: ${answer.status} ${text.slice(0, 200)}`);
  return text;
}
