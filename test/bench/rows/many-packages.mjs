// Measures 5 000 packages in one folder: without a change, and with one changed package.

import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { measuredBuild, median } from '../measure.mjs';
import { makePackages, write } from '../php-packages.mjs';

export async function manyPackages({ folder, rounds, quick, say }) {
  const source = join(folder, 'packages');
  const data = join(folder, 'data');
  const places = makePackages(source, { packages: quick ? 500 : 5000, files: 20, bytes: 400 });
  const build = () => measuredBuild([source, '--data', data], { cwd: folder });
  await sleep(2500);
  await build();
  const [unchanged, changed] = [[], []];
  let written;
  for (let round = 0; round < rounds; round += 1) {
    unchanged.push(await build());
    write(join(places[3], 'composer.json'), JSON.stringify({ name: 'bench/package-3', version: `2.${round}.0` }));
    await sleep(2500);
    const before = stampsBelow(data);
    changed.push(await build());
    written = [...stampsBelow(data)]
      .filter(([path, stamp]) => before.get(path) !== stamp)
      .map(([path]) => path.slice(data.length + 1));
  }
  say(`One changed package writes: ${written.join(' ')}`);
  const floor = median(unchanged.map(({ ms }) => ms));
  return [
    {
      what: `${places.length} packages × 20 files, unchanged`,
      ours: floor,
      unit: 'ms',
      atMost: 2000,
      expected: '≤ 2 s',
    },
    {
      what: '  its peak memory',
      ours: median(unchanged.map(({ mb }) => mb)),
      unit: 'MB',
      atMost: 250,
      expected: '≤ 250 MB',
    },
    {
      what: '  one of them changed',
      ours: median(changed.map(({ ms }) => ms)),
      unit: 'ms',
      beside: 'unchanged',
      floor,
      times: 1.2,
      expected: '≤ 1.2 ×',
      written,
    },
  ];
}

function stampsBelow(folder, stamps = new Map()) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) stampsBelow(path, stamps);
    else stamps.set(path, `${statSync(path).ino} ${statSync(path).mtimeMs}`);
  }
  return stamps;
}
