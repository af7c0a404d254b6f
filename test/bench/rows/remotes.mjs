// Measures many unchanged repositories behind URLs against `git ls-remote` of each, eight at a time.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bare, measuredBuild, median, run, timed } from '../measure.mjs';
import { makeSmallRepositories } from '../php-repository.mjs';
import { startRefServer } from '../ref-server.mjs';

export async function remotes({ folder, rounds, quick }) {
  const count = quick ? 50 : 200;
  const root = join(folder, 'repositories');
  await makeSmallRepositories(root, count, { tags: 10 });
  const server = await startRefServer(root);
  try {
    const urls = Array.from({ length: count }, (_, index) => `${server.url}/${index + 1}.git`);
    writeFileSync(join(folder, 'libretto.json'), JSON.stringify({ sources: urls }));
    writeFileSync(join(folder, 'urls'), urls.map((url) => `${url}\n`).join(''));
    const build = () => measuredBuild(['--data', join(folder, 'data')], { cwd: folder });
    await build();
    const [floors, times] = [[], []];
    for (let round = 0; round < rounds; round += 1) {
      floors.push(
        await timed(() =>
          run('sh', ['-c', 'xargs -P 8 -n 1 git ls-remote -q < urls'], {
            cwd: folder,
            env: { ...bare, GIT_CONFIG_NOSYSTEM: '1' },
          }),
        ),
      );
      times.push((await build()).ms);
    }
    return [
      {
        what: `${count} remote repositories, unchanged`,
        ours: median(times),
        unit: 'ms',
        beside: 'git ls-remote × 8',
        floor: median(floors),
        times: 1.5,
        expected: '≤ 1.5 ×',
      },
    ];
  } finally {
    await server.close();
  }
}
