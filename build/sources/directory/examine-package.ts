// Decides if one package folder has to be read. A folder with unchanged and reliable stamps is not read. Any fault
// quarantines this package alone.

import { join } from 'node:path';
import { QuarantineError, type Quarantine } from '../../contract/quarantine.ts';
import type { ContentListing } from '../../archive/content.ts';
import type { Release } from '../release.ts';
import { isSettled } from '../../files/file-stamp.ts';
import type { FileReader } from './file-reader.ts';
import type { CachedContents } from './cached-contents.ts';
import type { PackageLimits } from './limits.ts';
import { packageRelease } from './package-release.ts';
import { costOfFile, type Pause } from '../../files/pause.ts';
import { changedWhileRead } from '../../files/read-file.ts';
import { readPackage, type PackageReading } from './read-package.ts';
import type { KnownPackage } from './scan-memory.ts';
import { walkPackage, type PackageWalk } from './walk-package.ts';

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
  readonly known: KnownPackage | undefined;
}

export interface ExaminedPackage {
  readonly release?: Release;
  readonly quarantine?: Quarantine;
  /** the package's entry in the memory */
  readonly known: KnownPackage | undefined;
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
    const now: KnownPackage = { digest, release: knownReleaseOf(reading) };
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

function releaseOf(options: ExamineOptions, known: KnownPackage, list: () => Promise<ContentListing>): Release {
  const { folder, limits, pause, kept } = options;
  return packageRelease({ known: known.release, list, folder, limits, pause, kept });
}

/** Reads a package that was not read in this scan. Throws QuarantineError. */
async function listAgain(options: ExamineOptions, known: KnownPackage): Promise<ContentListing> {
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

function knownReleaseOf({
  name,
  version,
  normalized,
  reference,
  composerHash,
  time,
}: PackageReading): KnownPackage['release'] {
  return { name, version, normalized, reference, composerHash, time };
}
