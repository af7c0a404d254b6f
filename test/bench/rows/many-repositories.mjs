// Measures 5 000 unchanged bare repositories of ten tags on this disk, each a source.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { measuredBuild, median } from '../measure.mjs';
import { makeSmallRepositories } from '../php-repository.mjs';

export async function manyRepositories({ folder, rounds, quick, say }) {
  const count = quick ? 200 : 5000;
  const root = join(folder, 'repositories');
  await makeSmallRepositories(root, count);
  writeFileSync(
    join(folder, 'libretto.json'),
    JSON.stringify({ sources: Array.from({ length: count }, (_, index) => `${root}/${index + 1}.git`) }),
  );
  const build = () => measuredBuild(['--data', join(folder, 'data')], { cwd: folder });
  const cold = await build();
  say(`Cold: ${(cold.ms / 1000).toFixed(1)} s, ${cold.mb.toFixed(0)} MB`);
  const unchanged = [];
  for (let round = 0; round < rounds; round += 1) unchanged.push(await build());
  return [
    {
      what: `${count} local repositories × 10 tags, unchanged`,
      ours: median(unchanged.map(({ ms }) => ms)),
      unit: 'ms',
      atMost: 1500,
      expected: '≤ 1.5 s',
    },
    {
      what: '  its peak memory',
      ours: median(unchanged.map(({ mb }) => mb)),
      unit: 'MB',
      atMost: 150,
      expected: '≤ 150 MB',
    },
  ];
}
