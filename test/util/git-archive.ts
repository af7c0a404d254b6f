// What `git archive` puts into an archive of a commit: the yardstick for our own.

import { execFileSync } from 'node:child_process';

import type { TestRepository } from './git-repository.ts';

/** Paths of files and symlinks, sorted; folders are not told. */
export function archivedPaths(repository: TestRepository, commit: string): string[] {
  const tar = repository.gitBytes('archive', '--format=tar', commit);
  const names = execFileSync('tar', ['--list', '--file=-', '--quoting-style=literal'], { input: tar, env: { PATH: process.env['PATH'] ?? '', LC_ALL: 'C.UTF-8' }, maxBuffer: 1 << 28 });
  return names.toString('utf8').split('\n').filter((name) => name !== '' && !name.endsWith('/')).sort();
}
