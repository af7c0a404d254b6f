// Purges one version: removes its archives, records, texts and history, and adds tombstones that block its label and
// its bytes. The purge reads no source, so that it works while a source is unreachable. A second purge completes an
// interrupted one, and changes nothing else.

import { buildHoldingLock } from '../build.ts';
import type { BuildRequest } from '../scan/build-request.ts';
import { refused, type RefusedArtifact } from '../artifacts/outcome.ts';
import { changeTree } from '../store/change-tree.ts';
import { folderNotices } from '../contract/build-report.ts';
import { artifactsFolder } from '../contract/artifact-files.ts';
import { publicationPath } from '../contract/paths.ts';
import { parsePublication, type PublishedSource } from '../contract/publication.ts';
import { mergePurged, purgedKey, type PurgedVersion, type PurgeReason } from '../contract/purged.ts';
import type { IndexState } from '../contract/serving-index.ts';
import { openDataFolder } from '../sources/data-folder.ts';
import { createDiskOutput } from '../output/disk-output.ts';
import type { Output } from '../output/output.ts';
import { withoutSources } from '../withdraw/without-sources.ts';
import { archivesToRemove } from '../package/drop-purged.ts';
import {
  findPurge,
  isTarget,
  tombstonesOf,
  type ContentEntry,
  type PurgeSelection,
  type PurgeTarget,
} from './find-purge.ts';
import { purgeCommand } from '../version-lists/purge-command.ts';
import { listPurged } from '../package/purged.ts';
import type { VersionBuild } from '../artifacts/artifact-tree.ts';

export interface PurgeOrder extends PurgeTarget {
  readonly reason: PurgeReason;
  /** true: the purge changes nothing, and the outcome lists the planned changes */
  readonly dryRun: boolean;
  /** tombstones of contents that only the mirror has */
  readonly mirrored: readonly PurgedVersion[];
}

/** A type, not an interface: it is printed as JSON. */
export type PurgedContentLine = {
  readonly name: string;
  readonly version: string;
  readonly version_normalized: string;
  readonly reference: string;
  /** the state before the purge; `purged`: by an earlier purge */
  readonly state: IndexState | 'mirrored' | 'purged';
};

/** A type, not an interface: it is printed as JSON. */
export type AlikeContentLine = {
  readonly name: string;
  readonly version: string;
  readonly version_normalized: string;
  readonly reference: string;
  readonly state: IndexState;
  /** the command that also purges it, as typed in a shell */
  readonly command: string;
};

/** A type, not an interface: it is printed as JSON. */
export type PurgeOutcome = {
  readonly outcome: 'purged' | 'planned';
  readonly name: string;
  readonly version: string;
  readonly reason: PurgeReason;
  /** RFC 3339 UTC: since when; of one that was purged before, since then */
  readonly since: string;
  /** serial of the publication that readers now see */
  readonly serial: number;
  /** the purged contents, including the same bytes under other labels */
  readonly contents: readonly PurgedContentLine[];
  /** contents of the package that have the same files in another archive, and stay */
  readonly alike: readonly AlikeContentLine[];
  /** archives below public/; a copy of the tree elsewhere has to remove them too */
  readonly files: readonly string[];
  /** the sources of the version, which may publish it again */
  readonly sources: readonly string[];
  /** the build's remarks on the data folder, for example a lost file; empty for a plan */
  readonly notices: readonly string[];
};

/** Throws BuildBusy, BuildRefused and StorageError, as a build does. */
export async function purgeVersion(
  order: PurgeOrder,
  { request, effects, waitMs }: VersionBuild,
): Promise<PurgeOutcome | RefusedArtifact> {
  // a plan reads archives, which only a change fetches from an object store
  if (order.dryRun && request.output === undefined)
    return (await planPurge(order, createDiskOutput(request.dataDirectory), effects.now())).outcome;
  const dataDirectory = await openDataFolder(request.dataDirectory);
  return changeTree(dataDirectory, { ...effects, output: request.output, waitMs }, async () => {
    const { outcome, tombstones } = await planPurge(order, createDiskOutput(dataDirectory), effects.now());
    if (outcome.outcome === 'refused' || order.dryRun) return outcome;
    const report = await buildHoldingLock(purgingRequest(request, dataDirectory, tombstones), effects);
    return { ...outcome, outcome: 'purged', serial: report.serial, notices: folderNotices(report) };
  });
}

/** A registry that only mirrors publishes nothing, and still stores tombstones. */
export function purgingRequest(
  request: BuildRequest,
  dataDirectory: string,
  purge: readonly PurgedVersion[],
): BuildRequest {
  return { ...withoutSources(request), dataDirectory, purge, mayBeEmpty: true };
}

async function planPurge(
  order: PurgeOrder,
  output: Output,
  now: Date,
): Promise<{ readonly outcome: PurgeOutcome | RefusedArtifact; readonly tombstones: readonly PurgedVersion[] }> {
  const { name, version, reference, mirrored } = order;
  const before = earlierTombstones(await listPurged(output), order);
  const found = await findPurge(output, order, before);
  const contents = [...found.named, ...found.same];
  // an interrupted purge has left its tombstones, and perhaps the contents too
  const tombstones = mergePurged(before, [...(await tombstonesOf(output, contents, order.reason, now)), ...mirrored]);
  const newest = tombstones
    .filter((row) => row.name === name && isTarget(order, row))
    .toSorted((one, other) => (one.since < other.since ? 1 : -1))[0];
  if (newest === undefined)
    return {
      outcome: refused(
        'NOT_FOUND',
        `There is no version ${version}${reference === undefined ? '' : ` with reference ${reference}`} of ` +
          `${name} here.`,
      ),
      tombstones,
    };
  return { outcome: await describe(order, { found, contents, before, newest }, output), tombstones };
}

/** Returns the tombstones of this version, and those of the same bytes under other labels. */
function earlierTombstones(rows: readonly PurgedVersion[], order: PurgeOrder): readonly PurgedVersion[] {
  const named = rows.filter((row) => row.name === order.name && isTarget(order, row));
  const references = new Set(named.map(({ reference }) => reference).filter((reference) => reference !== ''));
  const archives = new Set(named.flatMap(({ sha1 }) => sha1 ?? []));
  const isSame = ({ name, reference, sha1 }: PurgedVersion): boolean =>
    (name === order.name && references.has(reference)) || (sha1 !== null && archives.has(sha1));
  return rows.filter((row) => named.includes(row) || isSame(row));
}

interface Plan {
  readonly found: PurgeSelection;
  readonly contents: readonly ContentEntry[];
  /** tombstones that there are already */
  readonly before: readonly PurgedVersion[];
  readonly newest: PurgedVersion;
}

async function describe(
  { name, mirrored }: PurgeOrder,
  { found, contents, before, newest }: Plan,
  output: Output,
): Promise<PurgeOutcome> {
  const contentLines: readonly PurgedContentLine[] = contents.map(contentLine);
  const elsewhere = mirrored.map((row) => lineOf(row, 'mirrored'));
  const keys = new Set([
    ...contents.map(({ name: of, entry }) => `${of} ${entry.version_normalized} ${entry.reference}`),
    ...mirrored.map(purgedKey),
  ]);
  const gone = before.filter((row) => !keys.has(purgedKey(row))).map((row) => lineOf(row, 'purged'));
  const { serial, sources } = await readPosition(output);
  const ids = new Set([...contents.map(({ entry }) => entry.source), ...before.flatMap(({ source }) => source ?? [])]);
  return {
    outcome: 'planned',
    name,
    version: newest.version,
    reason: newest.reason,
    since: newest.since,
    serial,
    contents: [...contentLines, ...elsewhere, ...gone],
    alike: found.alike.map((one) => alikeLine(one, newest.reason)),
    files: [...new Set(contents.flatMap(({ name: of, entry }) => archivesToRemove(of, [entry], [])))],
    sources: sources.filter(({ id, location }) => ids.has(id) && !isUploads(location)).map(({ location }) => location),
    notices: [],
  };
}

/** The folder of uploads is cleared as well. */
function isUploads(location: string): boolean {
  return location.startsWith('artifact:') && new RegExp(`[:/]${artifactsFolder}$`).test(location);
}

function contentLine({
  name,
  entry: { version, version_normalized, reference, state },
}: ContentEntry): Omit<AlikeContentLine, 'command'> {
  return { name, version, version_normalized, reference, state };
}

function alikeLine(found: ContentEntry, reason: PurgeReason): AlikeContentLine {
  const line = contentLine(found);
  return { ...line, command: purgeCommand(line, reason) };
}

function lineOf(
  { name, version, version_normalized, reference }: PurgedVersion,
  state: 'mirrored' | 'purged',
): PurgedContentLine {
  return { name, version, version_normalized, reference, state };
}

async function readPosition(
  output: Output,
): Promise<{ readonly serial: number; readonly sources: readonly PublishedSource[] }> {
  const text = await output.read('index', publicationPath);
  return text === undefined ? { serial: 0, sources: [] } : parsePublication(text);
}
