// Reads one tag or branch: which version it is by Composer's rules (VcsRepository.php, initialize), and whether that version can be published.
//
// Skipped, with a notice, is what Composer passes over as well: a name that is no version, no composer.json, a tag that is no commit, a second
// tag for one version. Quarantined is what Composer passes over silently or would choke on, though someone meant it to be a release: broken
// JSON, an invalid constraint, a `version` that Composer rejects or that means another version than the tag (a forgotten edit
// before tagging, which otherwise nobody would notice until the release is missed).

import { branchVersion, type VersionOrSkip } from '../../contract/branch.ts';
import type { JsonObject } from '../../contract/json.ts';
import type { PackageName } from '../../contract/name.ts';
import { parseDistLabel } from '../../contract/paths.ts';
import { tagVersion } from '../../contract/tag.ts';
import { normalizeVersion } from '../../contract/version.ts';
import { QuarantineError } from '../quarantine.ts';
import { checkedComposerJson, type ComposerFiles } from './composer-file.ts';
import type { ObjectStore } from './object-store.ts';
import type { Outcome } from './outcome.ts';
import { decodeRefName, type Ref } from './refs.ts';

export type RefKind = 'tag' | 'branch';

export interface RefReader {
  readonly store: ObjectStore;
  readonly composerFiles: ComposerFiles;
  /** the name that the default branch gives to all versions */
  readonly defaultName: PackageName | undefined;
}

/** Throws GitFailure only. */
export async function readRef(reader: RefReader, kind: RefKind, ref: Ref): Promise<Outcome> {
  const found: { name: PackageName | null; version: string | null } = { name: reader.defaultName ?? null, version: null };
  try {
    return await judgeRef(reader, kind, ref, found);
  } catch (error) {
    if (!(error instanceof QuarantineError)) throw error;
    return { kind: 'quarantined', code: error.code, message: error.message, ...found };
  }
}

async function judgeRef(reader: RefReader, kind: RefKind, ref: Ref, found: { name: PackageName | null; version: string | null }): Promise<Outcome> {
  const refName = decodeRefName(ref.name);
  const where = describeRef(kind, ref);
  if (refName === undefined) throw new QuarantineError('UNSAFE_PATH', `The name of this ${kind} is not valid UTF-8. Rename it.`);
  const named = kind === 'tag' ? tagVersion(refName) : versionOfBranch(refName);
  if ('skip' in named) return skipped(named.skip);
  found.version = named.version;
  const commit = await reader.store.peel(ref.peeled ?? ref.oid);
  if (commit === undefined) return skipped(`${where}: it does not point at a commit`);
  const json = await reader.composerFiles.read(commit, where);
  if (json === undefined) return skipped(`${where}: it has no composer.json`);
  const { version, normalized } = kind === 'tag' ? declaredVersion(refName, json) : named;
  found.version = version;
  if (normalizeVersion(version) !== normalized) return skipped(`${where}: Composer would not take its label ${JSON.stringify(version)} for the same version again`);
  found.name = checkedComposerJson(json, reader.defaultName).name;
  const label = parseDistLabel(version);
  if ('refusal' in label) throw new QuarantineError('UNSAFE_PATH', `The version ${JSON.stringify(version)} cannot be the name of an archive: ${label.refusal}. Rename the ${kind}.`);
  const { tree, authorTime, committerTime } = await reader.store.commit(commit);
  const submodules = (await reader.store.tree(tree)).some(({ name }) => name === '.gitmodules');
  return { kind: 'release', commit, name: found.name, version, authorTime: authorTime ?? null, committerTime: committerTime ?? authorTime ?? 0, submodules };
}

/** For people: `tag v1.0.0`, `branch main`. */
export function describeRef(kind: RefKind, ref: Ref): string {
  return `${kind} ${decodeRefName(ref.name) ?? JSON.stringify(ref.name)}`;
}

function skipped(notice: string): Outcome {
  return { kind: 'skipped', notice };
}

/** Composer drops `origin/HEAD` and its like out of the list of branches (GitDriver.php, getBranches). */
function versionOfBranch(name: string): VersionOrSkip {
  return /^[^/]+\/HEAD$/.test(name) || name.startsWith('-') ? { skip: `branch ${name}: Composer does not take such a name for a branch` } : branchVersion(name);
}

/** The tag's version with what its composer.json says. Throws QuarantineError. */
function declaredVersion(tag: string, json: JsonObject): Exclude<VersionOrSkip, { readonly skip: string }> {
  const declared = json['version'] ?? undefined;
  if (declared !== undefined && typeof declared !== 'string') {
    throw new QuarantineError('VERSION_INVALID', `"version" in composer.json is ${JSON.stringify(declared)}; it must be a string. Better leave it out: the tag says it.`);
  }
  const version = tagVersion(tag, declared);
  if (!('skip' in version)) return version;
  if (declared === undefined || normalizeVersion(declared) === undefined) {
    throw new QuarantineError('VERSION_INVALID', `Composer does not accept the version ${JSON.stringify(declared)} in composer.json. Better leave it out: the tag says it.`);
  }
  throw new QuarantineError('VERSION_MISMATCH', `The tag is ${tag}, but its composer.json says version ${declared}. Better leave "version" out of composer.json; then delete this tag or tag anew.`);
}
