// Executes a publication. Guarantees I1, I2 and I5: every file that a document names exists, at every moment and after
// a kill at any moment. Each phase is durable before the next starts.

import type { OutputArea, Output, StagedFile } from '../output/output.ts';
import type { Placement, PublicationFiles } from '../output/publication.ts';

/** Calls `step` before each phase, for progress. */
export async function applyPublication(
  publication: PublicationFiles,
  output: Output,
  step: (phase: string) => void,
): Promise<void> {
  step('making everything durable');
  await output.settle(stagedFiles(publication));
  step('archives');
  await placeArchives(publication, output);
  step('serving index');
  await placeAll(output, 'index', publication.indexes);
  await output.barrier();
  step('documents');
  await placeDocuments(publication, output);
  step('newest dev archives');
  await placePlainCopies(publication, output);
  await placeLastIndexes(publication, output);
  step('announcement');
  await placeAll(output, 'index', [publication.head]);
  await output.barrier();
}

function stagedFiles({
  archives,
  texts,
  prunedLists,
  indexes,
  documents,
  lastIndexes,
  record,
  root,
  head,
}: PublicationFiles): readonly StagedFile[] {
  const last = root === undefined ? [head] : [root, head];
  return [...archives, ...texts, ...prunedLists, ...indexes, ...documents, ...lastIndexes, record, ...last].map(
    ({ file }) => file,
  );
}

/** Archives, READMEs and CHANGELOGs, lists of pruned releases, and the record of history. */
async function placeArchives(publication: PublicationFiles, output: Output): Promise<void> {
  const { archives, pins, texts, prunedLists, kept, record } = publication;
  await placeAll(output, 'public', archives);
  for (const { from, to } of pins) await output.alias(from, to);
  await placeAll(output, 'index', [...texts, ...prunedLists]);
  for (const { area, from, to } of kept) await output.keep(area, from, to);
  await placeAll(output, 'build', [record]);
  await output.barrier();
}

async function placeDocuments({ documents, root }: PublicationFiles, output: Output): Promise<void> {
  await placeAll(output, 'public', documents);
  await output.barrier();
  if (root === undefined) return;
  await placeAll(output, 'public', [root]);
  await output.barrier();
}

async function placePlainCopies({ plain, removals, unusedTexts }: PublicationFiles, output: Output): Promise<void> {
  for (const { from, to } of plain) await output.alias(from, to);
  for (const path of removals) await output.remove('public', path);
  for (const path of unusedTexts) await output.remove('index', path);
  await output.barrier();
}

/**
 * The documents are in place: they name no purged contents. The serving index drops these before the build removes
 * their archives, so that I1 holds at every moment.
 */
async function placeLastIndexes({ lastIndexes, purgedArchives }: PublicationFiles, output: Output): Promise<void> {
  if (lastIndexes.length + purgedArchives.length === 0) return;
  await placeAll(output, 'index', lastIndexes);
  await output.barrier();
  for (const path of purgedArchives) await output.remove('public', path);
  await output.barrier();
}

async function placeAll(output: Output, area: OutputArea, placements: readonly Placement[]): Promise<void> {
  for (const { file, path, lastModified } of placements) await output.publish(file, area, path, lastModified);
}
