// Measures requests for mirrored packages against requests for published packages of the same size, on one server with
// a warm cache.

import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { writePackage } from '../serve/trees.mjs';
import { inTurns, wrk } from '../serve/wrk.mjs';
import { buildTree, forWebServer, mirroring } from './registries.mjs';

const rows = [
  { what: 'p2', path: (vendor) => `/p2/${vendor}/small.json` },
  { what: 'dist of 20 KB', path: (vendor) => `/dist/${vendor}/twenty/1.0.0.zip` },
];

export async function warm({ folder, rounds, quick, servers, say }) {
  const [upstream, data] = [
    forWebServer(await buildTree(folder, 'upstream', writePackages('other'))),
    await buildTree(folder, 'data', writePackages('bench')),
  ];
  const { url } = await servers.nginx(upstream, undefined);
  const token = await mirroring(folder, data, url);
  const server = await servers.proxy(data, { log: join(folder, 'requests.log') });
  const headers = { Authorization: `Bearer ${token}` };
  const figures = [];
  for (const { what, path } of rows) {
    say(`${what} …`);
    for (const vendor of ['bench', 'other']) await wrk(server, path(vendor), headers, 1);
    const ask = (vendor) => () => wrk(server, path(vendor), headers, quick ? 2 : 4);
    const { local, mirrored } = await inTurns({ local: ask('bench'), mirrored: ask('other') }, rounds);
    figures.push({
      what: `${what}, mirrored`,
      unit: '/s',
      value: mirrored.rate,
      besideValue: local.rate,
      beside: 'local',
      ours: mirrored.rate / local.rate,
      microseconds: mirrored.microseconds,
      processor: local.microseconds / mirrored.microseconds,
      atLeast: 0.9,
    });
  }
  return figures;
}

const writePackages = (vendor) => (source) => {
  for (let minor = 0; minor < 10; minor += 1)
    writePackage(
      join(source, `small-1.${minor}`),
      `${vendor}/small`,
      `1.${minor}.0`,
      Buffer.from(`<?php return ${minor};\n`),
    );
  writePackage(join(source, 'twenty'), `${vendor}/twenty`, '1.0.0', randomBytes(19_600));
};
