// Reads all versions of a repository. A build loads this module only for a repository with changed refs.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonValue } from '../../contract/json.ts';
import type { Quarantine } from '../../contract/quarantine.ts';
import { quoteForShell } from '../../shared/text/quote-for-shell.ts';
import { GitFailure } from '../git-failure.ts';
import type { Scan, Release } from '../release.ts';
import { LfsPointers } from './lfs-pointers.ts';
import { openObjects, type ObjectStore } from './object-store.ts';
import { formatGitMemory, parseGitMemory } from './outcome.ts';
import { readRepositoryVersions, type RepositoryVersionsOptions } from './read-versions.ts';
import { hasRefs, type Refs } from './refs.ts';
import type { GitSourceOptions, OpenRepository, Repository, ScanContext } from './scan-context.ts';
import { ScratchRepositories } from './scratch-repository.ts';
import { describePatterns, type GitSelection } from './selection.ts';
import type { TagVerifier } from './tag-verifier.ts';
import { isSearched } from '../directory/folder-rules.ts';
import { below } from './folders.ts';

/** `discard` deletes the copy of a remote repository. Throws GitFailure and FetchNeeded. */
export async function readRepository(
  { refs, directory }: Repository,
  { options, previous, fingerprint, state }: ScanContext,
  discard?: () => void,
): Promise<Scan> {
  if (!hasRefs(refs)) throw new GitFailure(`No tag or branch matches ${describePatterns(options)}.`);
  const { environment, timeoutMs, cacheDirectory, location, referenceSource } = options;
  const store = openObjects(directory.own, options);
  const pointers = new LfsPointers(store);
  const verifier = await openVerifier(directory.own, options);
  state.remarks = () => [...pointers.describe(), ...(verifier?.remarks() ?? [])];
  const scratch = new ScratchRepositories(cacheDirectory);
  state.close = async () => {
    await Promise.all([store.close(), scratch.close(), verifier?.close()]);
    if (store.sawBroken) discard?.();
  };
  const versions = await readRepositoryVersions(refs, store, parseGitMemory(parseDetail(previous?.detail)), {
    selection: options,
    pointers,
    access: { directory, environment, timeoutMs, scratch },
    signatures: verifier && { store, verifier },
    ...distsFor(options, state),
    sourceUrl: referenceSource === 'include' && location.kind === 'url' ? location.url : undefined,
  });
  const { releases, former, quarantined, notices, memory, unsettled } = versions;
  state.broken = store.sawBroken;
  if (releases.length === 0 && quarantined.length === 0)
    throw nothingToPublish(notices, await monorepoAdvice(store, refs, options));
  // A repair of broken objects moves no ref, nor does an installation of ssh-keygen or a dist that comes back: the
  // fingerprint must differ from every later one.
  return {
    outcome: 'read',
    releases,
    former,
    quarantined: [...quarantined, ...leftOutOfClone(directory.common, options)],
    notices: [...notices, ...unreleasedNotices(versions, options)],
    memory: {
      fingerprint: `${fingerprint(refs)}${state.broken || unsettled > 0 ? ' incomplete' : ''}`,
      detail: JSON.stringify(formatGitMemory(memory)),
    },
  };
}

/** A checkout of CI is shallow. Without this row, a tree of its one version would withdraw all others. */
function leftOutOfClone(gitDirectory: string, { from }: GitSourceOptions): readonly Quarantine[] {
  // the registry itself fetches a registered repository, and looks at it in a shallow copy
  if (from === 'registered' || !existsSync(join(gitDirectory, 'shallow'))) return [];
  const message =
    'the clone is shallow, so tags and branches may be missing. Fetch them: git fetch --unshallow --tags. Or name the ' +
    'address of the repository as the source';
  return [{ code: 'BROKEN_OBJECT', message, where: 'the repository', name: null, version: null }];
}

function nothingToPublish(notices: readonly string[], advice: string): GitFailure {
  const reason = notices.at(-1) ?? 'no tag or branch has a composer.json';
  return new GitFailure(`There is no version to publish: ${reason}.${advice}`);
}

function distsFor(
  { downloads, location }: GitSourceOptions,
  state: OpenRepository,
): Pick<RepositoryVersionsOptions, 'repository' | 'openDists'> {
  if (downloads === undefined) return { repository: undefined, openDists: undefined };
  return {
    repository: location.kind === 'url' ? location.url : location.path,
    openDists: async () => (state.dists ??= (await import('./fetched-dists.ts')).openFetchedDists(downloads)),
  };
}

/** undefined: the registry knows no signers. A build loads the module only with signers. */
async function openVerifier(
  gitDirectory: string,
  { signers, environment, timeoutMs }: GitSourceOptions,
): Promise<TagVerifier | undefined> {
  if (signers === undefined) return undefined;
  const { createTagVerifier } = await import('./tag-verifier.ts');
  return createTagVerifier({ signers, gitDirectory, environment, timeoutMs });
}

/**
 * The detail stays a text until a repository has changed, since its parsed rows need many times the memory. Gives
 * undefined for any other value.
 */
function parseDetail(detail: JsonValue | undefined): JsonValue | undefined {
  try {
    return typeof detail === 'string' ? (JSON.parse(detail) as JsonValue) : undefined;
  } catch {
    // A foreign or damaged text: the scan reads all versions again.
    return undefined;
  }
}

// The advice for a repository without a composer.json in its root: the packages in its folders, and the source to write
// for them.

/** More than a sensible repository has. Reading them takes seconds. */
const maxFolders = 10_000;

/** '' if no folder has a composer.json. Throws QuarantineError and GitFailure. */
async function monorepoAdvice(
  store: ObjectStore,
  { head, branches, tags }: Refs,
  { location, subdirectories, from = 'configuration' }: Pick<GitSourceOptions, 'location' | 'subdirectories' | 'from'>,
): Promise<string> {
  const named = 'branch' in head ? branches.find(({ name }) => name === head.branch) : undefined;
  const ref = named ?? branches[0] ?? tags.at(-1);
  const commit = ref === undefined ? undefined : await store.peel(ref.peeled ?? ref.oid);
  if (subdirectories !== undefined || commit === undefined) return '';
  const { found, all } = await packagesIn(store, (await store.commit(commit)).tree);
  const rest = all ? '' : ` Only the first ${maxFolders} folders were searched for packages.`;
  if (found.length === 0) return rest;
  const patterns = patternsOf(found);
  const flags = patterns.map((pattern) => ` --subdirectory ${quoteForShell(pattern)}`).join('');
  const [field, place] = location.kind === 'url' ? ['url', location.url] : ['path', location.path];
  const remedies = {
    argument: `run \`libretto build ${quoteForShell(place)}${flags}\``,
    registered: `run \`libretto repository update ID${flags}\``,
    configuration: `write into libretto.json: ${JSON.stringify({ sources: [{ type: 'git', [field]: place, subdirectories: patterns }] })}`,
  };
  return `${rest} Packages are in folders below (${found.length}). To publish them, ${remedies[from]}`;
}

/** The folders with a composer.json, level by level, without those in one another. `all`: no folder is unread. */
async function packagesIn(store: ObjectStore, rootTree: string): Promise<{ found: readonly string[]; all: boolean }> {
  const found: string[] = [];
  const folders = [{ folder: '', tree: rootTree }];
  for (const { folder, tree } of folders) {
    const entries = await store.tree(tree);
    if (folder !== '' && entries.some(({ name, kind }) => name === 'composer.json' && kind !== 'submodule'))
      found.push(folder);
    else
      for (const { name, kind, oid, utf8 } of entries)
        if (kind === 'tree' && utf8 && isSearched(name) && folders.length <= maxFolders)
          folders.push({ folder: below(folder, name), tree: oid });
  }
  return { found: found.sort(), all: folders.length <= maxFolders };
}

/** `packages/*` for several folders in `packages`. */
function patternsOf(folders: readonly string[]): readonly string[] {
  const parents = folders.map((folder) => folder.replace(/[^/]*$/, ''));
  const isShared = (parent: string): boolean =>
    parent !== '' && parents.indexOf(parent) !== parents.lastIndexOf(parent);
  return [...new Set(folders.map((folder, at) => (isShared(parents[at] ?? '') ? `${parents[at]}*` : folder)))];
}

// The notice about a package whose repository has no tag of a version. Composer does not install such a package by
// default: the notice says how to install it, and how to release it. Pure.

const mostNamed = 3;

export interface RepositoryReleases {
  readonly releases: readonly Pick<Release, 'name' | 'version' | 'dev' | 'defaultBranch'>[];
  /** a tag among these may be a release */
  readonly quarantined: readonly unknown[];
}

/** The notice for a repository whose tags are all published; empty if every package has a release. */
export function unreleasedNotices(
  { releases, quarantined }: RepositoryReleases,
  { refs }: Pick<GitSelection, 'refs'>,
): string[] {
  if (refs !== undefined || quarantined.length > 0) return [];
  const released = new Set(releases.filter(({ dev }) => !dev).map(({ name }) => name));
  const waiting = releases.filter(({ name }) => !released.has(name));
  const example = waiting.find(({ defaultBranch }) => defaultBranch) ?? waiting[0];
  if (example === undefined) return [];
  const names = [...new Set(waiting.map(({ name }) => name))];
  const more = names.length - mostNamed;
  const shown = `${names.slice(0, mostNamed).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  return [
    `${shown} ${names.length === 1 ? 'has' : 'have'} no release, because no tag names a version. Composer installs ` +
      `${names.length === 1 ? 'it' : 'such a package'} as ${example.name}:${example.version}. For a release, tag a ` +
      'commit: git tag 1.0.0',
  ];
}
