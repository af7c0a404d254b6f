// Withdraws one published artifact: moves its ZIP out of the folder that builds read, and builds that source, so that
// the version is no longer offered. The served archive stays, so that lock files with the version still install.

import { artifactPath, retiredPath } from '../contract/artifact-files.ts';
import type { BuildReport } from '../contract/build-report.ts';
import type { Reference } from '../contract/digest.ts';
import type { PackageName } from '../contract/name.ts';
import type { DistLabel } from '../contract/paths.ts';
import { withArtifactTree, type VersionBuild, type ArtifactTree } from './artifact-tree.ts';
import { lostBeside, refuseLostUploads } from './lost-uploads.ts';
import type { WithdrawOutcome } from './outcome.ts';

export interface PublishedContent {
  readonly name: PackageName;
  readonly version: DistLabel;
  readonly reference: Reference;
}

/** Done already counts as done. Throws BuildBusy, BuildRefused and StorageError, as a build does. */
export async function withdrawArtifact(content: PublishedContent, build: VersionBuild): Promise<WithdrawOutcome> {
  return withArtifactTree(build, async (tree) => {
    await refuseLostUploads(tree, content);
    const published = await findPublished(content, tree);
    // the index may be ahead of the served documents after an interrupted build
    if (published === undefined) return { outcome: 'withdrawn', serial: (await withdrawAlone(content, tree)).serial };
    const file = artifactPath(content.name, content.version);
    const retired = retiredPath(content.name, published.version_normalized, content.reference);
    const moved = await tree.exists(file);
    if (moved) await tree.move(tree.at(file), tree.at(retired));
    const putBack = async (): Promise<void> => {
      if (moved) await tree.move(tree.at(retired), tree.at(file));
    };
    const report = await withdrawAlone(content, tree).catch(async (error: unknown) => {
      await putBack();
      throw error;
    });
    if ((await findPublished(content, tree)) === undefined) return { outcome: 'withdrawn', serial: report.serial };
    await putBack();
    const reasons = [...report.failed.map(({ reason }) => reason), ...report.quarantined.map(({ message }) => message)];
    throw new Error(`${content.name} ${content.version} is still published: ${reasons[0] ?? 'nothing says why'}`);
  });
}

/** Builds. Throws UploadsLost, and publishes nothing, if the build would withdraw an upload whose ZIP was lost. */
async function withdrawAlone(content: PublishedContent, tree: ArtifactTree): Promise<BuildReport> {
  const lost: string[] = [];
  for (const { name, version } of (await tree.planWithdrawal()).withdrawn) {
    if (name === content.name && version === content.version) continue;
    if (!(await isRetired(name as PackageName, version, tree))) lost.push(`${name} ${version}`);
  }
  if (lost.length > 0) throw lostBeside(lost, tree);
  return tree.build(true);
}

/** An interrupted withdrawal has moved the ZIP, and this build completes the withdrawal. */
async function isRetired(name: PackageName, version: string, tree: ArtifactTree): Promise<boolean> {
  const entry = (await tree.entries(name)).find((one) => one.state === 'published' && one.version === version);
  return entry !== undefined && tree.exists(retiredPath(name, entry.version_normalized, entry.reference));
}

async function findPublished({ name, version, reference }: PublishedContent, tree: ArtifactTree) {
  const entries = await tree.published(name);
  return entries.find(
    (entry) =>
      entry.state === 'published' &&
      entry.version === version &&
      entry.reference === reference &&
      entry.source === tree.source,
  );
}
