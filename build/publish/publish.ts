// Publishes a build: moves the staged files into the served tree, and writes the builder's memory.

import { applyPublication } from './apply.ts';
import { announceLists, announcesAll } from '../contract/announced-lists.ts';
import { publicationPath, rootDocumentPath, type PublicPath } from '../contract/paths.ts';
import { formatPublication, publicationFormat, type Publication } from '../contract/publication.ts';
import type { PackageName } from '../contract/name.ts';
import { purgedPath } from '../contract/purged.ts';
import { advisoryListsPath } from '../contract/advisory-lists.ts';
import type { DocumentStamp } from '../contract/serving-index.ts';
import { withheldPath } from '../contract/withheld.ts';
import { formatRoot, stampDocument } from '../documents/documents.ts';
import { isEmptyChange, type Placement, type ReplacedDocument } from '../output/publication.ts';
import { digestOf } from '../shared/text/digest-of.ts';
import { nextRootFields, nextDates, nextHolds } from './next-announcement.ts';
import type { PackagesOutcome } from './outcome.ts';
import { publishedSources, sameSources } from './published-sources.ts';
import { guardedLists, type PublishContext } from './run.ts';
import { sameNames, withdrawnPackages } from './withdrawn-packages.ts';
import { announceIntent, mustSweep, remember } from './write-manifest.ts';
import type { PackageResult } from '../package/package-stage.ts';
import {
  formatPublicationRecord,
  formerPath,
  historyFormat,
  publicationRecordPath,
  type PublicationRecord,
} from '../history/record.ts';

/** Resolves to the new serial; undefined if the served tree is unchanged. Writes the memory in either case. */
export async function publish(run: PublishContext, packages: PackagesOutcome): Promise<number | undefined> {
  const { tree, output } = run;
  const now = run.now();
  const root = nextRoot(run, packages, now);
  const withdrawn = await withdrawnPackages(tree, output, packages);
  const undone = nextHolds(run, packages);
  const isNews = root.moved || isAnnouncementNew(run, packages, { withdrawn, undone });
  const serial = isNews ? tree.serial + 1 : (tree.publication?.serial ?? 0);
  const position = { serial, root: root.stamp };
  if (isNews) {
    const head: Publication = {
      format: publicationFormat,
      serial,
      published_at: now.toISOString(),
      root: {
        last_modified: root.stamp.last_modified,
        sha256: digestOf(root.text),
        beside: nextRootFields(run, now),
      },
      sources: publishedSources(run),
      withdrawn,
      ...(undone === undefined ? {} : { undone }),
      ...(run.advisories.advised === undefined ? {} : { advised: run.advisories.advised }),
      ...announceLists(guardedLists(run)),
      ...nextDates(run, packages, now),
    };
    await announceIntent(run, position, packages);
    await place(run, packages, { head, root, now });
  }
  if (mustSweep(run)) await (await import('./sweep.ts')).sweepPurged(run);
  run.progress({ phase: 'publish', done: 0, total: 0, label: 'memory' });
  await remember(run, packages, position);
  return isNews ? serial : undefined;
}

/** The next packages.json. */
interface Root {
  readonly text: string;
  readonly stamp: DocumentStamp;
  /** readers have another one */
  readonly moved: boolean;
}

function nextRoot({ tree, settings, advisories }: PublishContext, { names }: PackagesOutcome, now: Date): Root {
  const text = formatRoot(names, settings, advisories.lists);
  const stamp = stampDocument(tree.rootStamps, text, Math.floor(now.getTime() / 1000));
  if (stamp === null) throw new Error('packages.json always has a stamp');
  const moved =
    !tree.rootIntact ||
    stamp.last_modified !== tree.publication?.root.last_modified ||
    stamp.sha256 !== tree.publication.root.sha256;
  return { text, stamp, moved };
}

/** True if anything except packages.json differs from the last publication. */
function isAnnouncementNew(
  run: PublishContext,
  { changes }: PackagesOutcome,
  {
    withdrawn,
    undone,
  }: { readonly withdrawn: readonly PackageName[]; readonly undone: Publication['undone'] | undefined },
): boolean {
  const { tree } = run;
  const interrupted = tree.serial !== (tree.publication?.serial ?? 0);
  return (
    !sameSources(run) ||
    interrupted ||
    run.withheld.text !== undefined ||
    run.purged.text !== undefined ||
    !announcesAll(tree.publication, guardedLists(run)) ||
    run.advisories.text !== undefined ||
    run.advisories.advised !== tree.publication?.advised ||
    !sameNames(withdrawn, tree.publication?.withdrawn) ||
    undone !== tree.undone ||
    !isEmptyChange(changes)
  );
}

/** Stages packages.json, lists, record and announcement, and moves all of them into place. */
async function place(
  run: PublishContext,
  packages: PackagesOutcome,
  { head, root, now }: { readonly head: Publication; readonly root: Root; readonly now: Date },
): Promise<void> {
  const { output } = run;
  const rootFile = root.moved
    ? { file: await output.stage(root.text), path: rootDocumentPath, lastModified: root.stamp.last_modified }
    : undefined;
  const lists = await stageLists(run);
  const history = await stageRecord(run, packages.results, head.serial, now);
  await applyPublication(
    {
      ...packages.changes,
      ...history,
      indexes: [...lists, ...packages.changes.indexes],
      removals: [...packages.changes.removals, ...abandonedArchives(run, packages)],
      root: rootFile,
      head: { file: await output.stage(formatPublication(head)), path: publicationPath },
    },
    output,
    (label) => run.progress({ phase: 'publish', done: 0, total: 0, label }),
  );
}

/** The changed lists in the folder of the serving index. */
async function stageLists({ output, purged, withheld, advisories }: PublishContext): Promise<readonly Placement[]> {
  const lists: Placement[] = [];
  for (const [text, path] of [
    [purged.text, purgedPath],
    [withheld.text, withheldPath],
    [advisories.text, advisoryListsPath],
  ] as const)
    if (text !== undefined) lists.push({ file: await output.stage(text), path });
  return lists;
}

/** Archives of an interrupted publication that this one does not use, because the source has changed again. */
function abandonedArchives({ tree }: PublishContext, { results }: PackagesOutcome): readonly PublicPath[] {
  // purged archives go last, once no serving index names them
  const known = new Set(results.flatMap(({ leftovers, changes }) => [...leftovers, ...changes.purgedArchives]));
  return tree.leftovers.filter((path) => !known.has(path));
}

// The record of a publication, staged with it: the record is written before any file that readers see changes.

interface StagedHistory {
  readonly record: Placement;
  readonly kept: readonly ReplacedDocument[];
}

async function stageRecord(
  run: PublishContext,
  results: readonly PackageResult[],
  serial: number,
  now: Date,
): Promise<StagedHistory> {
  const found = results.flatMap(({ history }) => history ?? []);
  const packages = found.map(({ change }) => change).toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const record: PublicationRecord = {
    format: historyFormat,
    serial,
    previous: run.pending.announced,
    published_at: now.toISOString(),
    by: run.by ?? null,
    rollback_to: run.rollback?.to ?? null,
    sources: sourcesOf(run, packages),
    packages,
  };
  return {
    record: { file: await run.output.stage(formatPublicationRecord(record)), path: publicationRecordPath(serial) },
    kept: found.flatMap(({ kept }) =>
      kept.map(({ area, path, digest }) => ({ area, from: path, to: formerPath(serial, digest) })),
    ),
  };
}

function sourcesOf(
  { choice, tree }: PublishContext,
  packages: PublicationRecord['packages'],
): PublicationRecord['sources'] {
  const locations = new Map(
    [...tree.sources, ...choice.left.map(({ spec }) => spec), ...choice.read.map(({ spec }) => spec)].map(
      ({ id, location }) => [id, location],
    ),
  );
  const named = new Set(
    packages.flatMap(({ added, changed, withdrawn }) =>
      [...added, ...changed, ...withdrawn].map(({ source }) => source),
    ),
  );
  return Object.fromEntries(
    [...named].toSorted().flatMap((id) => (locations.has(id) ? [[id, locations.get(id) ?? id]] : [])),
  );
}
