// Measures the metadata of 20 000 versions: 40 repositories of 500 tags with small trees, read again after the builder
// lost its memory. Every record is made again, and every archive stays.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { measuredBuild, median } from '../measure.mjs';
import { makeRepository } from '../php-repository.mjs';

export async function manyVersions({ folder, rounds, quick, say }) {
  const [repositories, tags] = quick ? [8, 250] : [40, 500];
  const places = Array.from({ length: repositories }, (_, index) => join(folder, `${index}.git`));
  for (const [index, place] of places.entries())
    await makeRepository(place, {
      name: `bench/library-${index}`,
      tags,
      files: 6,
      changedShare: 0.17,
      bytes: 800,
      composerEvery: 2,
    });
  const data = join(folder, 'data');
  const build = () => measuredBuild([...places, '--data', data], { cwd: folder });
  const cold = await build();
  say(`Cold, with every archive: ${(cold.ms / 1000).toFixed(1)} s, ${cold.mb.toFixed(0)} MB`);
  const anew = [];
  for (let round = 0; round < Math.min(rounds, 3); round += 1) {
    rmSync(join(data, 'build'), { recursive: true });
    anew.push(await build());
  }
  return [
    {
      what: `${repositories * tags} versions, metadata`,
      ours: median(anew.map(({ ms }) => ms)),
      unit: 'ms',
      atMost: 10_000,
      expected: '≤ 10 s',
    },
    {
      what: '  its peak memory',
      ours: median(anew.map(({ mb }) => mb)),
      unit: 'MB',
      atMost: 150,
      expected: '≤ 150 MB',
    },
  ];
}
