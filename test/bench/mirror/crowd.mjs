// Measures how often the other registry is requested when 500 clients request a new package at once, by that registry's
// own log.

import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { timed } from '../measure.mjs';
import { writePackage } from '../serve/trees.mjs';
import { buildTree, forWebServer, mirroring } from './registries.mjs';

const clients = 500;
const paths = { p2: '/p2/other/cold.json', dist: '/dist/other/cold/1.0.0.zip' };

export async function crowd({ folder, servers, say }) {
  const upstream = forWebServer(
    await buildTree(folder, 'upstream', (source) =>
      writePackage(source, 'other/cold', '1.0.0', randomBytes(1024 * 1024)),
    ),
  );
  const data = await buildTree(folder, 'data', (source) =>
    writePackage(source, 'acme/app', '1.0.0', Buffer.from('<?php\n')),
  );
  const token = await mirroring(folder, data, (await servers.nginx(upstream, undefined)).url);
  const { url } = await servers.proxy(data, { log: join(folder, 'requests.log') });
  const figures = [];
  for (const [what, path] of Object.entries(paths)) {
    say(`${clients} clients ask for one ${what} …`);
    const agent = new Agent({ keepAlive: true, maxSockets: clients });
    const ms = await timed(() => Promise.all(Array.from({ length: clients }, () => ask(agent, url + path, token))));
    agent.destroy();
    await sleep(1500); // nginx writes its log once a second
    const asked = readFileSync(join(folder, 'access.log'), 'utf8')
      .split('\n')
      .filter((line) => line.includes(`"GET ${path}`)).length;
    if (asked === 0) throw new Error(`${path}: the other registry has no line of it in its log`);
    figures.push(
      {
        what: `asked upstream for ${clients} cold requests of one ${what}`,
        unit: 'times',
        value: asked,
        ours: asked,
        atMost: 1,
      },
      { what: 'until all have it', unit: 'ms', value: ms, ours: ms },
    );
  }
  return figures;
}

function ask(agent, url, token) {
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent, headers: { authorization: `Bearer ${token}` } }, (answer) => {
      answer.on('error', reject);
      answer.on('end', () =>
        answer.statusCode === 200 ? resolve() : reject(new Error(`${url}: ${answer.statusCode}`)),
      );
      answer.resume();
    });
    sent.on('error', reject);
    sent.end();
  });
}
