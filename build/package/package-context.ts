// The shared inputs of the steps that stage packages, and the facts of a published version.

import type { Archiver } from '../archive/archiver.ts';
import type { VersionRecord } from '../contract/documents.ts';
import type { PackageName } from '../contract/name.ts';
import type { PublicPath } from '../contract/paths.ts';
import type { Publication } from '../contract/publication.ts';
import type { AdvisoryLists } from '../contract/advisory-lists.ts';
import type { IndexEntry } from '../contract/serving-index.ts';
import type { PublicationMoment } from '../documents/document-changes.ts';
import type { DocumentSettings } from '../documents/document-settings.ts';
import type { MayLose, Published } from '../documents/recover-index.ts';
import type { Output } from '../output/output.ts';
import type { Withheld } from '../version-lists/withheld.ts';
import type { TextStager } from './package-texts.ts';
import type { PendingHistory } from './pending-publications.ts';
import type { Purged } from './purged.ts';
import type { HoldsByName } from './rollback-holds.ts';
import type { Republished } from '../contract/republished.ts';

export interface PackageContext {
  readonly output: Output;
  readonly archiver: Archiver;
  readonly settings: DocumentSettings;
  /** id → location of every source there is after this build */
  readonly sources: ReadonlyMap<string, string>;
  /** ids of the sources whose records are made again, since settings may have changed the records */
  readonly renewed: ReadonlySet<string>;
  /** ids of the sources that are withdrawn */
  readonly forgotten: ReadonlySet<string>;
  readonly allowRepublish: Republished;
  readonly withheld: Withheld;
  readonly purged: Purged;
  /** advisories and filter lists, which documents have in addition to the versions */
  readonly advisories: AdvisoryLists;
  /** changes that rollbacks undid */
  readonly undone: HoldsByName;
  /** documents that interrupted publications have replaced */
  readonly pending: PendingHistory;
  /** archives that an interrupted publication may have left in the tree */
  readonly leftovers: ReadonlySet<PublicPath>;
  /** the package's presence in packages.json */
  readonly isPublished: (name: PackageName) => Published;
  readonly mayLose: MayLose;
  /** false: the build leaves sources out that a plain `libretto build` reads */
  readonly readsAll: boolean;
  readonly moment: PublicationMoment;
  readonly pruned: Publication['pruned'];
  readonly now: Date;
}

/** The context of all versions of one package. */
export interface VersionContext extends PackageContext {
  readonly texts: TextStager;
}

/** One published version: its entry and its record. */
export interface PublishedRecord {
  readonly entry: IndexEntry;
  readonly record: VersionRecord;
}
