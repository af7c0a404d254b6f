// How long a build of a git repository takes, beside `git archive` of every tag into a ZIP, which is the least anyone would do.

import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { binary, median, run, table, timed, withFolder } from './measure.mjs';
import { makeRepository } from './php-repository.mjs';

const expected = { cold: 1, unchanged: 0.05 };

export const benchBuild = ({ rounds, say }) =>
  withFolder(async (folder) => {
    const repository = join(folder, 'repository.git');
    say('Generating the git repository …');
    await makeRepository(repository);
    const tags = (await run('git', ['-C', repository, 'tag', '--list'])).trim().split('\n');
    const times = { archive: [], cold: [], unchanged: [] };
    for (let round = 0; round < rounds; round += 1) {
      times.archive.push(await timed(() => archiveAll(repository, tags, join(folder, 'archives'))));
      const data = join(folder, `data-${round}`);
      const build = () => run(process.execPath, [binary, 'build', repository, '--data', data, '--json'], { cwd: folder });
      times.cold.push(await timed(build));
      times.unchanged.push(await timed(build));
      rmSync(data, { recursive: true });
    }
    const result = summary(times);
    say(`\nBuild of ${tags.length} tags × 300 PHP files, median of ${rounds}:\n${table(rowsOf(result))}\n`);
    return result;
  });

/** One `git archive` a tag, one after another, as a script would. */
async function archiveAll(repository, tags, target) {
  mkdirSync(target, { recursive: true });
  for (const tag of tags) await run('git', ['-C', repository, 'archive', '--format=zip', `--prefix=library-${tag}/`, `--output=${join(target, `${tag}.zip`)}`, tag]);
  rmSync(target, { recursive: true });
}

function summary(times) {
  const [archive, cold, unchanged] = [median(times.archive), median(times.cold), median(times.unchanged)];
  return { git_archive_ms: archive, cold_ms: cold, unchanged_ms: unchanged, cold_to_git_archive: cold / archive, unchanged_to_cold: unchanged / cold, rounds_ms: times };
}

const rowsOf = (result) => [
  { what: 'git archive of every tag', ms: result.git_archive_ms.toFixed(0), ratio: '', expected: '' },
  { what: 'libretto build, cold', ms: result.cold_ms.toFixed(0), ratio: result.cold_to_git_archive.toFixed(3), expected: `≤ ${expected.cold}` },
  { what: 'libretto build, unchanged', ms: result.unchanged_ms.toFixed(0), ratio: result.unchanged_to_cold.toFixed(3), expected: `≤ ${expected.unchanged} of cold` },
];
