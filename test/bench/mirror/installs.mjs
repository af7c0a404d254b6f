// The real Composer, its cache empty, installs 60 packages: straight from the other registry, through a mirror that has none of them, through one that has
// all of them, and from a tree of ours that publishes them.

import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { median, run, timed } from '../measure.mjs';
import { makeToken, writePackage } from '../serve/trees.mjs';
import { buildTree, forWebServer, mirroring } from './registries.mjs';

const packages = Array.from({ length: 60 }, (_, index) => `other/package-${index}`);

export async function installs({ folder, rounds, servers, say }) {
  const contents = packages.map(() => randomBytes(40_000));
  const writePackages = (source) => {
    for (const [index, name] of packages.entries()) {
      for (const version of ['1.0.0', '1.1.0', '1.2.0']) writePackage(join(source, `${index}-${version}`), name, version, contents[index]);
    }
  };
  const [upstream, local] = [forWebServer(await buildTree(folder, 'upstream', writePackages)), await buildTree(folder, 'local', writePackages)];
  const data = await buildTree(folder, 'data', (source) => writePackage(source, 'acme/app', '1.0.0', Buffer.from('<?php\n')));
  const { url } = await servers.nginx(upstream, undefined);
  const token = await mirroring(folder, data, url);
  const here = { url: (await servers.proxy(local, { log: join(folder, 'local.log') })).url, token: await makeToken(folder, local) };
  const times = { straight: [], cold: [], second: [], local: [] };
  const install = async (kind, from) => times[kind].push(await installed(folder, from));
  await installed(folder, { url });
  for (let round = 0; round < rounds; round += 1) {
    say(`installs, round ${round + 1} …`);
    rmSync(join(data, 'mirror'), { recursive: true, force: true });
    const mirror = await servers.proxy(data, { log: join(folder, 'mirror.log') });
    await install('straight', { url });
    await install('cold', { url: mirror.url, token });
    // who comes first changes: the machine is not the same after sixty archives were unpacked
    const pair = [['local', here], ['second', { url: mirror.url, token }]];
    for (const [kind, from] of round % 2 === 0 ? pair : pair.toReversed()) await install(kind, from);
    await mirror.stop();
  }
  const { straight, cold, second, local: fromTree } = Object.fromEntries(Object.entries(times).map(([kind, all]) => [kind, median(all)]));
  return [
    { what: `first install of ${packages.length} packages, mirrored`, unit: 'ms', value: cold, besideValue: straight, beside: 'straight', ours: cold / straight, atMost: 1.3 },
    { what: 'second install, mirrored', unit: 'ms', value: second, besideValue: fromTree, beside: 'local', ours: second / fromTree, atMost: 1.05 },
  ];
}

/** Milliseconds, of a project that has nothing yet. */
async function installed(folder, { url, token }) {
  const [path, home] = [join(folder, 'project'), join(folder, 'home')];
  for (const made of [path, home]) {
    rmSync(made, { recursive: true, force: true });
    mkdirSync(made);
  }
  const require = Object.fromEntries(packages.map((name) => [name, '^1.0']));
  writeFileSync(join(path, 'composer.json'), JSON.stringify({ require, repositories: [{ type: 'composer', url }, { 'packagist.org': false }], config: { 'secure-http': false } }));
  if (token !== undefined) writeFileSync(join(path, 'auth.json'), JSON.stringify({ bearer: { [new URL(url).host]: token } }));
  const env = { PATH: process.env.PATH, HOME: home, COMPOSER_HOME: join(home, 'composer'), COMPOSER_CACHE_DIR: join(home, 'cache'), COMPOSER_ALLOW_SUPERUSER: '1', COMPOSER_NO_INTERACTION: '1', LC_ALL: 'C.UTF-8' };
  return timed(() => run('composer', ['install', '--no-ansi', '--no-progress'], { cwd: path, env }));
}
