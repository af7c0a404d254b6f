// Runs `git archive` on a commit, as the reference for Libretto's archives.

import { execFileSync } from 'node:child_process';
import AdmZip from 'adm-zip';

import type { Release } from '../../build/sources/release.ts';
import type { TestRepository } from './git-repository.ts';

/** Paths of files and symlinks, sorted, without folders. */
export function archivedPaths(repository: TestRepository, commit: string): string[] {
  const tar = repository.gitBytes('archive', '--format=tar', commit);
  const names = execFileSync('tar', ['--list', '--file=-', '--quoting-style=literal'], {
    input: tar,
    env: { PATH: process.env['PATH'] ?? '', LC_ALL: 'C.UTF-8' },
    maxBuffer: 1 << 28,
  });
  return names
    .toString('utf8')
    .split('\n')
    .filter((name) => name !== '' && !name.endsWith('/'))
    .sort();
}

/** Bytes by path, of files and symlinks (their targets). `operands` go to git archive, a commit or `commit -- path`. */
export function archivedContents(repository: TestRepository, ...operands: readonly string[]): Map<string, Buffer> {
  const zip = new AdmZip(repository.gitBytes('archive', '--format=zip', ...operands));
  return new Map(
    zip
      .getEntries()
      .filter(({ isDirectory }) => !isDirectory)
      .map((entry) => [entry.entryName, entry.getData()]),
  );
}

/** The bytes of all files of a release, by path. */
export async function contentsOf({ content }: Release): Promise<Map<string, Buffer>> {
  if ('copyTo' in content) throw new Error('this release has an archive of its own');
  const { files } = await content.list();
  const found = new Map<string, Buffer>();
  let index = 0;
  for await (const bytes of content.read(files)) found.set(files[index++]?.path ?? '', Buffer.from(bytes));
  return found;
}
