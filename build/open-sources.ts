// From what a source is to the thing that reads it. Each kind is loaded only when there is one: a build of git repositories never loads fast-glob.

import type { Output } from './output/output.ts';
import { readMemory } from './memory/source-memory.ts';
import type { OpenSource } from './scan.ts';
import type { Source } from './sources/release.ts';
import type { ChosenSource } from './sources/remembered.ts';

/** How long one git command may take to reach a remote or to answer. */
const gitTimeoutMs = 300_000;

export interface OpenSourcesOptions {
  readonly dataDirectory: string;
  readonly output: Output;
  /** false: what is remembered of sources is left aside */
  readonly trusted: boolean;
  readonly now: () => Date;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export async function openSources(chosen: readonly ChosenSource[], options: OpenSourcesOptions): Promise<readonly OpenSource[]> {
  return Promise.all(
    chosen.map(async (source) => ({
      chosen: source,
      remembered: options.trusted ? await readMemory(options.output, source.spec.id) : undefined,
      source: await openSource(source, options),
    })),
  );
}

async function openSource({ spec }: ChosenSource, options: OpenSourcesOptions): Promise<Source> {
  const { place } = spec;
  if (place.kind === 'directory') {
    const { createDirectorySource } = await import('./sources/directory/directory-source.ts');
    return createDirectorySource({ root: place.path, dataDirectory: options.dataDirectory, now: options.now });
  }
  const { createGitSource } = await import('./sources/git/git-source.ts');
  return createGitSource({
    location: 'url' in place ? { kind: 'url', url: place.url } : { kind: 'path', path: place.path },
    cacheDirectory: `${options.dataDirectory}/build/git`,
    timeoutMs: gitTimeoutMs,
    environment: options.environment,
  });
}
