// Opens a git source for one test: it is scanned, used while it is open, and closed.

import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { createGitSource } from '../../build/sources/git/git-source.ts';
import type { GitSourceOptions } from '../../build/sources/git/scan-context.ts';
import type { ContentListing } from '../../build/archive/content.ts';
import type { Release, Scan, SourceMemory } from '../../build/sources/release.ts';
import { testGitEnvironment } from './git-repository.ts';

export type ReadScan = Extract<Scan, { outcome: 'read' }>;

export type ScanOptions = Partial<GitSourceOptions> & {
  readonly path?: string;
  readonly url?: string;
  readonly cacheDirectory: string;
  readonly previous?: SourceMemory;
};

/** The current copy of the one remote below `root`, a cache directory. */
export function currentCopy(root: string): string {
  const folder = join(root, readdirSync(root)[0] ?? '');
  const { copy } = JSON.parse(readFileSync(join(folder, 'snapshot.json'), 'utf8')) as { copy: string };
  return join(folder, copy);
}

/** Passes any result to `use` while the source is open. */
export async function withScan<Result>(
  { path = '', url, previous, ...options }: ScanOptions,
  use: (scan: Scan) => Result | Promise<Result>,
): Promise<Result> {
  const location =
    url === undefined ? { kind: 'path' as const, path } : { kind: 'url' as const, url, now: () => new Date() };
  const source = createGitSource({
    location,
    timeoutMs: 150_000,
    environment: { PATH: testGitEnvironment.PATH },
    ...options,
  });
  try {
    await source.fetch?.(previous);
    return await use(await source.scan(previous));
  } finally {
    await source.close();
  }
}

/** Like withScan, for a scan that read something; its memory is as stored and loaded. */
export function withReleases<Result>(
  options: ScanOptions,
  use: (scan: ReadScan) => Result | Promise<Result>,
): Promise<Result> {
  return withScan(options, (scan) => {
    if (scan.outcome !== 'read') throw new Error(JSON.stringify(scan));
    return use({ ...scan, memory: JSON.parse(JSON.stringify(scan.memory)) as SourceMemory });
  });
}

export function findRelease(scan: ReadScan, version: string, name?: string): Release {
  const release = scan.releases.find(
    (candidate) => candidate.version === version && (name === undefined || candidate.name === name),
  );
  if (release === undefined)
    throw new Error(
      `no ${name ?? ''} ${version} in ${scan.releases.map((each) => `${each.name} ${each.version}`).join(', ')}`,
    );
  return release;
}

export function listOf({ content }: Release): Promise<ContentListing> {
  if ('copyTo' in content) throw new Error('this release has an archive of its own');
  return content.list();
}
