// The real Composer installs 60 packages with an empty cache: from the other registry itself, through a mirror without
// these packages, through a mirror with all of them, and from a tree of Libretto that publishes them.
//
// Each round has packages of its own, so that all servers keep running, as in production, with compiled code. A mirror
// that has just started is measured too.

import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { median, run, timed } from '../measure.mjs';
import { copyOf, makeToken, writePackage } from '../serve/trees.mjs';
import { buildTree, forWebServer, mirroring } from './registries.mjs';

const count = 60;
const packagesOf = (round) => Array.from({ length: count }, (_, index) => `other/package-${round}-${index}`);

export async function installs({ folder, rounds, servers, say }) {
  const names = Array.from({ length: rounds + 1 }, (_, round) => packagesOf(round));
  say(`two registries of ${names.flat().length} packages …`);
  const contents = Array.from({ length: count }, () => randomBytes(40_000));
  const writePackages = (source) => {
    for (const [index, name] of names.flat().entries()) {
      for (const version of ['1.0.0', '1.1.0', '1.2.0'])
        writePackage(join(source, `${index}-${version}`), name, version, contents[index % count]);
    }
  };
  const [upstream, local] = [
    forWebServer(await buildTree(folder, 'upstream', writePackages)),
    await buildTree(folder, 'local', writePackages),
  ];
  const data = await buildTree(folder, 'data', (source) =>
    writePackage(source, 'acme/app', '1.0.0', Buffer.from('<?php\n')),
  );
  const straight = { url: (await servers.nginx(upstream, undefined)).url };
  const token = await mirroring(folder, data, straight.url);
  const unused = Array.from({ length: rounds }, (_, round) => copyOf(data, join(folder, `unused-${round}`)));
  const mirror = { url: (await servers.proxy(data, { log: join(folder, 'mirror.log') })).url, token };
  const here = {
    url: (await servers.proxy(local, { log: join(folder, 'local.log') })).url,
    token: await makeToken(folder, local),
  };
  const times = { straight: [], cold: [], started: [], second: [], local: [] };
  const install = async (kind, from, packages) => times[kind].push(await installed(folder, from, packages));
  for (const from of [straight, mirror, mirror, here, here]) await installed(folder, from, names[0]);
  for (let round = 1; round <= rounds; round += 1) {
    say(`installs, round ${round} …`);
    const packages = names[round];
    // the order alternates, because the machine is slower after sixty archives were unpacked
    const firsts = [
      ['straight', straight],
      ['cold', mirror],
    ];
    for (const [kind, from] of round % 2 === 0 ? firsts : firsts.toReversed()) await install(kind, from, packages);
    await installed(folder, here, packages); // one request to each before the measurement
    const seconds = [
      ['local', here],
      ['second', mirror],
    ];
    for (const [kind, from] of round % 2 === 0
      ? [...seconds, ...seconds.toReversed()]
      : [...seconds.toReversed(), ...seconds])
      await install(kind, from, packages);
    const fresh = await servers.proxy(unused[round - 1], { log: join(folder, 'started.log') });
    await install('started', { url: fresh.url, token }, packages);
    await fresh.stop();
  }
  const of = Object.fromEntries(Object.entries(times).map(([kind, all]) => [kind, median(all)]));
  return [
    {
      what: `first install of ${count} packages, mirrored`,
      unit: 'ms',
      value: of.cold,
      besideValue: of.straight,
      beside: 'straight',
      ours: of.cold / of.straight,
      atMost: 1.3,
    },
    {
      what: 'the same, by a server that has just started',
      unit: 'ms',
      value: of.started,
      besideValue: of.straight,
      beside: 'straight',
      ours: of.started / of.straight,
    },
    {
      what: 'second install, mirrored',
      unit: 'ms',
      value: of.second,
      besideValue: of.local,
      beside: 'local',
      ours: of.second / of.local,
      atMost: 1.05,
    },
  ];
}

let made = 0;

/**
 * The milliseconds of an install into a new project. No file is removed before the end: ext4 skips inodes that have
 * just become free, one by one, so that a removal would slow down the next install.
 */
async function installed(folder, { url, token }, packages) {
  const [path, home] = [join(folder, `project-${(made += 1)}`), join(folder, `home-${made}`)];
  for (const at of [path, home]) mkdirSync(at);
  const require = Object.fromEntries(packages.map((name) => [name, '^1.0']));
  writeFileSync(
    join(path, 'composer.json'),
    JSON.stringify({
      require,
      repositories: [{ type: 'composer', url }, { 'packagist.org': false }],
      config: { 'secure-http': false },
    }),
  );
  if (token !== undefined)
    writeFileSync(join(path, 'auth.json'), JSON.stringify({ bearer: { [new URL(url).host]: token } }));
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    COMPOSER_HOME: join(home, 'composer'),
    COMPOSER_CACHE_DIR: join(home, 'cache'),
    COMPOSER_ALLOW_SUPERUSER: '1',
    COMPOSER_NO_INTERACTION: '1',
    LC_ALL: 'C.UTF-8',
  };
  return timed(() => run('composer', ['install', '--no-ansi', '--no-progress'], { cwd: path, env }));
}
