// Handles a published tree without an announcement, which alone names the sources. A build then needs named sources,
// and adds the folder of uploads so that no upload is left out silently.

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { artifactsFolder } from '../contract/artifact-files.ts';
import { rootDocumentPath } from '../contract/paths.ts';
import { BuildRefused } from '../contract/refusals.ts';
import { historyFolder } from '../history/record.ts';
import type { TreeMemory } from '../memory/tree-memory.ts';
import { unknownSettings } from '../memory/manifest.ts';
import type { Output } from '../output/output.ts';
import { isMissing } from '../output/storage-error.ts';
import { parseSource } from '../sources/spec.ts';
import type { BuildRequest } from './build-request.ts';
import type { SourceChoice } from './choose-sources.ts';

/** undefined: the announcement exists, or nothing was published. Otherwise the error and its remedy. */
export async function lostAnnouncement(
  tree: Pick<TreeMemory, 'publication' | 'settings'>,
  output: Output,
  dataDirectory: string,
): Promise<string | undefined> {
  // of the very first publication, which was cut off, the manifest knows the sources
  if (tree.publication !== undefined || tree.settings === unknownSettings) return undefined;
  if (!(await wasPublished(output))) return undefined;
  const uploads = (await hasUploads(dataDirectory)) ? ` artifact:${join(dataDirectory, artifactsFolder)}` : '';
  return (
    'index/_publication.json is lost or damaged, and it alone names the sources of this registry. ' +
    `Restore it from a backup; or run a build with every source named: \`libretto build SOURCE…${uploads}\`.`
  );
}

/** Tells whether files of a publication stand beside the announcement: packages.json, documents, archives, indexes, history. */
export async function wasPublished(output: Pick<Output, 'list'>): Promise<boolean> {
  const served = await output.list('public', '');
  if (served.some((path) => path === rootDocumentPath || /^(?:p2|dist)\//.test(path))) return true;
  const indexed = await output.list('index', '');
  return indexed.some((path) => path.includes('/')) || (await output.list('build', historyFolder)).length > 0;
}

/** Throws BuildRefused where the choice leaves the uploads out. `lost`: what is wrong and what to do. */
export async function refuseForgottenUploads(
  { arguments: named, dataDirectory, withhold, purge, recovers }: BuildRequest,
  { read, left }: Pick<SourceChoice, 'read' | 'left'>,
  lost: string,
): Promise<void> {
  const isBuild = named.length > 0 && withhold === undefined && purge === undefined && recovers === undefined;
  const { id } = parseSource(`artifact:${join(dataDirectory, artifactsFolder)}`, dataDirectory, dataDirectory);
  if (!isBuild || [...read, ...left].some(({ spec }) => spec.id === id) || !(await hasUploads(dataDirectory))) return;
  throw new BuildRefused(`${artifactsFolder}/ has uploads that this build would leave out. ${lost}`);
}

async function hasUploads(dataDirectory: string): Promise<boolean> {
  try {
    const files = await readdir(join(dataDirectory, artifactsFolder), { recursive: true });
    return files.some((file) => file.endsWith('.zip') && !file.startsWith('.'));
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}
