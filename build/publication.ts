// A publication before it happens: everything staged, and the order it is to be carried out in (decision 7). `apply.ts` does it.

import type { PublicPath } from './contract/paths.ts';
import type { StagedFile } from './output/output.ts';

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

/** What one package, or all of them together, add to a publication. */
export interface PackageChanges {
  /** new archives, under names no document mentions yet */
  readonly archives: readonly Placement[];
  /** further names for archives, that the new serving index mentions */
  readonly pins: readonly Alias[];
  readonly indexes: readonly Placement[];
  readonly documents: readonly Placement[];
  /** `<version>.zip` of mutable versions, after the documents: the proxy never reads these, a bare static host does */
  readonly plain: readonly Alias[];
  /** documents of packages that are gone, after packages.json has let go of them */
  readonly removals: readonly PublicPath[];
}

export interface Publication extends PackageChanges {
  readonly root: Placement | undefined;
  readonly head: Placement;
}

export const noChanges: PackageChanges = { archives: [], pins: [], indexes: [], documents: [], plain: [], removals: [] };

export function mergeChanges(all: readonly PackageChanges[]): PackageChanges {
  return {
    archives: all.flatMap((changes) => changes.archives),
    pins: all.flatMap((changes) => changes.pins),
    indexes: all.flatMap((changes) => changes.indexes),
    documents: all.flatMap((changes) => changes.documents),
    plain: all.flatMap((changes) => changes.plain),
    removals: all.flatMap((changes) => changes.removals),
  };
}

export function isEmptyChange(changes: PackageChanges): boolean {
  return Object.values(changes).every((list: readonly unknown[]) => list.length === 0);
}
