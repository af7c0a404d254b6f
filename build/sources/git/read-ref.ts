// Reads one tag or branch: finds its version by Composer's rules (VcsRepository.php, initialize), and decides if the
// version can be published.
//
// A ref that Composer also skips is skipped with a notice: a name that is no version, no composer.json, a tag that is
// no commit, a second tag for one version. A ref that was meant as a release, but that Composer skips silently or fails
// on, is quarantined. Examples are broken JSON, an invalid constraint, and a `version` that Composer rejects. Another
// example is a `version` that differs from the tag, usually a forgotten edit before tagging.

import { branchVersion, type VersionOrSkip } from '../../contract/branch.ts';
import { type JsonObject, isJsonObject } from '../../contract/json.ts';
import type { PackageName } from '../../contract/name.ts';
import { parseDistLabel } from '../../contract/paths.ts';
import { tagVersion } from '../../contract/tag.ts';
import { normalizeVersion } from '../../contract/version.ts';
import { releaseTimeOf } from '../../record/release-time.ts';
import { QuarantineError } from '../../contract/quarantine.ts';
import { checkedComposerJson, ownNameOf, type ComposerFiles } from './composer-file.ts';
import { findFolder, matchFolders } from './folders.ts';
import type { ObjectStore } from './object-store.ts';
import type { PackagePlace } from './package-files.ts';
import type { RefOutcome } from './outcome.ts';
import { decodeRefName, type Ref } from './refs.ts';
import type { GitSelection } from './selection.ts';
import { basename } from 'node:path';
import { isSet } from '../../record/php-array.ts';
import { readDist, type InlineDist } from '../package/inline-record.ts';

export type RefKind = 'tag' | 'branch';

export interface RefReader {
  readonly store: ObjectStore;
  readonly composerFiles: ComposerFiles;
  /** the name that the default branch gives to all versions of the package in a folder */
  readonly names: ReadonlyMap<string, PackageName>;
  readonly selection: GitSelection;
  /** its path or URL; undefined for a copy that only a probe reads */
  readonly repository: string | undefined;
}

/** The version that a ref names, before any object is read. */
interface RefVersion {
  readonly kind: RefKind;
  readonly name: string;
  readonly version: Exclude<VersionOrSkip, { readonly skip: string }>;
}

/** One outcome for each package of the ref, or a single one for a skipped ref. Throws GitFailure only. */
export async function readRef(reader: RefReader, kind: RefKind, ref: Ref): Promise<readonly RefOutcome[]> {
  const where = describeRef(kind, ref);
  const found = { name: reader.names.get('') ?? null, version: null as string | null };
  return quarantining('', found, async () => {
    const name = decodeRefName(ref.name);
    if (name === undefined)
      throw new QuarantineError('UNSAFE_PATH', `The name of this ${kind} is not valid UTF-8. Rename it.`);
    const version = kind === 'tag' ? tagVersion(name) : versionOfBranch(name);
    if ('skip' in version) return [skipped(version.skip)];
    found.version = version.version;
    const commit = await reader.store.peel(ref.peeled ?? ref.oid);
    if (commit === undefined) return [skipped(`${where}: it does not point at a commit`)];
    const { subdirectories } = reader.selection;
    if (subdirectories === undefined) return readPackage(reader, { kind, name, version }, { commit, folder: '' });
    const folders = await matchFolders(
      reader.store,
      (await reader.store.commit(commit)).tree,
      subdirectories,
      'composer.json',
    );
    if (folders.length === 0) return [skipped(`${where}: there is no composer.json in ${subdirectories.join(', ')}`)];
    return (
      await Promise.all(folders.map((folder) => readPackage(reader, { kind, name, version }, { commit, folder })))
    ).flat();
  });
}

/** One package of a commit. */
function readPackage(reader: RefReader, named: RefVersion, place: PackagePlace): Promise<readonly RefOutcome[]> {
  const found = { name: reader.names.get(place.folder) ?? null, version: named.version.version as string | null };
  return quarantining(place.folder, found, async () => [await judgePackage(reader, named, place, found)]);
}

/** `found`: the known facts of the version when it turns out to be broken. */
async function quarantining(
  folder: string,
  found: { readonly name: string | null; readonly version: string | null },
  read: () => Promise<readonly RefOutcome[]>,
): Promise<readonly RefOutcome[]> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof QuarantineError)) throw error;
    const { code, message } = error;
    const passing = code === 'BROKEN_OBJECT' ? { passing: true as const } : {};
    return [{ kind: 'quarantined', folder, code, message, ...found, ...passing }];
  }
}

async function judgePackage(
  reader: RefReader,
  { kind, name: refName, version: named }: RefVersion,
  place: PackagePlace,
  found: { name: string | null; version: string | null },
): Promise<RefOutcome> {
  const { commit, folder } = place;
  const where = describePlace(`${kind} ${refName}`, folder);
  const composerFile = await reader.composerFiles.find(place);
  const json = composerFile === undefined ? undefined : await reader.composerFiles.read(composerFile, place, where);
  if (composerFile === undefined || json === undefined) return skipped(`${where}: it has no composer.json`);
  const { version, normalized } = kind === 'tag' ? declaredVersion(refName, json) : named;
  found.version = version;
  if (normalizeVersion(version) !== normalized)
    return skipped(`${where}: Composer would not take its label ${JSON.stringify(version)} for the same version again`);
  const { name } = checkedComposerJson(json, reader.names.get(folder));
  found.name = name;
  const label = parseDistLabel(version);
  if ('refusal' in label)
    throw new QuarantineError(
      'UNSAFE_PATH',
      `The version ${JSON.stringify(version)} cannot be the name of an archive: ${label.refusal}. Rename the ${kind}.`,
    );
  const { authorTime, committerTime } = await reader.store.commit(commit);
  const dist = namedDist(json, reader.repository, `${version} ${commit}`);
  const ownName = ownNameOf(json);
  return {
    kind: 'release',
    folder,
    commit,
    name,
    formerName: ownName === name ? undefined : ownName,
    version,
    time: secondsOf(releaseTimeOf(json['time'])) ?? authorTime ?? null,
    committerTime: committerTime ?? authorTime ?? 0,
    submodules: dist === undefined && (await hasSubmodules(reader.store, place)),
    composerFile,
    ...(dist === undefined ? {} : { dist }),
  };
}

function secondsOf(time: string | undefined): number | undefined {
  return time === undefined ? undefined : Date.parse(time) / 1000;
}

/** Examines only the top folder, which is enough for a whole repository. */
async function hasSubmodules(store: ObjectStore, { commit, folder }: PackagePlace): Promise<boolean> {
  const root = await findFolder(store, (await store.commit(commit)).tree, folder);
  return (
    root !== undefined &&
    (await store.tree(root)).some(({ name, kind }) => kind === 'submodule' || (folder === '' && name === '.gitmodules'))
  );
}

/** For people: `tag v1.0.0, folder packages/a`. */
export function describePlace(ref: string, folder: string): string {
  return folder === '' ? ref : `${ref}, folder ${folder}`;
}

/** For people: `tag v1.0.0`, `branch main`. */
export function describeRef(kind: RefKind, ref: Ref): string {
  return `${kind} ${decodeRefName(ref.name) ?? JSON.stringify(ref.name)}`;
}

function skipped(notice: string): RefOutcome {
  return { kind: 'skipped', notice };
}

/** Composer drops `origin/HEAD` and its like out of the list of branches (GitDriver.php, getBranches). */
function versionOfBranch(name: string): VersionOrSkip {
  return /^[^/]+\/HEAD$/.test(name) || name.startsWith('-')
    ? { skip: `branch ${name}: Composer does not accept this name for a branch` }
    : branchVersion(name);
}

/** The tag's version combined with the `version` of its composer.json. Throws QuarantineError. */
function declaredVersion(tag: string, json: JsonObject): Exclude<VersionOrSkip, { readonly skip: string }> {
  const declared = json['version'] ?? undefined;
  if (declared !== undefined && typeof declared !== 'string') {
    throw new QuarantineError(
      'VERSION_INVALID',
      `"version" in composer.json is ${JSON.stringify(declared)}; it must be a string. Remove it: the tag ` +
        'defines the version.',
    );
  }
  const version = tagVersion(tag, declared);
  if (!('skip' in version)) return version;
  if (declared === undefined || normalizeVersion(declared) === undefined) {
    throw new QuarantineError(
      'VERSION_INVALID',
      `Composer does not accept the version ${JSON.stringify(declared)} in composer.json. Remove it: the tag ` +
        'defines the version.',
    );
  }
  throw new QuarantineError(
    'VERSION_MISMATCH',
    `The tag is ${tag}, but its composer.json has version ${declared}. Remove "version" from composer.json, ` +
      'then delete this tag or create it again.',
  );
}

// The dist that a composer.json of a repository names itself. Composer installs it in place of the files of the commit
// (VcsRepository.php, preProcess; ArrayLoader.php).

/**
 * The dist in a composer.json; undefined: the version has the files of its commit. `repository`: its path or URL, if
 * known. `content`: the version and its commit; without a shasum, other ones may have other bytes at the same URL.
 * Throws QuarantineError INVALID_DIST where Composer fails, and where it would install another repository's files.
 */
function namedDist(
  { dist, source }: JsonObject,
  repository: string | undefined,
  content: string,
): InlineDist | undefined {
  if (isSet(source) && !(isJsonObject(source) && [source['type'], source['url'], source['reference']].every(isSet)))
    throw new QuarantineError(
      'INVALID_DIST',
      'Composer refuses the "source" in its composer.json: it is no object with type, url and reference. Remove it; ' +
        'the address of the sources belongs to "support".',
    );
  if (isSet(dist)) {
    const parsed = readDist(dist);
    if (parsed.remote && parsed.shasum !== undefined) return parsed;
    if (parsed.remote) return { ...parsed, reference: `${parsed.reference} ${content}` };
    throw new QuarantineError('INVALID_DIST', `The dist in its composer.json is the path ${parsed.url}, and no URL.`);
  }
  if (!isJsonObject(source) || repository === undefined) return undefined;
  if (nameOf(String(source['url'])) === nameOf(repository)) return undefined;
  throw new QuarantineError(
    'INVALID_DIST',
    'The "source" in its composer.json is another repository. List that repository as a source of type git.',
  );
}

/** `lib` of `git@host:acme/lib.git`, and of the folder of a clone. */
function nameOf(repository: string): string {
  return basename(repository.replace(/\/?\.git\/?$/, '').replace(/^.*:/, '')).toLowerCase();
}
