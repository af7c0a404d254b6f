// Carries a publication out. Keeps I1, I2 and I5: at every moment, and after a kill at any of them, what a document
// names is there. Each phase is durable before the next begins.

import type { Area, Output, StagedFile } from '../output/output.ts';
import type { Placement, Publication } from '../output/publication.ts';

/** `step` is told before each phase, for progress. */
export async function applyPublication(
  publication: Publication,
  output: Output,
  step: (phase: string) => void,
): Promise<void> {
  const {
    archives,
    pins,
    texts,
    indexes,
    documents,
    plain,
    removals,
    unusedTexts,
    purgedIndexes,
    purgedArchives,
    record,
    kept,
    root,
    head,
  } = publication;
  const last = root === undefined ? [head] : [root, head];
  step('making everything durable');
  await output.settle(
    [...archives, ...texts, ...indexes, ...documents, ...purgedIndexes, record, ...last].map(
      (placement): StagedFile => placement.file,
    ),
  );

  step('archives');
  await placeAll(output, 'public', archives);
  for (const { from, to } of pins) await output.alias(from, to);
  await placeAll(output, 'index', texts);
  for (const { area, from, to } of kept) await output.keep(area, from, to);
  await placeAll(output, 'build', [record]);
  await output.barrier();

  step('serving index');
  await placeAll(output, 'index', indexes);
  await output.barrier();

  step('documents');
  await placeAll(output, 'public', documents);
  await output.barrier();
  if (root !== undefined) {
    await placeAll(output, 'public', [root]);
    await output.barrier();
  }

  step('newest dev archives');
  for (const { from, to } of plain) await output.alias(from, to);
  for (const path of removals) await output.remove('public', path);
  for (const path of unusedTexts) await output.remove('index', path);
  await output.barrier();
  if (purgedIndexes.length + purgedArchives.length > 0) await letGo(publication, output);

  step('announcement');
  await placeAll(output, 'index', [head]);
  await output.barrier();
}

/**
 * Of purged contents, which no document names any more: the serving index lets go of them before their archives do, so
 * that I1 holds at every moment.
 */
async function letGo({ purgedIndexes, purgedArchives }: Publication, output: Output): Promise<void> {
  await placeAll(output, 'index', purgedIndexes);
  await output.barrier();
  for (const path of purgedArchives) await output.remove('public', path);
  await output.barrier();
}

async function placeAll(output: Output, area: Area, placements: readonly Placement[]): Promise<void> {
  for (const { file, path, lastModified } of placements) await output.publish(file, area, path, lastModified);
}
