// The folder of artifacts in one data folder, for the holder of the build lock. It moves ZIPs durably, builds this
// source alone, and looks up published artifacts.

import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { buildHoldingLock } from '../build.ts';
import type { BuildEffects, BuildRequest } from '../scan/build-request.ts';
import { artifactsFolder, retiredFolder, stagingFolder, stagingProcess } from '../contract/artifact-files.ts';
import type { PackageName } from '../contract/name.ts';
import { publicationPath } from '../contract/paths.ts';
import { parsePublication } from '../contract/publication.ts';
import type { IndexEntry } from '../contract/serving-index.ts';
import { openDataFolder } from '../sources/data-folder.ts';
import { processStart } from '../shared/process/process-start.ts';
import { readPublishedIndex } from '../memory/published-index.ts';
import { createDiskOutput } from '../output/disk-output.ts';
import { readOwnEntries } from '../output/parse-own-file.ts';
import { isMissing, withPath } from '../output/storage-error.ts';
import { syncPath } from '../output/sync-path.ts';
import type { BuildReport } from '../contract/build-report.ts';
import { parseSource } from '../sources/spec.ts';
import { changeTree } from '../store/change-tree.ts';
import type { Republished } from '../contract/republished.ts';

/**
 * An upload may take five minutes, and wait one minute for another build. Older files in the staging folder have no
 * owner.
 */
const staleMs = 3_600_000;

/** What a change of one version needs of a build. */
export interface VersionBuild {
  /** as for a build of everything */
  readonly request: BuildRequest;
  readonly effects: BuildEffects;
  /** how long to wait for another build's lock, milliseconds */
  readonly waitMs: number;
}

/** What can be read of the folder of artifacts and its published versions without the build lock. */
export interface ReadableArtifacts {
  /** id of the source that it is */
  readonly source: string;
  readonly dataDirectory: string;
  /** all retrievable versions of a package; empty for a lost index, which the next build derives again */
  readonly entries: (name: PackageName) => Promise<readonly IndexEntry[]>;
}

export interface ArtifactTree extends ReadableArtifacts {
  /** absolute, of a path below the folder of artifacts */
  readonly at: (path: string) => string;
  /** Durable. Both absolute; replaces an existing file. */
  readonly move: (from: string, to: string) => Promise<void>;
  readonly exists: (path: string) => Promise<boolean>;
  readonly remove: (path: string) => Promise<void>;
  /** Builds this source alone; all others stay as published. `allowWithdraw`: a person requested the withdrawals. */
  readonly build: (allowWithdraw?: boolean, allowRepublish?: Republished) => Promise<BuildReport>;
  /** What `build(true)` would change; changes nothing. */
  readonly planWithdrawal: () => Promise<BuildReport>;
  /** as `entries`; throws PackageDamaged if the index is lost */
  readonly published: (name: PackageName) => Promise<readonly IndexEntry[]>;
  /** the serial of the publication that readers see; 0 for none */
  readonly serial: () => Promise<number>;
}

/** Gives `work` the tree while no build runs. Throws BuildBusy after `waitMs`, and the errors of a build. */
export async function withArtifactTree<Result>(
  { request, effects, waitMs }: VersionBuild,
  work: (tree: ArtifactTree) => Promise<Result>,
): Promise<Result> {
  const dataDirectory = await openDataFolder(request.dataDirectory);
  return changeTree(dataDirectory, { ...effects, output: request.output, waitMs }, async () =>
    work(await openTree({ ...request, dataDirectory }, effects)),
  );
}

async function openTree(request: BuildRequest, effects: BuildEffects): Promise<ArtifactTree> {
  const { dataDirectory } = request;
  const folder = join(dataDirectory, artifactsFolder);
  for (const part of [stagingFolder, retiredFolder])
    await withPath(folder, mkdir(join(folder, part), { recursive: true, mode: 0o700 }));
  await sweep(join(folder, stagingFolder), effects.now().getTime() - staleMs);
  const location = `artifact:${folder}`;
  // omits the configured sources: a complete build withdraws those that left libretto.json
  const alone: BuildRequest = {
    ...request,
    arguments: [location],
    alone: true,
    configured: undefined,
    fallback: undefined,
    forget: [],
    strict: false,
    allowRepublish: false,
  };
  const at = (path: string): string => join(folder, path);
  const output = createDiskOutput(dataDirectory);
  return {
    ...readableArtifacts(dataDirectory),
    at,
    move,
    exists: async (path) => (await orMissing(stat(at(path)))) !== undefined,
    remove: (path) => rm(at(path), { force: true }),
    build: (allowWithdraw = false, allowRepublish = false) =>
      buildHoldingLock({ ...alone, allowWithdraw, allowRepublish }, effects),
    planWithdrawal: () => buildHoldingLock({ ...alone, allowWithdraw: true, dryRun: true }, effects),
    published: async (name) => (await readPublishedIndex(output, name))?.versions ?? [],
    serial: async () => {
      const text = await output.read('index', publicationPath);
      return text === undefined ? 0 : parsePublication(text).serial;
    },
  };
}

/** `dataDirectory`: absolute; it need not exist. */
export function readableArtifacts(dataDirectory: string): ReadableArtifacts {
  const output = createDiskOutput(dataDirectory);
  return {
    source: parseSource(`artifact:${join(dataDirectory, artifactsFolder)}`, dataDirectory, dataDirectory).id,
    dataDirectory,
    entries: (name) => readOwnEntries(output, name),
  };
}

/**
 * Removes the remains of killed processes. Files of a living process of this host stay, even if they seem old: the
 * clock may have been set since, or differ from that of a remote disk.
 */
async function sweep(folder: string, beforeMs: number): Promise<void> {
  for (const name of await withPath(folder, readdir(folder))) {
    const pid = stagingProcess(name);
    if (pid !== undefined && processStart(pid) !== undefined) continue;
    const facts = await orMissing(stat(join(folder, name)));
    if (facts?.isFile() === true && facts.ctimeMs < beforeMs) await rm(join(folder, name), { force: true });
  }
}

/**
 * Both absolute. The move is durable: if a power failure reverted it, another build would treat the version as
 * withdrawn.
 */
async function move(from: string, to: string): Promise<void> {
  await withPath(to, mkdir(dirname(to), { recursive: true }));
  await syncPath(from);
  await withPath(to, rename(from, to));
  const target = dirname(to);
  for (const path of new Set([dirname(from), target, dirname(target), dirname(dirname(target))])) await syncPath(path);
}

async function orMissing<Result>(operation: Promise<Result>): Promise<Result | undefined> {
  return operation.catch((error: unknown) => (isMissing(error) ? undefined : Promise.reject(error)));
}
