// Measures the memory of a server while it mirrors the documents of 10 000 packages with 20 versions each, and while
// they are requested again.

import { join } from 'node:path';
import { residentMb } from '../serve/servers.mjs';
import { makeLargeTree, writePackage } from '../serve/trees.mjs';
import { buildTree, forWebServer, mirroring } from './registries.mjs';

const atOnce = 8;

export async function manyDocuments({ folder, quick, servers, say }) {
  const count = quick ? 1000 : 10_000;
  say(`a registry of ${count} packages …`);
  const { data: upstream, names } = await makeLargeTree(folder, count);
  const data = await buildTree(folder, 'data', (source) =>
    writePackage(source, 'acme/app', '1.0.0', Buffer.from('<?php\n')),
  );
  const token = await mirroring(folder, data, (await servers.nginx(forWebServer(upstream), undefined)).url);
  const server = await servers.proxy(data, { log: join(folder, 'requests.log') });
  const resident = { before: residentMb(server.processId) };
  say('each is asked for …');
  await askAll(server.url, names.slice(0, count / 2), token);
  resident.half = residentMb(server.processId);
  await askAll(server.url, names.slice(count / 2), token);
  resident.first = residentMb(server.processId);
  await askAll(server.url, names, token);
  resident.again = residentMb(server.processId);
  return [
    {
      what: `in memory before ${count} documents are mirrored`,
      unit: 'MB',
      value: resident.before,
      ours: resident.before,
    },
    { what: 'after half of them', unit: 'MB', value: resident.half, ours: resident.half },
    {
      what: 'after all of them',
      unit: 'MB',
      value: resident.first,
      besideValue: resident.half,
      beside: 'half',
      ours: resident.first / resident.half,
      atMost: 1.1,
    },
    {
      what: 'once they were all asked for again',
      unit: 'MB',
      value: resident.again,
      besideValue: resident.first,
      beside: 'before',
      ours: resident.again / resident.first,
      atMost: 1.1,
    },
  ];
}

async function askAll(url, names, token) {
  let next = 0;
  const headers = { Authorization: `Bearer ${token}` };
  const work = async () => {
    while (next < names.length) {
      const name = names[next++];
      const answer = await fetch(`${url}/p2/${name}.json`, { headers });
      await answer.arrayBuffer();
      if (answer.status !== 200) throw new Error(`${name}: ${answer.status}`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}
