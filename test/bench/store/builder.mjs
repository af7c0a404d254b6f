// Measures a builder of a registry at an object store: the first build on a new host, a build without changes, and a
// publication of one version, until two servers have it.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { measuredBuild } from '../measure.mjs';
import { writePackage } from '../serve/trees.mjs';
import { statelessServer, tokenIn } from './servers.mjs';

const template = 'bench/template';
const publications = 5;

export async function builderRow(registry) {
  const { bucket, folder, env } = registry;
  const source = join(folder, 'large-source');
  const args = [source, '--data', join(folder, 'builder'), '--output', bucket.address];
  mkdirSync(join(folder, 'builder'));
  const token = await tokenIn(registry);
  const servers = [await statelessServer(registry, 'two'), await statelessServer(registry, 'three')];
  const build = async () => {
    bucket.spent();
    const measured = await measuredBuild(args, { cwd: folder, env });
    return { ...measured, ...bucket.spent() };
  };
  const host = await build();
  const again = await build();
  const published = [];
  for (let turn = 0; turn < publications; turn += 1) {
    writePackage(join(source, `2.${turn}`), template, `2.${turn}.0`, Buffer.from(`<?php return ${turn};\n`));
    const seeing = servers.map(({ url }) => untilServed(`${url}/p2/${template}.json`, `2.${turn}.0`, token));
    const spent = await build();
    published.push({ ...spent, seen: Math.max(...(await Promise.all(seeing))) - bucket.headPutAt() });
  }
  const last = published.toSorted((one, other) => one.ms - other.ms)[publications >> 1];
  const figure = (what, unit, value, promise = {}) => ({ what, unit, value, ours: value, ...promise });
  return [
    figure('first build on a new host', 'ms', host.ms),
    figure('  its requests of class B', '', host.b),
    figure('  bytes that it fetches', 'MB', host.received / 1e6),
    figure('  in memory', 'MB', host.mb),
    figure('build without changes', 'ms', again.ms),
    figure('  its requests of class A', '', again.a),
    figure('  of class B', '', again.b),
    figure('publication of one version', 'ms', last.ms),
    figure('  its requests of class A', '', last.a),
    figure('  of class B, with those of the servers, without checks', '', last.b - last.heads),
    figure('  bytes that it sends', 'KB', last.sent / 1e3),
    figure('  from its head until two servers have it', 'ms', Math.max(...published.map(({ seen }) => seen)), {
      atMost: 2500,
    }),
  ];
}

/** Asks every 20 ms; when the answer came, on the clock of `performance`. */
async function untilServed(url, version, token) {
  for (let turn = 0; turn < 30_000; turn += 1) {
    const answer = await fetch(url, { headers: { Authorization: `Bearer ${token}` } });
    if ((await answer.text()).includes(`"${version}"`)) return performance.now();
    await sleep(20);
  }
  throw new Error(`${url} never had ${version}`);
}
