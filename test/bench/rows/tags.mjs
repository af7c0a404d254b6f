// Measures a cold build of one git repository with many tags, with and without the archives.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { archiveAll, bare, measuredBuild, median, run, timed } from '../measure.mjs';
import { makeRepository } from '../php-repository.mjs';

/** 200 tags of 300 files, of which 5 % change from tag to tag. */
export async function tagsArchived({ folder, rounds, quick }) {
  const repository = join(folder, 'repository.git');
  await makeRepository(repository, { tags: quick ? 50 : 200 });
  const tags = (await run('git', ['-C', repository, 'tag', '--list'])).trim().split('\n');
  const [archive, cold, unchanged] = [[], [], []];
  for (let round = 0; round < rounds; round += 1) {
    archive.push(await timed(() => archiveAll(repository, tags, join(folder, 'archives'))));
    const data = join(folder, `data-${round}`);
    cold.push(await measuredBuild([repository, '--data', data], { cwd: folder }));
    unchanged.push(await measuredBuild([repository, '--data', data], { cwd: folder }));
    rmSync(data, { recursive: true });
  }
  const [floor, ms] = [median(archive), median(cold.map(({ ms: each }) => each))];
  return [
    {
      what: `git, cold, ${tags.length} tags archived`,
      ours: ms,
      unit: 'ms',
      beside: 'git archive',
      floor,
      times: 0.5,
      expected: '≤ 0.5 ×',
    },
    {
      what: '  its peak memory',
      ours: median(cold.map(({ mb }) => mb)),
      unit: 'MB',
      atMost: 300,
      expected: '≤ 300 MB',
    },
    {
      what: '  unchanged',
      ours: median(unchanged.map(({ ms: each }) => each)),
      unit: 'ms',
      beside: 'cold',
      floor: ms,
      times: 0.05,
      expected: '≤ 0.05 ×',
    },
  ];
}

/** 500 tags, read again after the builder lost its memory: every record is made again, and every archive stays. */
export async function tagsMetadata({ folder, rounds, quick }) {
  const repository = join(folder, 'repository.git');
  const tags = quick ? 100 : 500;
  await makeRepository(repository, { tags, files: 100, changedShare: 0.03, bytes: 1500, composerEvery: 5 });
  const data = join(folder, 'data');
  await measuredBuild([repository, '--data', data], { cwd: folder });
  const [floors, times, starts] = [[], [], []];
  for (let round = 0; round < rounds; round += 1) {
    floors.push(await timed(() => readComposerFiles(repository)));
    starts.push(await timed(() => run(process.execPath, ['--eval', ''], { env: bare })));
    rmSync(join(data, 'build'), { recursive: true });
    times.push((await measuredBuild([repository, '--data', data], { cwd: folder })).ms);
  }
  return [
    {
      what: `git, metadata of ${tags} tags`,
      ours: median(times),
      unit: 'ms',
      beside: 'for-each-ref, cat-file',
      floor: median(floors),
      times: 2,
      expected: '≤ 2 ×',
    },
    { what: '  node starting and ending', ours: median(starts), unit: 'ms' },
  ];
}

const readComposerFiles = (repository) =>
  run('sh', [
    '-c',
    'git -C "$1" for-each-ref --format=\'%(objectname):composer.json\' refs/tags refs/heads | git -C "$1" cat-file --batch > /dev/null',
    'sh',
    repository,
  ]);
