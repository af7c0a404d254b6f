// Publishes one staged ZIP, or the ZIP of a tar: moves it to the folder of artifacts, and builds that source. After a
// failure, the folder is unchanged. The staged file is deleted in every case. A staged release is stored beside the
// withdrawn ZIPs, where no build reads it, until a person approves it.

import { randomUUID } from 'node:crypto';
import { copyFile, link, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { artifactPath, retiredPath, stagedUploadName, stagingFolder } from '../contract/artifact-files.ts';
import type { IndexEntry } from '../contract/serving-index.ts';
import { normalizeVersion } from '../contract/version.ts';
import { digestsOf } from '../store/local-files.ts';
import { distUrl } from '../documents/documents.ts';
import { dataFolder, type BuildReport } from '../contract/build-report.ts';
import { withArtifactTree, type VersionBuild, type ArtifactTree } from './artifact-tree.ts';
import { findExisting, purged, type IsRejected } from './find-existing.ts';
import { examineStaged, refuseAsBuild, type ExaminedArtifact, type StagedArtifact } from './examine-staged.ts';
import { isTar, repackTar } from '../sources/artifact/repack-tar.ts';
import { refuseLostUploads } from './lost-uploads.ts';
import { refused, type PublishedArtifact, type PublishOutcome, type RefusedArtifact } from './outcome.ts';
import type { PublishedContent } from './withdraw-artifact.ts';

export interface SentArtifact extends StagedArtifact {
  /** true: a new version waits for a person */
  readonly stages?: boolean;
  /** true: a person rejected this archive; its version is free for another one */
  readonly isRejected?: IsRejected | undefined;
}

/** Throws BuildBusy, BuildRefused and StorageError, as a build does. */
export async function publishArtifact(staged: SentArtifact, build: VersionBuild): Promise<PublishOutcome> {
  try {
    const artifact = await examineStaged(staged, zipInPlace);
    if ('outcome' in artifact) return artifact;
    return await withArtifactTree(build, async (tree) => {
      const existing = await findExisting(artifact, tree, staged.isRejected);
      if (existing !== undefined && 'outcome' in existing) return existing;
      if (existing === undefined && staged.stages === true) return stage(staged.path, artifact, tree, build);
      const placed =
        existing !== undefined && (await tree.exists(artifact.file))
          ? await complete(artifact, tree)
          : await place(staged, artifact, tree);
      if ('refusal' in placed) return placed.refusal;
      await tree.remove(keptPath(artifact));
      const entry = (await tree.entries(artifact.name)).find((one) => isSame(one, artifact, tree));
      if (entry === undefined)
        throw new Error(`${artifact.name} ${artifact.version} was published, and its index does not say so`);
      return { outcome: 'published', ...(await describe(artifact, entry, placed.report, tree, build)) };
    });
  } finally {
    await rm(staged.path, { force: true });
  }
}

/** Publishes the staged release that a person approved. A repeated call completes an interrupted one. */
export async function publishApproved(
  { name, version, reference }: PublishedContent,
  build: VersionBuild,
  isRejected?: IsRejected,
): Promise<PublishOutcome> {
  const path = await withArtifactTree(build, async (tree) => {
    const copy = join(tree.at(stagingFolder), stagedUploadName(process.pid, randomUUID()));
    const kept = keptPath({ name, normalized: normalizeVersion(version) ?? version, reference });
    const from = (await tree.exists(kept)) ? kept : artifactPath(name, version);
    return (await tree.exists(from)) ? copyFile(tree.at(from), copy).then(() => copy) : undefined;
  });
  return path === undefined
    ? refused('NOT_FOUND', `The stored ZIP of ${name} ${version} is lost. Reject it, and upload it again.`)
    : publishArtifact({ path, name, version, reference, isRejected }, build);
}

function keptPath({
  name,
  normalized,
  reference,
}: Pick<ExaminedArtifact, 'name' | 'reference'> & { normalized: string }) {
  return retiredPath(name, normalized, reference);
}

async function stage(
  path: string,
  artifact: ExaminedArtifact,
  tree: ArtifactTree,
  build: VersionBuild,
): Promise<PublishOutcome> {
  const kept = tree.at(keptPath(artifact));
  await tree.move(await linkBeside(path, tree), kept);
  const { sha1: shasum } = await digestsOf(kept);
  const content = { reference: artifact.reference, shasum, size: (await stat(kept)).size };
  return { outcome: 'staged', ...(await describe(artifact, content, { withdrawn: [], notices: [] }, tree, build)) };
}

/** The staged file stays: another builder at an object store may be first, and then the work starts over. */
async function linkBeside(staged: string, tree: ArtifactTree): Promise<string> {
  const own = join(tree.at(stagingFolder), `placed-${randomUUID()}.zip`);
  await link(staged, own).catch(() => copyFile(staged, own));
  return own;
}

/** A staged tar becomes its ZIP. */
async function zipInPlace(path: string): Promise<void> {
  if (isTar(path)) await rename(await repackTar(path, dirname(path)), path);
}

type Placed = { readonly report: BuildReport } | { readonly refusal: RefusedArtifact };

function isSame(entry: IndexEntry, { version, reference }: ExaminedArtifact, { source }: ArtifactTree): boolean {
  return (
    entry.state === 'published' && entry.version === version && entry.reference === reference && entry.source === source
  );
}

/**
 * Completes an interrupted build before the acknowledgement: a build writes the index before the documents that
 * readers see.
 */
async function complete(artifact: ExaminedArtifact, tree: ArtifactTree): Promise<Placed> {
  const report = await tree.build();
  return (await tree.entries(artifact.name)).some((entry) => isSame(entry, artifact, tree))
    ? { report }
    : { refusal: whyNot(artifact, report, tree) };
}

/** Gives the report of the build, or restores the folder and gives the reason why the version is not published. */
async function place(
  { path, isRejected }: SentArtifact,
  artifact: ExaminedArtifact,
  tree: ArtifactTree,
): Promise<Placed> {
  await refuseLostUploads(tree, artifact);
  const final = tree.at(artifact.file);
  const aside = join(tree.at(stagingFolder), `replaced-${randomUUID()}.zip`);
  const { name, normalized } = artifact;
  const entries = (await tree.entries(name)).filter((entry) => entry.version_normalized === normalized);
  const former = entries.find(({ state }) => state === 'published');
  const isFreed = entries.some(({ reference }) => isRejected?.({ name, normalized, reference }) === true);
  const replaces = await tree.exists(artifact.file);
  // A hard link: after a kill at any moment, the folder still has a ZIP of this version.
  if (replaces) await link(final, aside).catch(() => copyFile(final, aside));
  const putBack = async (): Promise<void> => {
    if (!replaces) return rm(final, { force: true });
    await tree.move(aside, final);
    await rm(aside, { force: true }); // rename() between two links of one file leaves both
  };
  let report: BuildReport;
  const own = await linkBeside(path, tree);
  try {
    await tree.move(own, final);
    report = await tree.build(false, isFreed && `${name} ${normalized}`);
    if (!(await tree.entries(artifact.name)).some((entry) => isSame(entry, artifact, tree)))
      throw new NotPublished(report);
  } catch (error) {
    await putBack();
    if (error instanceof NotPublished) return { refusal: whyNot(artifact, error.report, tree) };
    throw error;
  }
  const retired = former && retiredPath(name, normalized, former.reference);
  // after a rollback the folder has a later ZIP than the published one
  if (replaces && retired !== undefined && !(await tree.exists(retired))) await tree.move(aside, tree.at(retired));
  else await rm(aside, { force: true });
  return { report };
}

/** The build ended well, and left the artifact out. */
class NotPublished extends Error {
  readonly report: BuildReport;

  constructor(report: BuildReport) {
    super('The build left the artifact out.');
    this.report = report;
  }
}

function whyNot(artifact: ExaminedArtifact, report: BuildReport, tree: ArtifactTree): RefusedArtifact {
  const { name, version, file } = artifact;
  const quarantine =
    report.quarantined.find((one) => one.where === tree.at(file)) ??
    report.quarantined.find((one) => one.name === name && one.version === version);
  if (quarantine !== undefined)
    return refuseAsBuild(
      quarantine.code,
      quarantine.message.replaceAll(tree.at(file), 'the archive').replaceAll(tree.dataDirectory, ''),
    );
  if (report.blocked.some((one) => one.name === name && one.version === version)) return purged(artifact);
  const reason = report.failed[0]?.reason ?? 'nothing says why';
  throw new Error(`${name} ${version} was not published: ${reason}`);
}

async function describe(
  artifact: ExaminedArtifact,
  { reference, shasum, size }: Pick<IndexEntry, 'reference' | 'shasum' | 'size'>,
  report: Pick<BuildReport, 'withdrawn' | 'notices'>,
  tree: ArtifactTree,
  { request }: VersionBuild,
): Promise<Omit<PublishedArtifact, 'outcome'>> {
  const { name, version, normalized, sha256, file } = artifact;
  const gone = report.withdrawn.map(
    (one) =>
      `${one.name} ${one.version} is withdrawn: its ZIP is no longer in artifacts/. Put the ZIP back and run ` +
      '`libretto build`, which publishes the version again.',
  );
  const isOwn = (message: string): boolean => [name, file].some((start) => message.startsWith(`${start} `));
  const messages = report.notices.map(({ message }) => message);
  const others = report.notices.filter(({ source, message }) => source === dataFolder && !isOwn(message));
  const url = distUrl(name, version, { metadataUrl: request.metadataUrl, distBaseUrl: request.distBaseUrl });
  return {
    name,
    version,
    version_normalized: normalized,
    reference,
    sha256,
    sha1: shasum,
    size,
    url: url.replace('%reference%', reference),
    serial: await tree.serial(),
    notices: messages.filter(isOwn),
    registryNotices: [...others.map(({ message }) => message), ...gone],
  };
}
