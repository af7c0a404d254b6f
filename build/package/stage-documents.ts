// Stages both documents of a package if their bytes change, with the dates that views need.

import { inBranchOrder } from '../documents/branch-order.ts';
import type { VersionRecord } from '../contract/documents.ts';
import type { PackageName } from '../contract/name.ts';
import { providerPath, type PublicPath } from '../contract/paths.ts';
import { releasedVersion } from '../contract/released-version.ts';
import { advisoriesOf } from '../contract/advisory-lists.ts';
import type { DocumentStamp } from '../contract/serving-index.ts';
import { isDevVersion } from '../contract/version.ts';
import { digestOf } from '../shared/text/digest-of.ts';
import { withChanges } from '../documents/document-changes.ts';
import { formatProviders, publishedRecord, stampDocument } from '../documents/documents.ts';
import type { PackageState } from './package-state.ts';
import type { PublishedRecord, VersionContext } from './package-context.ts';
import type { Placement } from '../output/publication.ts';
import { writeJson } from '../record/exact-integers.ts';

type DocumentContext = Pick<VersionContext, 'output' | 'advisories' | 'moment' | 'now'>;
type Kind = 'stable' | 'dev';
type Stamps = { readonly [Each in Kind]: DocumentStamp | null };

export interface StagedDocuments {
  readonly stamps: Stamps;
  readonly placements: readonly Placement[];
  readonly removals: readonly PublicPath[];
  readonly replaced: ReadonlySet<Kind>;
}

/** `state`: before this build, with purged contents. `publishedRecords`: all published versions after this build. */
export async function stageDocuments(
  name: PackageName,
  state: PackageState,
  publishedRecords: readonly PublishedRecord[],
  context: DocumentContext,
): Promise<StagedDocuments> {
  const advisories = advisoriesOf(context.advisories, name);
  const texts =
    publishedRecords.length === 0
      ? { stable: undefined, dev: undefined }
      : formatProviders(name, publishedRecords, advisories);
  const staged: Staged = { placements: [], removals: [], replaced: new Set() };
  const stage = async (kind: Kind): Promise<DocumentStamp | null> => {
    const text = texts[kind];
    const stamp = stampText(name, kind, { state, publishedRecords, text }, context);
    if (stamp === state.index.documents[kind] && !state.uncertain.has(kind)) return stamp;
    staged.replaced.add(kind);
    const path = providerPath(name, kind);
    if (text === undefined) staged.removals.push(path);
    else if (stamp !== null)
      staged.placements.push({ file: await context.output.stage(text), path, lastModified: stamp.last_modified });
    return stamp;
  };
  const stable = await stage('stable');
  const dev = await stage('dev');
  return { stamps: { stable, dev }, ...staged };
}

interface Staged {
  readonly placements: Placement[];
  readonly removals: PublicPath[];
  readonly replaced: Set<Kind>;
}

interface Stamping {
  readonly state: PackageState;
  readonly publishedRecords: readonly PublishedRecord[];
  readonly text: string | undefined;
}

function stampText(
  name: PackageName,
  kind: Kind,
  { state, publishedRecords, text }: Stamping,
  context: DocumentContext,
): DocumentStamp | null {
  const known = [state.index.documents[kind], state.onDisk.get(kind)].filter(
    (one) => one !== null && one !== undefined,
  );
  const next = stampDocument(known, text, Math.floor(context.now.getTime() / 1000));
  return changedStamp(name, kind, { state, publishedRecords, next }, context);
}

interface Stamped {
  readonly state: PackageState;
  readonly publishedRecords: readonly PublishedRecord[];
  readonly next: DocumentStamp | null;
}

function changedStamp(
  name: PackageName,
  kind: Kind,
  { state, publishedRecords, next }: Stamped,
  context: DocumentContext,
): DocumentStamp | null {
  const previous = state.index.documents[kind];
  if (next === previous) return next;
  const isMine = ({ version_normalized: normalized }: Pick<VersionRecord, 'version_normalized'>): boolean =>
    isDevVersion(normalized) === (kind === 'dev');
  const former = [...state.records.values()].flatMap((record) => formerRecords(record, state));
  const before = former.filter(({ record }) => isMine(record));
  const after = publishedRecords.filter(({ record }) => isMine(record));
  return withChanges(next, {
    moment: context.moment,
    now: context.now,
    previous,
    known: state.index.versions.filter(isMine).map(releasedVersion),
    before: before.map(({ entry, record }) => ({ version: releasedVersion(entry), record: () => writeJson(record) })),
    after: (kind === 'dev' ? inBranchOrder(after) : after).map((one) => ({
      version: releasedVersion(one.entry),
      record: () => writeJson(publishedRecord(one)),
    })),
    isOrdered: kind === 'dev',
    extrasChanged: before.length > 0 && !hasSameText(name, kind, former, previous, context),
    placed: state.onDisk.get(kind)?.last_modified ?? (state.uncertain.has(kind) ? 0 : previous?.last_modified),
  });
}

/** True if the readers' versions and advisories still produce the readers' document. */
function hasSameText(
  name: PackageName,
  kind: Kind,
  former: readonly PublishedRecord[],
  previous: DocumentStamp | null,
  { advisories }: DocumentContext,
): boolean {
  const text = formatProviders(name, former, advisoriesOf(advisories, name))[kind];
  return text !== undefined && digestOf(text) === previous?.sha256;
}

function formerRecords(record: VersionRecord, { entries }: PackageState): readonly PublishedRecord[] {
  const entry = entries.get(record.version)?.find(({ reference }) => reference === record.dist?.reference);
  return entry === undefined ? [] : [{ entry, record }];
}
