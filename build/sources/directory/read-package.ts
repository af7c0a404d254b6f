// Reads one package: its composer.json, its version, and the files of its archive. Afterwards the package has no open
// file, and the reference identifies the content exactly.

import { basename, join } from 'node:path';
import { checkFileTree, unsafeLinks } from '../../archive/safe-paths.ts';
import { maxAttributesBytes, tooManyAttributes } from '../../archive/rules/attribute-lookup.ts';
import { selectFiles } from '../../archive/select.ts';
import type { Reference } from '../../contract/digest.ts';
import type { JsonObject } from '../../contract/json.ts';
import { type PackageName, splitPackageName } from '../../contract/name.ts';
import type { DistLabel } from '../../contract/paths.ts';
import { type NormalizedVersion, normalizeVersion } from '../../contract/version.ts';
import { archiveExcludesOf } from '../../record/archive-excludes.ts';
import { packageNameOf } from '../../record/package-name.ts';
import { releaseTimeOf } from '../../record/release-time.ts';
import { QuarantineError } from '../../contract/quarantine.ts';
import type { ContentListing } from '../../archive/content.ts';
import { readComposerJson } from './composer-json.ts';
import { contentReference } from './content-digest.ts';
import type { FileReader } from './file-reader.ts';
import { identifyFiles } from './identify-files.ts';
import type { CachedContents } from './cached-contents.ts';
import type { PackageLimits } from './limits.ts';
import type { Pause } from '../../files/pause.ts';
import { readUnchanged } from '../../files/read-file.ts';
import type { PackageWalk, WalkedEntry } from './walk-package.ts';
import { checkedLabel, declaredVersion, type CheckedLabel } from '../checked-label.ts';

export interface PackageReading {
  readonly name: PackageName;
  readonly version: DistLabel;
  readonly normalized: NormalizedVersion;
  /** the package itself has no version */
  readonly isUnversioned: boolean;
  readonly reference: Reference;
  /** hex SHA-256 of the composer.json that was read */
  readonly composerHash: string;
  /** `time` of its composer.json, RFC 3339 */
  readonly time: string | undefined;
  readonly listing: ContentListing;
}

export interface ReadingContext {
  /** absolute */
  readonly folder: string;
  readonly limits: PackageLimits;
  /** patterns that count as if they stood at the end of its `archive.exclude` */
  readonly extraExcludes: readonly string[];
  readonly pause: Pause;
  readonly readFiles: FileReader;
  /** receives the contents for the probable archive */
  readonly kept: CachedContents | undefined;
  /** called as soon as a fact is known, for the message of a later error */
  readonly learn: (known: { readonly name: PackageName; readonly version?: string }) => void;
}

/** Throws QuarantineError. */
export async function readPackage(walk: PackageWalk, context: ReadingContext): Promise<PackageReading> {
  const { folder, pause, learn } = context;
  const composerJson = await readComposerJson(
    folder,
    pause,
    walk.entries.find(({ path }) => path === 'composer.json'),
  );
  const name = packageNameOf(composerJson.json);
  learn({ name });
  const { version, normalized, isDefault } = packageVersion(composerJson.json, name, basename(folder));
  learn({ name, version });
  composerJson.check();
  const listing = await readListing(walk, composerJson.json, context);
  return {
    name,
    version,
    normalized,
    isUnversioned: isDefault,
    reference: contentReference(listing.files, composerJson.hash),
    composerHash: composerJson.hash,
    time: releaseTimeOf(composerJson.json['time']),
    listing,
  };
}

async function readListing(walk: PackageWalk, json: JsonObject, context: ReadingContext): Promise<ContentListing> {
  const selected = await selectFiles(walk.entries, {
    attributes: await readAttributes(walk.entries, context),
    excludes: [...archiveExcludesOf(json), ...context.extraExcludes],
  });
  refuseFaults(selected.files, context);
  const { files, links } = await identifyFiles(selected.files, context);
  const unsafe = unsafeLinks(links);
  return {
    files: files.filter(({ path }) => !unsafe.has(path)),
    withheld: selected.withheld,
    unsafeLinks: [...unsafe.values()],
  };
}

/** Checks only published entries: an excluded socket, for example, is harmless. */
function refuseFaults(entries: readonly WalkedEntry[], { folder, limits }: ReadingContext): void {
  for (const { fault, bytes, path } of entries) {
    if (fault !== undefined) throw fault;
    if (bytes > limits.bytesPerFile) {
      throw new QuarantineError(
        'UNREADABLE_FILE',
        `${join(folder, path)} has ${bytes} bytes; a file in a package may have ${limits.bytesPerFile}. ` +
          'Exclude it or publish it elsewhere.',
      );
    }
  }
  checkFileTree(entries.map(({ path }) => path));
}

/** A symlink is no attributes file (gitattributes(5)). */
async function readAttributes(
  entries: readonly WalkedEntry[],
  { folder, pause }: ReadingContext,
): Promise<{ readonly directory: string; readonly text: string }[]> {
  const attributes: { directory: string; text: string }[] = [];
  let left = maxAttributesBytes;
  for (const { path, kind, stamp } of entries) {
    if (
      !path.endsWith('.gitattributes') ||
      (kind !== 'file' && kind !== 'executable') ||
      basename(path) !== '.gitattributes'
    )
      continue;
    const bytes = await readUnchanged(join(folder, path), { stamp, maxBytes: maxAttributesBytes }, pause);
    if (bytes.length > left) throw tooManyAttributes(join(folder, path));
    left -= bytes.length;
    attributes.push({
      directory: path.slice(0, Math.max(0, path.length - '/.gitattributes'.length)),
      text: bytes.toString('utf8'),
    });
  }
  return attributes;
}

// Determines the version of a folder: the `version` of its composer.json, else the folder's name if the name is a
// version, else dev-main.

/** The version of a folder without any version. */
const defaultVersion = 'dev-main';

interface FolderVersion extends CheckedLabel {
  /** neither composer.json nor the folder's name has a version */
  readonly isDefault: boolean;
}

/**
 * `folder` is the last segment of the package's path. Throws QuarantineError VERSION_INVALID, VERSION_MISMATCH, or
 * UNSAFE_PATH for a version that cannot be the name of an archive.
 */
function packageVersion(json: JsonObject, name: PackageName, folder: string): FolderVersion {
  const declared = declaredVersion(json['version'], 'composer.json');
  const fromFolder = folderVersion(folder, name);
  if (declared === undefined)
    return {
      ...checkedLabel(fromFolder ?? defaultVersion, 'The folder is called'),
      isDefault: fromFolder === undefined,
    };
  const parsed = checkedLabel(declared, '"version" in composer.json is');
  if (fromFolder !== undefined && normalizeVersion(fromFolder) !== parsed.normalized) {
    throw new QuarantineError(
      'VERSION_MISMATCH',
      `composer.json has version ${declared}, but the folder name is ${folder}. Use the same version in both, ` +
        'or remove "version" from composer.json.',
    );
  }
  return { ...parsed, isDefault: false };
}

/**
 * The folder's name, if Composer accepts it as a version. A folder dev-tools of acme/dev-tools has the name of its
 * package, which is no version. The bare branch names of Composer 1 are written as branches.
 */
function folderVersion(folder: string, name: PackageName): string | undefined {
  if (folder.toLowerCase() === splitPackageName(name).project || normalizeVersion(folder) === undefined)
    return undefined;
  return ['master', 'trunk', 'default'].includes(folder) ? `dev-${folder}` : folder;
}
