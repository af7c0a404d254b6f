// Reads one package: its composer.json, its version, and the files of its archive. Afterwards the package has no open
// file, and the reference identifies the content exactly.

import { basename, join } from 'node:path';
import { checkFileTree, unsafeLinks } from '../../archive/safe-paths.ts';
import { maxAttributesBytes, tooManyAttributes } from '../../archive/rules/attribute-lookup.ts';
import { selectFiles } from '../../archive/select.ts';
import type { Reference } from '../../contract/digest.ts';
import type { JsonObject } from '../../contract/json.ts';
import type { PackageName } from '../../contract/name.ts';
import type { DistLabel } from '../../contract/paths.ts';
import type { NormalizedVersion } from '../../contract/version.ts';
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
import { packageVersion } from './package-version.ts';
import type { Pause } from '../../files/pause.ts';
import { readUnchanged } from '../../files/read-file.ts';
import type { PackageWalk, WalkedEntry } from './walk-package.ts';

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
