// Measures one cold build of ten git repositories with the sizes of well-known PHP libraries: 1 764 tags, of 20 to 1
// 300 files.

import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { archiveAll, measuredBuild, median, run, timed } from '../measure.mjs';
import { makeRepository } from '../php-repository.mjs';

/** Tags, files, the average size of a file in bytes, and the share of files that change from tag to tag. */
const shapes = [
  [12, 20, 2300, 0.1],
  [30, 60, 2200, 0.1],
  [37, 40, 6000, 0.1],
  [46, 90, 5600, 0.1],
  [90, 250, 6000, 0.08],
  [112, 660, 3200, 0.05],
  [180, 620, 3800, 0.05],
  [250, 1000, 1700, 0.04],
  [357, 1300, 5000, 0.02],
  [650, 440, 3100, 0.02],
];

export async function realShape({ folder, rounds, quick }) {
  const repositories = [];
  for (const [index, [tags, files, bytes, changedShare]] of shapes.entries()) {
    const path = join(folder, `${index + 1}.git`);
    await makeRepository(path, {
      name: `bench/real-${index + 1}`,
      tags: quick ? Math.ceil(tags / 10) : tags,
      files,
      bytes,
      changedShare,
      composerEvery: 7,
      variant: index + 1,
    });
    repositories.push({ path, tags: (await run('git', ['-C', path, 'tag', '--list'])).trim().split('\n') });
  }
  const [archive, cold] = [[], []];
  for (let round = 0; round < Math.min(rounds, 3); round += 1) {
    archive.push(await timed(() => archiveEach(repositories, join(folder, 'archives'))));
    const data = join(folder, `data-${round}`);
    cold.push(await measuredBuild([...repositories.map(({ path }) => path), '--data', data], { cwd: folder }));
    rmSync(data, { recursive: true });
  }
  const versions = repositories.reduce((sum, { tags }) => sum + tags.length, 0);
  return [
    {
      what: `10 repositories, cold, ${versions} tags archived`,
      ours: median(cold.map(({ ms }) => ms)),
      unit: 'ms',
      beside: 'git archive',
      floor: median(archive),
      times: 0.17,
      expected: '≤ 0.17 ×',
    },
    {
      what: '  its peak memory',
      ours: median(cold.map(({ mb }) => mb)),
      unit: 'MB',
      atMost: 200,
      expected: '≤ 200 MB',
    },
    {
      what: '  processors it keeps busy, git included',
      ours: median(cold.map(({ ms, cpuMs }) => (100 * cpuMs) / ms)),
      unit: '%',
      atLeast: 170,
      expected: '≥ 170 %',
    },
  ];
}

async function archiveEach(repositories, target) {
  mkdirSync(target, { recursive: true });
  for (const { path, tags } of repositories) await archiveAll(path, tags, target);
}
