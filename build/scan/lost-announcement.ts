// A published tree whose sources are unknown: its announcement is lost, and the manifest names no source either. A
// build then continues only if it has every source with published versions, so that no source is forgotten silently. A
// build that reads no source continues too. Its announcement names no source, and the sources stay unknown.

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { artifactsFolder } from '../contract/artifact-files.ts';
import { publicationPath, rootDocumentPath } from '../contract/paths.ts';
import { unknownSource } from '../contract/publication.ts';
import { PackageDamaged } from '../contract/refusals.ts';
import { historyFolder } from '../history/record.ts';
import { manifestPath } from '../memory/manifest.ts';
import { readMemory, rememberedIds } from '../memory/source-memory.ts';
import { listTreePackages, type TreeMemory } from '../memory/tree-memory.ts';
import { readOwnIndex } from '../output/parse-own-file.ts';
import type { Output } from '../output/output.ts';
import { isMissing } from '../output/storage-error.ts';
import { listShortly } from '../shared/text/list-shortly.ts';
import { quoteForShell } from '../shared/text/quote-for-shell.ts';
import { parseSource } from '../sources/spec.ts';
import type { BuildRequest } from './build-request.ts';
import type { SourceChoice } from './choose-sources.ts';

/** How a tree differs from its last publication: the announcement is lost, or others. A sentence without its end. */
export function changedTree({ publication }: Pick<TreeMemory, 'publication'>): string {
  return publication === undefined
    ? `index/${publicationPath} is missing or damaged`
    : 'The output tree differs from the last publication: a publication was interrupted, or packages.json was edited';
}

/** undefined: the sources are known, or nothing was published. Otherwise the fault and its remedy. */
export async function lostAnnouncement(
  tree: Pick<TreeMemory, 'publication' | 'sources' | 'names'>,
  output: Output,
  dataDirectory: string,
): Promise<string | undefined> {
  if (tree.sources.length > 0) return undefined;
  const isPublished = tree.names.length > 0 || (tree.publication === undefined && (await wasPublished(output)));
  if (!isPublished) return undefined;
  const uploads = (await hasUploads(dataDirectory))
    ? ` artifact:${quoteForShell(join(dataDirectory, artifactsFolder))}`
    : '';
  const fault = tree.publication === undefined ? 'is lost or damaged' : 'was lost, and names no source since';
  return (
    `index/${publicationPath} ${fault}, and build/${manifestPath} names no source either. ` +
    'Restore both from a backup, and run `libretto package recover-purged` for later purges; ' +
    `or run a build with every source named: \`libretto build SOURCE…${uploads}\`.`
  );
}

/**
 * True if files of a publication exist without the announcement: packages.json, documents, archives, indexes, history.
 */
export async function wasPublished(output: Pick<Output, 'list'>): Promise<boolean> {
  const served = await output.list('public', '');
  if (served.some((path) => path === rootDocumentPath || /^(?:p2|dist)\//.test(path))) return true;
  const indexed = await output.list('index', '');
  return indexed.some((path) => path.includes('/')) || (await output.list('build', historyFolder)).length > 0;
}

/**
 * The choice, with the sources that `--forget unknown` withdraws. Throws PackageDamaged if the choice leaves out
 * uploads, or a source that published something. `lost`: the fault and its remedy.
 */
export async function coverSources(
  request: BuildRequest,
  choice: SourceChoice,
  output: Output,
  lost: string,
): Promise<SourceChoice> {
  if (request.sync?.length === 0) return choice;
  const ids = new Set([...choice.read, ...choice.left].map(({ spec }) => spec.id));
  const left = await leftOut(ids, request, output);
  if (left.size === 0 || left.has(uploadsId(request))) await refuseForgottenUploads(ids, request, lost);
  if (left.size === 0) return choice;
  const gone = [...left.keys()].filter((id) => id !== unknownSource);
  if (choice.forgotten.some(({ id }) => id === unknownSource))
    return { ...choice, forgotten: [...choice.forgotten, ...gone.map(lostSource)] };
  const names = listShortly([...new Set([...left.values()].flat())].toSorted());
  throw new PackageDamaged(
    `This build leaves out a source that published ${names === '' ? 'nothing yet' : names}. ${lost} Where a source ` +
      'has another place now, or is gone, add `--forget unknown`: the build then withdraws the versions that no named ' +
      'source has. Add `--allow-withdraw` too where a package loses its last version.',
  );
}

/** Refuses `--forget unknown` while the folder of uploads exists. */
async function refuseForgottenUploads(ids: ReadonlySet<string>, request: BuildRequest, lost: string): Promise<void> {
  if (request.alone === true || ids.has(uploadsId(request)) || !(await hasUploads(request.dataDirectory))) return;
  throw new PackageDamaged(`${artifactsFolder}/ has uploads that this build would leave out. ${lost}`);
}

function uploadsId({ dataDirectory }: BuildRequest): string {
  return parseSource(`artifact:${join(dataDirectory, artifactsFolder)}`, dataDirectory, dataDirectory).id;
}

/**
 * id → packages, of the sources that are not chosen. A version of the source `unknown` may be of any source: whoever
 * names the sources answers for it, and an upload does not.
 */
async function leftOut(
  chosen: ReadonlySet<string>,
  { alone, sync, among }: BuildRequest,
  output: Output,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const isWhole = alone !== true && sync === undefined && among === undefined;
  const left = new Map<string, string[]>();
  const add = (id: string, ...names: readonly string[]): void => {
    if (!chosen.has(id) && !(isWhole && id === unknownSource)) left.set(id, [...(left.get(id) ?? []), ...names]);
  };
  for (const id of await rememberedIds(output)) add(id, ...Object.keys((await readMemory(output, id))?.packages ?? {}));
  for (const name of await listTreePackages(output)) {
    const index = await readOwnIndex(output, name);
    if (index === undefined) add(unknownSource, name);
    for (const { state, source } of index?.versions ?? []) if (state === 'published') add(source, name);
  }
  return left;
}

function lostSource(id: string): SourceChoice['forgotten'][number] {
  return { id, location: unknownSource, from: 'argument' };
}

/** True if artifacts/ has the ZIP of an upload. */
export async function hasUploads(dataDirectory: string): Promise<boolean> {
  try {
    const files = await readdir(join(dataDirectory, artifactsFolder), { recursive: true });
    return files.some((file) => file.endsWith('.zip') && !file.startsWith('.'));
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}
