// Withdraws one published artifact: moves its ZIP out of the folder that builds read, and builds that source, so that
// the version is no longer offered. The served archive stays, so that lock files with the version still install.

import { artifactPath, retiredPath } from '../contract/artifact-files.ts';
import type { Reference } from '../contract/digest.ts';
import type { PackageName } from '../contract/name.ts';
import type { DistLabel } from '../contract/paths.ts';
import { withArtifactTree, type ArtifactBuild, type ArtifactTree } from './artifact-tree.ts';
import { refuseLostUploads, refusePartialLoss } from './lost-uploads.ts';
import type { WithdrawOutcome } from './outcome.ts';

export interface PublishedContent {
  readonly name: PackageName;
  readonly version: DistLabel;
  readonly reference: Reference;
}

/** Done already counts as done. Throws BuildBusy, BuildRefused and StorageError, as a build does. */
export async function withdrawArtifact(content: PublishedContent, build: ArtifactBuild): Promise<WithdrawOutcome> {
  return withArtifactTree(build, async (tree) => {
    await refuseLostUploads(tree, content);
    await refusePartialLoss(tree, content);
    const published = await findPublished(content, tree);
    // the index may be ahead of the served documents after an interrupted build
    if (published === undefined) return { outcome: 'withdrawn', serial: (await tree.build(true)).serial };
    const file = artifactPath(content.name, content.version);
    const retired = retiredPath(content.name, published.version_normalized, content.reference);
    const moved = await tree.exists(file);
    if (moved) await tree.move(tree.at(file), tree.at(retired));
    const putBack = async (): Promise<void> => {
      if (moved) await tree.move(tree.at(retired), tree.at(file));
    };
    const report = await tree.build(true).catch(async (error: unknown) => {
      await putBack();
      throw error;
    });
    if ((await findPublished(content, tree)) === undefined) return { outcome: 'withdrawn', serial: report.serial };
    await putBack();
    const reasons = [...report.failed.map(({ reason }) => reason), ...report.quarantined.map(({ message }) => message)];
    throw new Error(`${content.name} ${content.version} is still published: ${reasons[0] ?? 'nothing says why'}`);
  });
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
