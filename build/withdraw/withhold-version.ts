// Withdraws one version permanently, even if its source has it or publishes it again. The command reads no source, so
// that it works while the source is unreachable. The archive stays for lock files that name it.

import { buildHoldingLock } from '../build.ts';
import type { BuildRequest } from '../scan/build-request.ts';
import { refused, type RefusedArtifact } from '../artifacts/outcome.ts';
import { changeTree } from '../store/change-tree.ts';
import { folderNotices } from '../contract/build-report.ts';
import type { PackageName } from '../contract/name.ts';
import { PackageDamaged } from '../contract/refusals.ts';
import { lookUpPurged } from '../contract/purged.ts';
import type { IndexEntry } from '../contract/serving-index.ts';
import { normalizeVersion, type NormalizedVersion } from '../contract/version.ts';
import { openDataFolder } from '../sources/data-folder.ts';
import { readPublishedIndex } from '../memory/published-index.ts';
import { readAnnounced, readKnownSources } from '../memory/tree-memory.ts';
import { createDiskOutput } from '../output/disk-output.ts';
import type { Output } from '../output/output.ts';
import { listPurged } from '../package/purged.ts';
import { withoutSources } from './without-sources.ts';
import { findWithheld } from '../version-lists/withheld.ts';
import type { VersionBuild } from '../artifacts/artifact-tree.ts';

export interface WithholdTarget {
  readonly name: PackageName;
  /** the published label, or the normalized version */
  readonly version: string;
}

/** A type, not an interface: it is printed as JSON. */
export type WithheldOutcome = {
  readonly outcome: 'withdrawn';
  readonly name: PackageName;
  readonly version: string;
  readonly version_normalized: NormalizedVersion;
  /** empty if the serving index no longer has the version */
  readonly reference: string;
  /** RFC 3339 UTC */
  readonly since: string;
  /** serial of the publication without the version */
  readonly serial: number;
  /** the build's remarks on the data folder, for example a lost file */
  readonly notices: readonly string[];
};

type WithdrawnContent = Pick<WithheldOutcome, 'version' | 'reference'> & {
  readonly version_normalized: string;
  /** undefined: no serving index has the version */
  readonly state?: IndexEntry['state'];
};

/**
 * Also withdraws a version that is no longer published, so that it cannot return. The command rebuilds a lost list of
 * withdrawn versions, with every version that the announcement names. A repeated call succeeds and changes nothing.
 * Throws BuildBusy, BuildRefused and StorageError, as a build does.
 */
export async function withholdVersion(
  named: WithholdTarget,
  { request: given, effects, waitMs }: VersionBuild,
): Promise<WithheldOutcome | RefusedArtifact> {
  const request = { ...given, dataDirectory: await openDataFolder(given.dataDirectory) };
  return changeTree(request.dataDirectory, { ...effects, output: request.output, waitMs }, async () => {
    const output = createDiskOutput(request.dataDirectory);
    const announced = await findAnnounced(named, output);
    const entry = (await findEntry(named, output).catch(unlessAnnounced(announced))) ?? announced;
    if (entry === undefined) return refused('NOT_FOUND', `${named.name} ${named.version} is not published here.`);
    const normalized = entry.version_normalized as NormalizedVersion;
    const report = await buildHoldingLock(
      {
        ...withoutSources(request),
        withhold: { name: named.name, version: entry.version, normalized, withheld: true },
        // if the announcement is lost, no source is known
        mayBeEmpty: true,
        // an already withdrawn version restores a lost list
        ...(announced === undefined
          ? {}
          : { recovers: 'withheld', only: entry.state === 'published' ? [named.name] : [] }),
      },
      effects,
    );
    const withheld = await findWithheld(output, named.name, normalized);
    if (withheld === undefined)
      throw new Error(`${named.name} ${entry.version} was withdrawn, and the list does not say so`);
    return {
      outcome: 'withdrawn',
      name: named.name,
      version: entry.version,
      version_normalized: normalized,
      reference: entry.reference,
      since: withheld.since,
      serial: report.serial,
      notices: folderNotices(report),
    };
  });
}

/**
 * Returns the build request that publishes the version again from its source. `request`: as for a build of everything.
 */
export async function restoringRequest(
  { name, version }: WithholdTarget,
  request: BuildRequest,
): Promise<BuildRequest | RefusedArtifact> {
  const normalized = normalizeVersion(version);
  const output = createDiskOutput(request.dataDirectory);
  if (normalized === undefined || (await findWithheld(output, name, normalized)) === undefined)
    return refused('NOT_FOUND', `The version ${version} of ${name} was not withdrawn by hand.`);
  const entry = await findEntry({ name, version }, output);
  const tombstone = lookUpPurged(await listPurged(output)).blocks(name, {
    normalized,
    reference: entry?.reference ?? '',
  });
  if (tombstone !== undefined)
    return refused(
      'VERSION_PURGED',
      `${name} ${version} was purged on ${tombstone.since.slice(0, 10)} (${tombstone.reason}), and is never ` +
        'published again. Publish a new version.',
    );
  const among = await sourcesOf(name, normalized, output);
  const withhold = { name, version, normalized, withheld: false };
  return { ...request, only: [name], withhold, ...(among === undefined ? {} : { among }) };
}

/**
 * The ids of the sources that the package has come from: a source of other packages that does not answer delays
 * nothing. undefined: the version's source is unknown or forgotten, so any source may have it.
 */
async function sourcesOf(
  name: PackageName,
  normalized: NormalizedVersion,
  output: Output,
): Promise<ReadonlySet<string> | undefined> {
  const entries = (await readPublishedIndex(output, name))?.versions ?? [];
  const present = new Set((await readKnownSources(output)).map(({ id }) => id));
  const own = entries.filter((entry) => entry.version_normalized === normalized);
  return own.length > 0 && own.every(({ source }) => present.has(source))
    ? new Set(entries.map(({ source }) => source))
    : undefined;
}

/** A damaged index must not block the recovery of a lost list, since the lost list blocks the recovery of the index. */
function unlessAnnounced(announced: WithdrawnContent | undefined): (error: unknown) => undefined {
  return (error) => {
    if (announced === undefined || !(error instanceof PackageDamaged)) throw error;
    return undefined;
  };
}

/** Finds a version that `prune` removed and whose row the list lost: only the announcement names it. */
async function findAnnounced({ name, version }: WithholdTarget, output: Output): Promise<WithdrawnContent | undefined> {
  const { withheld } = await readAnnounced(output);
  const row = withheld.find(
    (one) => one.name === name && (one.version === version || one.version_normalized === normalizeVersion(version)),
  );
  return row === undefined ? undefined : { ...row, reference: '' };
}

/**
 * The published entry; without one, the entry that was published last. Throws PackageDamaged for a lost or damaged
 * index.
 */
async function findEntry({ name, version }: WithholdTarget, output: Output): Promise<IndexEntry | undefined> {
  const normalized = normalizeVersion(version);
  const found = ((await readPublishedIndex(output, name))?.versions ?? []).filter(
    (entry) => entry.version === version || entry.version_normalized === normalized,
  );
  return found.find(({ state }) => state === 'published') ?? found[0];
}
