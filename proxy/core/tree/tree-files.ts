// The port for the bytes of an output tree: they are in a folder (local-files.ts) or behind a static HTTP server.
// tree.ts treats both alike.

import type { PackageName } from '../../../build/contract/name.ts';
import type { PublicPath } from '../../../build/contract/paths.ts';
import type { Publication } from '../../../build/contract/publication.ts';
import type { IndexEntry } from '../../../build/contract/serving-index.ts';
import type { Answer } from '../http/answer.ts';
import type { MaybeAsync } from '../../../build/shared/concurrency/maybe-async.ts';
import type { TextDocument } from '../http/document.ts';
import type { PackageArchives } from './package-archives.ts';
import type { PackageReleases } from './package-releases.ts';
import type { Conditions } from '../http/representation.ts';
import type { View } from '../views/view.ts';

export interface TreeFiles {
  /** The newest publication; undefined before the first. Throws or rejects if it cannot be read or understood. */
  readonly publication: () => MaybeAsync<Publication | undefined>;
  /** A number that grows when a publication may have changed files: data read under an equal epoch is still valid. */
  readonly epoch: (nowMs: number) => MaybeAsync<number>;
  /** A document as of `epoch`: one object as long as its bytes are the same ones. undefined: there is none. */
  readonly document: (path: PublicPath, epoch: number) => MaybeAsync<TextDocument | undefined>;
  /** Like `document`, but reads the source in any epoch. */
  readonly documentAgain: (path: PublicPath, epoch: number) => MaybeAsync<TextDocument | undefined>;
  /** The memory of `document` has grown by this number of bytes. */
  readonly grow: (path: PublicPath, document: TextDocument, bytes: number) => void;
  readonly archives: (name: PackageName, epoch: number) => MaybeAsync<PackageArchives | undefined>;
  /**
   * The part of a package's index that views need, as of `epoch`. Lists read it for every package, so it is cached
   * separately, and small. undefined: there is none.
   */
  readonly releases: (name: PackageName, epoch: number) => MaybeAsync<PackageReleases | undefined>;
  /** Like `releases`, but reads the source in any epoch. */
  readonly releasesAgain: (name: PackageName, epoch: number) => MaybeAsync<PackageReleases | undefined>;
  /** Like `archives`, but reads the source in any epoch. */
  readonly archivesAgain: (name: PackageName, epoch: number) => MaybeAsync<PackageArchives | undefined>;
  /** The ZIP of `entry`. Throws or rejects with ArchiveMismatch if the file is missing or differs from the index. */
  readonly archive: (entry: IndexEntry, conditions: Conditions & { readonly head: boolean }) => MaybeAsync<Answer>;
  readonly visible: VisiblePackages;
  /** True before the first publication. */
  readonly isEmpty: () => MaybeAsync<boolean>;
  /** True if the cached data may be older than the publication, because its source fails. */
  readonly stale: () => boolean;
}

/** The files alone. */
export type PlainFiles = Omit<TreeFiles, 'visible'>;

/** The published versions of a package, or every version with an archive, also a withdrawn one. */
export type PackagePart = 'documents' | 'archives';

export interface VisibleList {
  /** names in packages.json, in its order */
  readonly listed: ReadonlySet<PackageName>;
  /** the time of the last visible change, epoch seconds; undefined without a view, and before the first publication */
  readonly seconds: number | undefined;
}

/** The packages that a view sees, in memory. */
export interface VisiblePackages {
  /** Rejects if packages.json or the announcement is unusable. */
  readonly of: (view: View | undefined, epoch: number) => MaybeAsync<VisibleList>;
  /**
   * False if the view sees nothing of this part of the package: then a request reads none of its files. True also where
   * only the files can tell: the tree is damaged, or finding the names takes longer than a moment.
   */
  readonly shows: (view: View | undefined, name: PackageName, part: PackagePart, epoch: number) => MaybeAsync<boolean>;
}
