// Measures folders of packages: the first archiving against `zip -qr` of each, and a repeated scan against a stat of
// every file.

import { lstatSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { bare, measuredBuild, median, run, timed } from '../measure.mjs';
import { makePackages } from '../php-packages.mjs';

export async function directoriesCold({ folder, rounds, quick }) {
  const source = join(folder, 'packages');
  const places = makePackages(source, { packages: quick ? 40 : 190, files: 63, bytes: 3000 });
  const [floors, builds] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    floors.push(await timed(() => zipAll(places, join(folder, 'zips'))));
    const data = join(folder, `data-${round}`);
    builds.push(await measuredBuild([source, '--data', data], { cwd: folder }));
    rmSync(data, { recursive: true });
  }
  return [
    {
      what: `${places.length} directories × 63 files, cold`,
      ours: median(builds.map(({ ms }) => ms)),
      unit: 'ms',
      beside: 'zip -qr',
      floor: median(floors),
      times: 0.5,
      expected: '≤ 0.5 ×',
    },
    {
      what: '  its peak memory',
      ours: median(builds.map(({ mb }) => mb)),
      unit: 'MB',
      atMost: 300,
      expected: '≤ 300 MB',
    },
  ];
}

async function zipAll(places, target) {
  mkdirSync(target, { recursive: true });
  for (const [index, place] of places.entries())
    await run('zip', ['-qr', join(target, `${index}.zip`), '.'], { cwd: place });
  rmSync(target, { recursive: true });
}

export async function directoriesUnchanged({ folder, rounds, quick }) {
  const source = join(folder, 'packages');
  const count = quick ? 200 : 1000;
  makePackages(source, { packages: count, files: 23, bytes: 500 });
  const build = () => measuredBuild([source, '--data', join(folder, 'data')], { cwd: folder });
  await settled();
  await build();
  const [stats, starts, times] = [[], [], []];
  for (let round = 0; round < rounds; round += 1) {
    stats.push(await timed(() => statAll(source)));
    starts.push(await timed(() => run(process.execPath, ['--eval', ''], { env: bare })));
    times.push((await build()).ms);
  }
  const start = median(starts);
  return [
    {
      what: `${count} directories × 23 files, unchanged`,
      ours: median(times),
      unit: 'ms',
      beside: 'stat of every file',
      floor: median(stats),
      times: 3,
      plus: start,
      expected: `≤ 3 × + ${start.toFixed(0)} ms Node`,
    },
  ];
}

/** In this process, so that the time excludes the start of Node. */
function statAll(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) statAll(path);
    else lstatSync(path);
  }
}

/** A file that was touched less than two seconds before a build is read again in the next. */
const settled = () => new Promise((resolve) => setTimeout(resolve, 2500));
