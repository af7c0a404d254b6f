// `build/manifest.json`: the publication and the settings that the builder's memory belongs to. If the manifest does
// not match the tree (lost, corrupt, or a tree restored from a backup), the build does not trust the memory: it reads
// every source and compares every package.

import { parseAnnouncedLists, type AnnouncedLists } from '../contract/announced-lists.ts';
import { withChecksum } from '../contract/checksum.ts';
import { isJsonObject } from '../contract/json.ts';
import { manifestPath } from '../contract/manifest-serial.ts';
import { refuseNewer } from '../contract/newer-format.ts';
import type { PublicPath } from '../contract/paths.ts';
import {
  parsePublishedSource,
  parseRollbackHold,
  type PublishedSource,
  type RollbackHold,
} from '../contract/publication.ts';
import { parseStamp, type DocumentStamp } from '../contract/serving-index.ts';
import type { Output } from '../output/output.ts';
import { parseOwnFile } from '../output/parse-own-file.ts';

export const manifestFormat = 1;

export { manifestPath };

/**
 * `purged` and `withheld`: the rows of both lists in the announcement of the last completed publication, in case the
 * announcement is lost; absent for none. During a publication: the rows that are in the lists both before and after it.
 */
export interface Manifest extends Partial<AnnouncedLists> {
  readonly format: typeof manifestFormat;
  readonly serial: number;
  /** digest of every setting that goes into a document, and of the recipe documents are made by */
  readonly settings: string;
  /** archives that the current publication places; empty after its end */
  readonly placing: readonly PublicPath[];
  /**
   * ids of sources whose records may belong to earlier settings: the sources could not be read when the settings
   * changed
   */
  readonly stale: readonly string[];
  /**
   * the sources after the publication, in case it is interrupted or its announcement is lost. Absent if an older
   * version wrote the manifest
   */
  readonly sources?: readonly PublishedSource[];
  /** the rolled back changes still in effect, in case the announcement is lost; absent for none */
  readonly undone?: readonly RollbackHold[];
  /**
   * the stamp of packages.json after this publication: readers may see that file before the announcement changes.
   * Absent if an older version wrote the manifest
   */
  readonly root?: DocumentStamp;
  /** the current publication is a rollback to this serial: a later build completes an interrupted one as a rollback */
  readonly rollback?: number;
  /**
   * the current publication purges versions: after an interruption the next build removes their remains outside the
   * tree
   */
  readonly purging?: true;
}

/** Equal to no digest of settings, so that the next build compares every package. */
export const unknownSettings = '';

export function formatManifest(manifest: Manifest): string {
  return withChecksum(JSON.stringify(manifest));
}

/**
 * undefined: missing or unreadable. Throws BuildRefused for a manifest of a newer Libretto, which an older one must not
 * change.
 */
export async function readManifest(output: Pick<Output, 'read'>): Promise<Manifest | undefined> {
  const text = await output.read('build', manifestPath);
  // A corrupt manifest counts as missing: the tree and the serving index have the same facts, but reading them takes
  // longer.
  return text === undefined ? undefined : parseOwnFile(`build/${manifestPath}`, () => parseManifest(text));
}

function parseManifest(text: string): Manifest | undefined {
  const json: unknown = JSON.parse(text);
  if (!isJsonObject(json)) return undefined;
  const { format, serial, settings, placing, stale = [], sources, undone, root = null, rollback, purging } = json;
  refuseNewer(format, manifestFormat);
  if (
    format !== manifestFormat ||
    typeof serial !== 'number' ||
    typeof settings !== 'string' ||
    !Array.isArray(placing) ||
    !Array.isArray(stale)
  )
    return undefined;
  const archives = placing.flatMap((path: unknown) => (typeof path === 'string' && isArchivePath(path) ? [path] : []));
  const stamp = parseStamp(root);
  return {
    format: manifestFormat,
    serial,
    settings,
    placing: archives,
    stale: stale.filter((id: unknown) => typeof id === 'string'),
    ...(Array.isArray(sources) ? { sources: sources.map(parsePublishedSource) } : {}),
    ...(Array.isArray(undone) ? { undone: undone.map(parseRollbackHold) } : {}),
    ...(stamp === null ? {} : { root: stamp }),
    ...(typeof rollback === 'number' ? { rollback } : {}),
    ...(purging === true ? { purging } : {}),
    ...parseAnnouncedLists(json),
  };
}

/** A manifest can cause the removal of archives only. */
function isArchivePath(path: string): path is PublicPath {
  return path.startsWith('dist/') && path.endsWith('.zip') && !path.split('/').includes('..');
}
