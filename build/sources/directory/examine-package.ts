// Decides if one package folder has to be read. A folder with unchanged and reliable stamps is not read. Any fault
// quarantines this package alone.

import { join } from 'node:path';
import { QuarantineError, type Quarantine } from '../../contract/quarantine.ts';
import {
  type ContentListing,
  maxReadText,
  type ArchivedText,
  type PackageTexts,
  type ContentFile,
} from '../../archive/content.ts';
import type { Release } from '../release.ts';
import { isSettled } from '../../files/file-stamp.ts';
import type { FileReader } from './file-reader.ts';
import type { CachedContents } from './cached-contents.ts';
import type { PackageLimits } from './limits.ts';
import { costOfFile, type Pause } from '../../files/pause.ts';
import { changedWhileRead, readUnchanged } from '../../files/read-file.ts';
import { readPackage, type PackageReading } from './read-package.ts';
import type { FolderState, FolderRelease } from './scan-memory.ts';
import { walkPackage, type PackageWalk } from './walk-package.ts';
import { isDevVersion } from '../../contract/version.ts';
import { rereadComposerJson } from './composer-json.ts';
import { entryTimeOf } from './content-digest.ts';
import { readdirSync } from 'node:fs';
import { chooseTexts } from '../../contract/package-texts.ts';
import { identityOfBytes, readTarget } from './identify-files.ts';

export interface ExamineOptions {
  /** absolute */
  readonly folder: string;
  readonly dataDirectory: string;
  readonly limits: PackageLimits;
  readonly extraExcludes: readonly string[];
  readonly pause: Pause;
  readonly readFiles: FileReader;
  readonly kept: CachedContents;
  /** epoch milliseconds */
  readonly scanStart: number;
  readonly known: FolderState | undefined;
}

export interface ExaminedPackage {
  readonly release?: Release;
  readonly quarantine?: Quarantine;
  /** the package's entry in the memory */
  readonly known: FolderState | undefined;
  /** path of an omitted folder that a user may expect, relative to the package */
  readonly leftOut?: string | undefined;
  /** a package without a version that no earlier scan knew */
  readonly isNewAndUnversioned?: boolean;
}

export async function examinePackage(options: ExamineOptions): Promise<ExaminedPackage> {
  const { known, folder, pause } = options;
  let found: { readonly name: string | null; readonly version?: string | null } = known?.release ?? { name: null };
  try {
    const walk = walkPackage({
      folder,
      dataDirectory: options.dataDirectory,
      maxFiles: options.limits.filesPerPackage,
    });
    await pause(walk.entries.length * costOfFile);
    const digest = isSettled(walk.touched, options.scanStart) ? walk.digest : '';
    if (known !== undefined && known.digest !== '' && known.digest === walk.digest) {
      return { release: releaseOf(options, known, () => listAgain(options, known)), known, leftOut: walk.leftOut };
    }
    // a package that was read before is probably unchanged, in another checkout
    const reading = await readPackage(walk, {
      ...options,
      kept: known === undefined ? options.kept : undefined,
      learn: (learnt) => (found = learnt),
    });
    const now: FolderState = { digest, release: rememberedRelease(reading) };
    return {
      release: releaseOf(options, now, () => Promise.resolve(reading.listing)),
      known: now,
      leftOut: walk.leftOut,
      isNewAndUnversioned: known === undefined && reading.isUnversioned,
    };
  } catch (error) {
    if (!(error instanceof QuarantineError)) throw error;
    const quarantine = {
      code: error.code,
      message: error.message,
      where: join(folder, 'composer.json'),
      name: found.name,
      version: found.version ?? null,
    };
    return { quarantine, known: known === undefined ? undefined : { ...known, digest: '' } };
  }
}

function releaseOf(options: ExamineOptions, known: FolderState, list: () => Promise<ContentListing>): Release {
  const { folder, limits, pause, kept } = options;
  return packageRelease({ known: known.release, list, folder, limits, pause, kept });
}

/** Reads a package that was not read in this scan. Throws QuarantineError. */
async function listAgain(options: ExamineOptions, known: FolderState): Promise<ContentListing> {
  const { folder, dataDirectory, limits, pause, readFiles, extraExcludes } = options;
  const walk: PackageWalk = walkPackage({ folder, dataDirectory, maxFiles: limits.filesPerPackage });
  const reading = await readPackage(walk, {
    folder,
    limits,
    pause,
    readFiles,
    kept: undefined,
    extraExcludes,
    learn: () => undefined,
  });
  if (reading.reference !== known.release.reference) throw changedWhileRead(folder);
  return reading.listing;
}

function rememberedRelease({
  name,
  version,
  normalized,
  reference,
  composerHash,
  time,
}: PackageReading): FolderState['release'] {
  return { name, version, normalized, reference, composerHash, time };
}

// A package folder as a release. The release holds no open file. A later read returns the bytes of the scan, or an
// error.

interface PackageReleaseOptions extends ContentPlace {
  readonly known: FolderRelease;
  /** The files behind `known.reference`. Throws QuarantineError. */
  readonly list: () => Promise<ContentListing>;
  readonly kept: CachedContents;
}

function packageRelease({ known, list, kept, ...place }: PackageReleaseOptions): Release {
  return {
    name: known.name,
    version: known.version,
    normalized: known.normalized,
    dev: isDevVersion(known.normalized),
    reference: known.reference,
    time: known.time,
    defaultBranch: false,
    where: join(place.folder, 'composer.json'),
    composerJson: (noteRepeated) => rereadComposerJson(place.folder, known.composerHash, place.pause, noteRepeated),
    content: {
      list,
      texts: () => readTexts(place),
      deflated: kept.take,
      read: (files) => readContent(place, files),
      entryTime: entryTimeOf(known.reference),
    },
  };
}

// The README and CHANGELOG of a package folder. The build reads them when it makes a version, after the content. A text
// changed in between is shown in its new form, which is harmless.

async function readTexts({ folder, pause }: Pick<ContentPlace, 'folder' | 'pause'>): Promise<PackageTexts> {
  const { readme, changelog } = chooseTexts(namesIn(folder));
  const text = (file: string): ArchivedText => ({
    identity: `file:${folder}/${file}`,
    read: () => readText(join(folder, file), pause),
  });
  return {
    ...(readme === undefined ? {} : { readme: text(readme) }),
    ...(changelog === undefined ? {} : { changelog: text(changelog) }),
  };
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // the folder existed a moment ago: the reader of its files reports the error
  }
}

async function readText(path: string, pause: ContentPlace['pause']): Promise<Buffer | undefined> {
  try {
    return await readUnchanged(path, { maxBytes: maxReadText }, pause);
  } catch (error) {
    if (error instanceof QuarantineError) return undefined;
    throw error;
  }
}

// Returns the bytes of identified files. It reads and hashes each file again, and fails if the bytes have changed.

interface ContentPlace {
  /** absolute */
  readonly folder: string;
  readonly limits: PackageLimits;
  readonly pause: Pause;
}

/** One array of bytes for each file, in the order given. Throws QuarantineError UNREADABLE_FILE. */
async function* readContent(place: ContentPlace, files: readonly ContentFile[]): AsyncGenerator<Uint8Array> {
  for (const { path, mode, identity } of files) {
    const absolute = join(place.folder, path);
    const bytes =
      mode === 'symlink'
        ? readTarget(absolute)
        : await readUnchanged(absolute, { maxBytes: place.limits.bytesPerFile }, place.pause);
    if (identityOfBytes(bytes) !== identity) throw changedWhileRead(absolute);
    yield bytes;
  }
}
