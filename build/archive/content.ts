// The content of an archive, as a source offers it: files to pack, or a ZIP that is published as it is.

import type { Deflated } from '../compression/deflate.ts';
import type { Sha1 } from '../contract/digest.ts';
import type { TextKind } from '../contract/package-texts.ts';

/** A ZIP that is published byte for byte as its source has it. */
export interface ReadyArchive {
  /**
   * Writes the archive to `target`, which must not exist. Throws QuarantineError for an unpublishable archive, after it
   * has removed `target`.
   */
  readonly copyTo: (target: string) => Promise<{ readonly shasum: Sha1; readonly size: number }>;
  readonly texts?: () => Promise<PackageTexts>;
}

/**
 * The README and CHANGELOG in the package's own folder. A faulty text never prevents the publication of a version: it
 * counts as absent.
 */
export type PackageTexts = { readonly [Kind in TextKind]?: ArchivedText };

export interface ArchivedText {
  /** equal only for equal bytes, within one package and one build */
  readonly identity: string;
  /** undefined if it cannot be read */
  readonly read: () => Promise<Buffer | undefined>;
}

/** A larger file does not count as a README. */
export const maxReadText = 16 * 1024 * 1024;

export interface Content {
  /** The files after all archive rules, in any order. Throws QuarantineError for content that must not be published. */
  readonly list: () => Promise<ContentListing>;
  /** Includes texts that the archive omits. */
  readonly texts?: () => Promise<PackageTexts>;
  /** A content that the source has deflated already, from its scan; it may forget it with that. */
  readonly deflated?: (identity: string) => Deflated | undefined;
  /** The bytes of these files (of a symlink: its target), in the order given. Throws QuarantineError. */
  readonly read: (files: readonly ContentFile[]) => AsyncIterable<Uint8Array>;
  /** The time all entries carry, epoch seconds. */
  readonly entryTime: number;
  /** Its composer.json may have another name: all versions of a repository take the name from its default branch. */
  readonly mayNameAnother?: true;
}

export interface ContentListing {
  readonly files: readonly ContentFile[];
  /** files left out because they look like credentials */
  readonly withheld: readonly string[];
  /** symlinks left out because they lead out of the package, each with its target and the reason */
  readonly unsafeLinks?: readonly string[];
}

export interface ContentFile {
  /** forward slashes, relative, valid UTF-8, no `.` or `..` segment */
  readonly path: string;
  readonly mode: 'file' | 'executable' | 'symlink';
  /** equal for equal bytes within one build, e.g. `git:<oid>` or `sha256:<hex>` */
  readonly identity: string;
  /** the attributes for which git changes its bytes, such as `working-tree-encoding=UTF-16` */
  readonly changedBy?: string;
}

/**
 * A copy in the order of an archive's entries: by the bytes of their paths in UTF-8, on every machine and in every
 * locale. JavaScript compares UTF-16 units, which differs from UTF-8 only for surrogates.
 */
export function sortedByPath<File extends { readonly path: string }>(files: readonly File[]): File[] {
  if (!files.some(({ path }) => /[\ud800-\udfff]/.test(path)))
    return files.toSorted((left, right) => (left.path < right.path ? -1 : left.path > right.path ? 1 : 0));
  return files
    .map((file) => ({ file, bytes: Buffer.from(file.path) }))
    .toSorted((left, right) => Buffer.compare(left.bytes, right.bytes))
    .map(({ file }) => file);
}
