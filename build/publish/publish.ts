// From everything staged to what readers see, and what is remembered of it.

import { applyPublication } from './apply.ts';
import { announcedUntilThen, announceLists, announcesAll, type AnnouncedLists } from '../contract/announced-lists.ts';
import { publicationPath, rootDocumentPath, type PublicPath } from '../contract/paths.ts';
import { safetyPath } from '../contract/safety-lists.ts';
import { purgedPath } from '../contract/purged.ts';
import { withheldPath } from '../contract/withheld.ts';
import {
  formatPublication,
  publicationFormat,
  type BesideNames,
  type Publication,
  type UndoneChange,
} from '../contract/publication.ts';
import { digestOf } from '../shared/text/digest-of.ts';
import { datesAfter, momentAfter } from './dates-until.ts';
import { formatRoot, stampDocument } from '../documents/documents.ts';
import { stageRecord } from './stage-record.ts';
import { formatManifest, manifestFormat, manifestPath, unsettled, type Manifest } from '../memory/manifest.ts';
import { nextMemories } from './next-memories.ts';
import { memoryPath } from '../memory/source-memory.ts';
import type { PackagesOutcome } from './outcome.ts';
import { isEmptyChange } from '../output/publication.ts';
import { publishedSources, sameSources } from './published-sources.ts';
import { blockedFindings } from '../package/blocked-findings.ts';
import { quarantinedPath } from '../contract/quarantined.ts';
import { nextQuarantined } from './quarantined.ts';
import { guardedLists, type Run } from './run.ts';
import type { UndoneSteps } from '../package/rollback-holds.ts';
import { sameNames, withdrawnPackages } from './withdrawn-packages.ts';

/** Resolves to the new serial, or to undefined where readers see nothing new. The memory is written in either case. */
export async function publish(run: Run, packages: PackagesOutcome): Promise<number | undefined> {
  const { tree, output } = run;
  const now = run.now();
  const sources = publishedSources(run);
  const rootText = formatRoot(packages.names, run.settings, run.safety.lists);
  const rootStamp = stampDocument(tree.rootStamps, rootText, Math.floor(now.getTime() / 1000));
  if (rootStamp === null) throw new Error('packages.json always has a stamp');
  const rootMoved =
    !tree.rootIntact ||
    rootStamp.last_modified !== tree.publication?.root.last_modified ||
    rootStamp.sha256 !== tree.publication.root.sha256;
  const beside = nextBeside(run, now);
  const undone = nextUndone(run, packages);
  const withdrawn = await withdrawnPackages(tree, output, packages);
  const interrupted = tree.serial !== (tree.publication?.serial ?? 0);
  const moved =
    rootMoved ||
    !sameSources(run) ||
    interrupted ||
    run.withheld.text !== undefined ||
    run.purged.text !== undefined ||
    !announcesAll(tree.publication, guardedLists(run)) ||
    run.safety.text !== undefined ||
    !sameNames(withdrawn, tree.publication?.withdrawn) ||
    undone !== tree.publication?.undone ||
    !isEmptyChange(packages.changes);
  const serial = moved ? tree.serial + 1 : (tree.publication?.serial ?? 0);
  if (moved) {
    await announceIntent(run, { serial, root: rootStamp }, packages);
    const root = rootMoved
      ? { file: await output.stage(rootText), path: rootDocumentPath, lastModified: rootStamp.last_modified }
      : undefined;
    const head = formatPublication({
      format: publicationFormat,
      serial,
      published_at: now.toISOString(),
      root: { last_modified: rootStamp.last_modified, sha256: digestOf(rootText), beside },
      sources,
      withdrawn,
      ...(undone === undefined ? {} : { undone }),
      ...announceLists(guardedLists(run)),
      ...nextDates(run, packages, now),
    });
    const purged =
      run.purged.text === undefined ? [] : [{ file: await output.stage(run.purged.text), path: purgedPath }];
    const withheld =
      run.withheld.text === undefined ? [] : [{ file: await output.stage(run.withheld.text), path: withheldPath }];
    const safety =
      run.safety.text === undefined ? [] : [{ file: await output.stage(run.safety.text), path: safetyPath }];
    const history = await stageRecord(run, packages.results, serial, now);
    await applyPublication(
      {
        ...packages.changes,
        ...history,
        indexes: [...purged, ...withheld, ...safety, ...packages.changes.indexes],
        removals: [...packages.changes.removals, ...abandonedArchives(run, packages)],
        root,
        head: { file: await output.stage(head), path: publicationPath },
      },
      output,
      (label) => run.progress({ phase: 'publish', done: 0, total: 0, label }),
    );
  }
  if (mustSweep(run)) await (await import('./sweep.ts')).sweepPurged(run);
  run.progress({ phase: 'publish', done: 0, total: 0, label: 'memory' });
  await remember(run, packages, { serial, root: rootStamp });
  return moved ? serial : undefined;
}

/** What the manifest says of a publication before and after it. */
type Position = Required<Pick<Manifest, 'serial' | 'root'>>;

/**
 * Whether something of purged versions may be left beside the tree: of this purge's, or of one whose clearing was cut
 * off.
 */
function mustSweep({ purged, tree }: Run): boolean {
  return purged.asked || (tree.purging && purged.rows.length > 0);
}

/** Of the names it depends only whether there are any. */
function nextBeside({ tree, settings, safety }: Run, now: Date): BesideNames {
  const sha256 = digestOf(formatRoot([], settings, safety.lists));
  const before = tree.publication?.root.beside;
  if (before?.sha256 === sha256) return before;
  const { serial, datesUntil } = momentAfter(tree);
  const latest = { serial, at: Math.floor(now.getTime() / 1000) };
  // a date that is later than all before stands for all of them
  return { sha256, changes: [...(latest.at > datesUntil ? [] : (before?.changes ?? [])), latest] };
}

/** A package that came back has its dates in its index again. */
function nextDates(
  { tree: { publication } }: Run,
  { names }: PackagesOutcome,
  now: Date,
): Pick<Publication, 'dates_until' | 'pruned'> {
  const listed = new Set<string>(names);
  return {
    dates_until: datesAfter(publication, now),
    pruned: Object.fromEntries(Object.entries(publication?.pruned ?? {}).filter(([name]) => !listed.has(name))),
  };
}

/** The very same list where nothing changes. */
function nextUndone(
  { tree, rollback, lifted, purged }: Run,
  { results }: PackagesOutcome,
): readonly UndoneChange[] | undefined {
  const before = tree.publication?.undone;
  if (lifted === true) return undefined;
  const isPurged = ({ name, version_normalized: normalized, reference }: UndoneChange): boolean =>
    purged.blocks(name, { normalized, reference: reference ?? '' }) !== undefined;
  const steps: UndoneSteps = new Map(results.flatMap((result) => [...result.undone]));
  const stepped =
    rollback?.undone ?? before?.flatMap((change) => (steps.has(change) ? (steps.get(change) ?? []) : change));
  const after = stepped?.filter((change) => !isPurged(change));
  if (after === undefined || after.length === 0)
    return before === undefined || before.length === 0 ? before : undefined;
  return JSON.stringify(after) === JSON.stringify(before) ? before : after;
}

/**
 * The manifest takes the new serial before anything else moves. Were this build to die now, the next one finds a
 * manifest that is ahead of the publication, believes nothing it remembers, and compares every package: that is how a
 * half-done publication is always completed (I5). It does so too where all was published and only the memory is that of
 * the time before: a package it does not know would never be missed. A rollback reads no source, and leaves their
 * memory as true as it was.
 */
async function announceIntent(run: Run, position: Position, { changes }: PackagesOutcome): Promise<void> {
  const { output, tree } = run;
  const placing = [
    ...new Set([
      ...tree.leftovers,
      ...changes.archives.map(({ path }) => path as PublicPath),
      ...changes.pins.map(({ to }) => to),
      ...changes.purgedArchives,
    ]),
  ];
  const file = await output.stage(
    manifestAfter(run, {
      ...position,
      sources: publishedSources(run),
      placing,
      settings: run.rollback === undefined ? unsettled : run.settingsDigest,
      rollback: run.rollback?.to,
      purging: mustSweep(run),
      announced: announcedUntilThen(tree.announced, guardedLists(run)),
    }),
  );
  await output.settle([file]);
  await output.publish(file, 'build', manifestPath);
  await output.barrier();
}

/**
 * A build that was limited to some packages leaves the others as they are: where it did not trust the tree, the next
 * one is not to either. A source that was not read keeps the records it has, whatever the settings now are.
 */
function manifestAfter(
  run: Run,
  {
    serial,
    root,
    placing,
    settings,
    sources: intended,
    rollback,
    purging = false,
    announced,
  }: Position &
    Pick<Manifest, 'placing' | 'settings' | 'sources'> & {
      readonly rollback?: number | undefined;
      readonly purging?: boolean;
      readonly announced: Partial<AnnouncedLists>;
    },
): string {
  const { tree, scanned, limit } = run;
  const sources = publishedSources(run).map(({ id }) => id);
  const renewed = new Set(
    limit === undefined ? scanned.filter(({ outcome }) => outcome === 'read').map(({ chosen }) => chosen.spec.id) : [],
  );
  const stale = sources.filter((id) => (!tree.trusted || tree.stale.has(id)) && !renewed.has(id));
  return formatManifest({
    format: manifestFormat,
    serial,
    settings,
    placing,
    stale,
    root,
    ...(intended === undefined ? {} : { sources: intended }),
    ...(rollback === undefined ? {} : { rollback }),
    ...(purging ? { purging } : {}),
    ...announced,
  });
}

/**
 * What a publication that was cut off put in place, and this one has no use for: its source has changed again
 * meanwhile.
 */
function abandonedArchives({ tree }: Run, { results }: PackagesOutcome): readonly PublicPath[] {
  // purged ones go last, once no serving index names them
  const known = new Set(results.flatMap(({ leftovers, changes }) => [...leftovers, ...changes.purgedArchives]));
  return tree.leftovers.filter((path) => !known.has(path));
}

async function remember(run: Run, packages: PackagesOutcome, position: Position): Promise<void> {
  const { output, tree, scanned, choice } = run;
  const memories = nextMemories(
    scanned,
    packages,
    run.limit,
    blockedFindings(scanned, packages.results, run.purged.rows),
  );
  const settings = run.limit !== undefined && !tree.trusted ? unsettled : run.settingsDigest;
  const announced = announceLists(guardedLists(run));
  const manifest = manifestAfter(run, { ...position, placing: [], settings, announced });
  const manifestMoved = manifest !== (await output.read('build', manifestPath));
  const quarantined = await nextQuarantined(run, packages);
  const shown = quarantined === undefined ? [] : [{ file: await output.stage(quarantined), path: quarantinedPath }];
  const staged = await Promise.all(
    [...memories].map(async ([id, text]) => ({ file: await output.stage(text), path: memoryPath(id) })),
  );
  const last = manifestMoved ? [{ file: await output.stage(manifest), path: manifestPath }] : [];
  await output.settle([...shown, ...staged, ...last].map(({ file }) => file));
  for (const { file, path } of shown) await output.publish(file, 'index', path);
  for (const { file, path } of staged) await output.publish(file, 'build', path);
  for (const { id } of choice.forgotten) await output.remove('build', memoryPath(id));
  if (shown.length + staged.length > 0 || choice.forgotten.length > 0) await output.barrier();
  // it says that the memory beside it is to be believed
  for (const { file, path } of last) await output.publish(file, 'build', path);
  if (last.length > 0) await output.barrier();
  if (tree.serial > position.serial) throw new Error('a serial went back (I6)');
}
