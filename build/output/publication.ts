// A publication before it happens: every staged file, and the order of its steps. A reader or a kill at any moment
// meets no metadata without its archive. `apply.ts` carries it out.

import type { PublicPath } from '../contract/paths.ts';
import type { OutputArea, StagedFile } from './output.ts';

export interface Placement {
  readonly file: StagedFile;
  readonly path: string;
  /** epoch seconds */
  readonly lastModified?: number;
}

export interface Alias {
  readonly from: PublicPath;
  readonly to: PublicPath;
}

/** History stores the document for rollbacks before another document replaces it: `to` is below build/. */
export interface ReplacedDocument {
  readonly area: OutputArea;
  readonly from: string;
  readonly to: string;
}

/** The changes that one package, or all packages together, contribute to a publication. */
export interface PackageChanges {
  /** new archives, under names no document mentions yet */
  readonly archives: readonly Placement[];
  /** further names for archives, that the new serving index mentions */
  readonly pins: readonly Alias[];
  /** new READMEs and CHANGELOGs, that the new serving index mentions */
  readonly texts: readonly Placement[];
  /** lists of pruned releases (`prunedPath`), durable before the new serving index drops those releases */
  readonly prunedLists: readonly Placement[];
  readonly indexes: readonly Placement[];
  readonly documents: readonly Placement[];
  /** `<version>.zip` of mutable versions, after the documents: the proxy never reads these, a bare static host does */
  readonly plain: readonly Alias[];
  /** documents of removed packages, deleted after packages.json no longer names the packages */
  readonly removals: readonly PublicPath[];
  /** below index/: READMEs and CHANGELOGs that no serving index names */
  readonly unusedTexts: readonly string[];
  /**
   * serving indexes without purged contents and without the facts of returned versions, placed after the documents:
   * these name no purged contents, and have the records of returned versions
   */
  readonly lastIndexes: readonly Placement[];
  /** archives of purged contents, deleted after no serving index names them */
  readonly purgedArchives: readonly PublicPath[];
}

export interface PublicationFiles extends PackageChanges {
  /** the record of this publication, below build/ */
  readonly record: Placement;
  readonly kept: readonly ReplacedDocument[];
  readonly root: Placement | undefined;
  readonly head: Placement;
}

export const noChanges: PackageChanges = {
  archives: [],
  pins: [],
  texts: [],
  prunedLists: [],
  indexes: [],
  documents: [],
  plain: [],
  removals: [],
  unusedTexts: [],
  lastIndexes: [],
  purgedArchives: [],
};

export function mergeChanges(all: readonly PackageChanges[]): PackageChanges {
  return {
    archives: all.flatMap((changes) => changes.archives),
    pins: all.flatMap((changes) => changes.pins),
    texts: all.flatMap((changes) => changes.texts),
    prunedLists: all.flatMap((changes) => changes.prunedLists),
    indexes: all.flatMap((changes) => changes.indexes),
    documents: all.flatMap((changes) => changes.documents),
    plain: all.flatMap((changes) => changes.plain),
    removals: all.flatMap((changes) => changes.removals),
    unusedTexts: all.flatMap((changes) => changes.unusedTexts),
    lastIndexes: all.flatMap((changes) => changes.lastIndexes),
    purgedArchives: all.flatMap((changes) => changes.purgedArchives),
  };
}

export function isEmptyChange(changes: PackageChanges): boolean {
  return Object.values(changes).every((list: readonly unknown[]) => list.length === 0);
}
