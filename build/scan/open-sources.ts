// Opens sources: from the description of a source to the object that reads it. The code of each kind is loaded only for
// a source of that kind: a build of git repositories never loads fast-glob.

import pLimit from 'p-limit';
import type { DeflateThreads } from '../archive/deflate-threads.ts';
import { readMemory, type RememberedSource } from '../memory/source-memory.ts';
import type { Output } from '../output/output.ts';
import type { OpenSource } from './scan.ts';
import type { GitSourceOptions } from '../sources/git/scan-context.ts';
import type { WaitOptions } from '../output/wait-for-lock.ts';
import type { Signers } from '../sources/git/signers.ts';
import { digestOptions, type InlinePackages } from '../sources/options.ts';
import type { Source } from '../sources/release.ts';
import type { ChosenSource } from './chosen-source.ts';

/** Sources that are elsewhere, opened once for a build and all its attempts. */
export interface RemoteSources {
  /**
   * Fetches the sources that were not fetched yet. Resolves with how many sources are elsewhere. Throws BuildRefused.
   */
  readonly fetch: () => Promise<number>;
  /** undefined for a source that never fetches; all others are closed here */
  readonly open: (chosen: ChosenSource, options: OpenSourcesOptions) => Promise<Source> | undefined;
  readonly has: (chosen: ChosenSource) => boolean;
  /** the total time of all fetches */
  readonly elapsedMs: () => number;
  readonly close: () => Promise<void>;
}

/** A build may have thousands of sources: files that are read at the same time all take their room at the same time. */
const parallelReads = 32;

export interface GitTimeouts {
  /**
   * time limit for a remote's list of refs, milliseconds: the list has a few kilobytes, and a hanging remote delays all
   * other sources of the build
   */
  readonly asking: number;
  /** milliseconds git may take to fetch, or be silent while it reads */
  readonly fetching: number;
}

export interface OpenSourcesOptions {
  readonly dataDirectory: string;
  readonly output: Output;
  /** threads for the reads of sources during their scan */
  readonly threads?: DeflateThreads;
  /** false: the build ignores the memory of sources */
  readonly trusted: boolean;
  /** ids of sources that the build reads again in full, and whose records it rebuilds */
  readonly stale: ReadonlySet<string>;
  /** patterns added to every package's `archive.exclude` */
  readonly archiveExcludes: readonly string[];
  /** the keys that may sign tags; undefined: signatures are not judged */
  readonly signers?: Signers | undefined;
  /** CIDR ranges that are no public addresses and may be fetched from all the same */
  readonly allowedAddresses: readonly string[];
  readonly now: () => Date;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly gitTimeouts: GitTimeouts;
  readonly stop?: AbortSignal;
  readonly progress?: WaitOptions['progress'];
  /** the sources fetched before the build took its lock */
  readonly remote?: RemoteSources | undefined;
}

export async function openSources(
  chosen: readonly ChosenSource[],
  options: OpenSourcesOptions,
): Promise<readonly OpenSource[]> {
  const limit = pLimit(parallelReads);
  return Promise.all(chosen.map((source) => limit(() => openOne(source, options))));
}

async function openOne(source: ChosenSource, options: OpenSourcesOptions): Promise<OpenSource> {
  const opened = options.remote?.open(source, options) ?? openSource(source, options);
  return { chosen: source, ...(await rememberedOf(source, options)), source: await opened };
}

/** Reads the memory of a source, and decides if the memory holds for the present options and settings. */
export async function rememberedOf(
  source: ChosenSource,
  options: OpenSourcesOptions,
): Promise<Omit<OpenSource, 'chosen' | 'source'>> {
  const { id, place } = source.spec;
  const optionsDigest = digestOptions(
    source.options,
    place.kind === 'directory' || place.kind === 'git' ? options.archiveExcludes : [],
  );
  let damage: string | undefined;
  const onDamage = (path: string): void => {
    damage = `${path} was damaged. The build read the source again and rebuilt it.`;
  };
  const remembered = options.trusted ? await readMemory(options.output, id, onDamage) : undefined;
  const renewed = remembered === undefined || options.stale.has(id) || remembered.options !== optionsDigest;
  return {
    optionsDigest,
    renewed,
    remembered: renewed ? invalidated(remembered) : remembered,
    ...(damage === undefined ? {} : { damage }),
  };
}

/** Keeps the names of the source's packages, and clears their digests, so that every package counts as changed. */
function invalidated(remembered: RememberedSource | undefined): RememberedSource | undefined {
  return (
    remembered && {
      ...remembered,
      memory: { fingerprint: '', detail: null },
      packages: Object.fromEntries(Object.keys(remembered.packages).map((name) => [name, ''])),
    }
  );
}

export async function openSource(chosen: ChosenSource, known: OpenSourcesOptions): Promise<Source> {
  const { spec, access } = chosen;
  const { place, location } = spec;
  if (access?.refusal !== undefined) return refusedSource(access.refusal);
  switch (place.kind) {
    case 'directory':
      return openDirectory(place.path, known);
    case 'artifact': {
      const { createArtifactSource } = await import('../sources/artifact/artifact-source.ts');
      return createArtifactSource({ root: place.path, dataDirectory: known.dataDirectory, now: known.now });
    }
    case 'package':
      if (place.inline === undefined) throw new Error(`${location}: its packages are not known`);
      return openPackages(place.inline, known);
    case 'received': {
      if (place.tree === undefined) throw new Error(`${location}: there is no copy of it to read`);
      const { createReceivedSource } = await import('../sources/received/received-source.ts');
      return createReceivedSource(place.tree, place, known.output);
    }
    case 'git':
      return openGit(
        'url' in place ? { kind: 'url', url: place.url, now: known.now } : { kind: 'path', path: place.path },
        chosen,
        known,
      );
  }
}

async function openDirectory(
  root: string,
  { dataDirectory, threads, archiveExcludes, now }: OpenSourcesOptions,
): Promise<Source> {
  const { createDirectorySource } = await import('../sources/directory/directory-source.ts');
  return createDirectorySource({
    root,
    dataDirectory,
    now,
    ...(threads === undefined ? {} : { threads }),
    extraExcludes: archiveExcludes,
  });
}

/** The packages that a source of libretto.json describes itself. */
async function openPackages(
  inline: InlinePackages,
  { dataDirectory, allowedAddresses, environment, now }: OpenSourcesOptions,
): Promise<Source> {
  const { createPackageSource } = await import('../sources/package/package-source.ts');
  return createPackageSource({
    ...inline,
    cacheDirectory: `${dataDirectory}/build/downloads`,
    allowAddresses: allowedAddresses,
    environment,
    now,
  });
}

async function openGit(
  location: GitSourceOptions['location'],
  { options, access, from }: ChosenSource,
  {
    dataDirectory,
    archiveExcludes,
    signers,
    environment,
    gitTimeouts,
    stop,
    progress,
    allowedAddresses,
    now,
  }: OpenSourcesOptions,
): Promise<Source> {
  const { createGitSource } = await import('../sources/git/git-source.ts');
  const { tags, branches, subdirectories, 'reference-source': referenceSource } = options;
  return createGitSource({
    location,
    cacheDirectory: `${dataDirectory}/build/git`,
    timeoutMs: gitTimeouts.fetching,
    askingTimeoutMs: gitTimeouts.asking,
    stop,
    progress,
    environment: access?.environment ?? environment,
    refs: tags === undefined && branches === undefined ? undefined : { tags, branches },
    subdirectories,
    from,
    referenceSource,
    signers,
    downloads: { directory: `${dataDirectory}/build/downloads`, allowAddresses: allowedAddresses, now },
    extraExcludes: archiveExcludes,
  });
}

/** A source that is known to be unreadable: it fails as any source may, and the build reads the others. */
function refusedSource(reason: string): Source {
  return { scan: async () => ({ outcome: 'failed', reason }), close: async () => undefined };
}
