// Writes the builder's memory of a publication to `build/manifest.json` and the files of its folder: the intent before
// the first change (I5), and the published versions afterwards.

import { announcedUntilThen, announceLists, type AnnouncedLists } from '../contract/announced-lists.ts';
import type { PublicPath } from '../contract/paths.ts';
import {
  quarantinedPath,
  formatQuarantined,
  parseQuarantined,
  type QuarantinedVersion,
} from '../contract/quarantined.ts';
import { formatManifest, manifestFormat, manifestPath, unknownSettings, type Manifest } from '../memory/manifest.ts';
import { memoryPath } from '../memory/source-memory.ts';
import { blockedFindings } from '../package/blocked-findings.ts';
import { nextHolds } from './next-announcement.ts';
import { nextMemories } from './next-memories.ts';
import type { PackagesOutcome } from './outcome.ts';
import { publishedSources } from './published-sources.ts';
import { guardedLists, type PublishContext } from './run.ts';
import { parseOwnFile } from '../output/parse-own-file.ts';

/** The fields that the manifest has before and after a publication. */
export type Position = Required<Pick<Manifest, 'serial' | 'root'>>;

/**
 * The manifest takes the new serial before any other file changes. If this build dies, the next build finds a manifest
 * that is ahead of the publication. The next build then trusts no memory, compares every package, and so completes the
 * publication (I5). It does the same if the publication is complete and only the memory is out of date. A rollback
 * reads no source, so that the memory of sources stays valid.
 */
export async function announceIntent(
  run: PublishContext,
  position: Position,
  packages: PackagesOutcome,
): Promise<void> {
  const { output, tree } = run;
  const { changes } = packages;
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
      undone: nextHolds(run, packages),
      placing,
      settings: run.rollback === undefined ? unknownSettings : run.settingsDigest,
      rollback: run.rollback?.to,
      purging: mustSweep(run) || mustSweepLater(run),
      announced: announcedUntilThen(tree.announced, guardedLists(run)),
    }),
  );
  await output.settle([file]);
  await output.publish(file, 'build', manifestPath);
  await output.barrier();
}

interface ManifestFields extends Position, Pick<Manifest, 'placing' | 'settings'> {
  readonly undone: Manifest['undone'];
  readonly rollback?: number | undefined;
  readonly purging?: boolean;
  readonly announced: Partial<AnnouncedLists>;
}

/**
 * A build with `--only` leaves all other packages unchanged. If this build did not trust the tree, the next build must
 * not trust it either. A source that was not read keeps its records under any settings.
 */
function manifestAfter(
  run: PublishContext,
  { serial, root, placing, settings, undone, rollback, purging = false, announced }: ManifestFields,
): string {
  const { tree, scanned, limit } = run;
  const sources = publishedSources(run);
  const renewed = new Set(
    limit === undefined ? scanned.filter(({ outcome }) => outcome === 'read').map(({ chosen }) => chosen.spec.id) : [],
  );
  const ids = sources.map(({ id }) => id);
  const stale = ids.filter((id) => (!tree.trusted || tree.stale.has(id)) && !renewed.has(id));
  return formatManifest({
    format: manifestFormat,
    serial,
    settings,
    placing,
    stale,
    root,
    sources,
    ...(undone === undefined || undone.length === 0 ? {} : { undone }),
    ...(rollback === undefined ? {} : { rollback }),
    ...(purging ? { purging } : {}),
    ...announced,
  });
}

/** True if files of purged versions may remain outside the tree: from this purge, or from an interrupted one. */
export function mustSweep({ purged, tree }: PublishContext): boolean {
  return purged.asked || (tree.purging && purged.rows.length > 0 && !purged.lost);
}

/**
 * A lost list lacks digests that an interrupted purge still needs, so the build after the recovery removes the files.
 */
function mustSweepLater({ purged, tree }: PublishContext): boolean {
  return tree.purging && purged.lost;
}

/** Writes the memory of the sources, the quarantined versions, and last the manifest, which makes the memory valid. */
export async function remember(run: PublishContext, packages: PackagesOutcome, position: Position): Promise<void> {
  const { output, tree, scanned, choice } = run;
  const memories = nextMemories(
    scanned,
    packages,
    run.limit,
    blockedFindings(scanned, packages.results, run.purged.rows),
  );
  const settings = run.limit !== undefined && !tree.trusted ? unknownSettings : run.settingsDigest;
  const announced = announceLists(guardedLists(run));
  const manifest = manifestAfter(run, {
    ...position,
    undone: nextHolds(run, packages),
    placing: [],
    settings,
    purging: mustSweepLater(run),
    announced,
  });
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
  // from here on the next build trusts the memory files of the manifest
  for (const { file, path } of last) await output.publish(file, 'build', path);
  if (last.length > 0) await output.barrier();
  if (tree.serial > position.serial) throw new Error('a serial went back (I6)');
}

// Writes `index/_quarantined.json`: the quarantined versions of a build, each with the reason.

/**
 * The file's bytes after this build; undefined if it stays. Sources that were not read keep the findings of earlier
 * builds.
 */
async function nextQuarantined(
  { output, choice, limit }: PublishContext,
  { quarantined }: PackagesOutcome,
): Promise<string | undefined> {
  const before = await output.read('index', quarantinedPath);
  const known =
    (before === undefined ? undefined : parseOwnFile(`index/${quarantinedPath}`, () => parseQuarantined(before))) ?? [];
  const left = new Set(choice.left.map(({ spec }) => spec.id));
  const read = new Set(choice.read.map(({ spec }) => spec.id));
  const stands = ({ source, name }: QuarantinedVersion): boolean =>
    left.has(source) || (read.has(source) && limit !== undefined && (name === null || !limit.admits(name)));
  const found = quarantined.map(({ source, quarantine }) => ({ source, ...quarantine }));
  const after = formatQuarantined([...known.filter(stands), ...found]);
  return after === before || (before === undefined && found.length === 0) ? undefined : after;
}
