// A published tree without its serving index: documents and archives are there, and index/ is lost or was never copied.
// A server then serves no archive. Finds the commands that write the index again, by the rules of builds.

import { join } from 'node:path';
import { artifactsFolder } from '../contract/artifact-files.ts';
import { publicationPath, rootDocumentPath } from '../contract/paths.ts';
import { purgedPath } from '../contract/purged.ts';
import { withheldPath } from '../contract/withheld.ts';
import { recordedSerials } from '../history/read-history.ts';
import { announcedLists, newerRecord, newestSerial } from '../memory/announced.ts';
import { readManifest, type Manifest } from '../memory/manifest.ts';
import { unprovenLists } from '../memory/tree-damage.ts';
import { isWithoutRecords, listTreePackages } from '../memory/tree-memory.ts';
import { createDiskOutput } from '../output/disk-output.ts';
import type { Output } from '../output/output.ts';
import { quoteForShell } from '../shared/text/quote-for-shell.ts';
import { hasUploads } from '../scan/lost-announcement.ts';
import { isFirstPublication } from './verify-announcement.ts';

export interface LostIndex {
  /** packages with a document below public/p2 */
  readonly packages: number;
  /** the commands that write the index again, in their order; empty: no command does, because packages.json is lost too */
  readonly commands: readonly string[];
}

/**
 * undefined: there is an index, or no document, or the first publication is running. `hasConfiguredSources`:
 * libretto.json names the sources. Throws BuildRefused for a manifest of a newer Libretto.
 */
export async function findLostIndex(
  dataDirectory: string,
  hasConfiguredSources: boolean,
): Promise<LostIndex | undefined> {
  const output = createDiskOutput(dataDirectory);
  const indexed = await output.list('index', '');
  if (indexed.some((path) => path === publicationPath || !path.startsWith('_'))) return undefined;
  const packages = (await listTreePackages(output)).length;
  const manifest = await readManifest(output);
  if (packages === 0 || isFirstPublication(manifest)) return undefined;
  if (await isWithoutRecords(output)) return { packages, commands: [] };
  const build = await buildCommand(dataDirectory, manifest, hasConfiguredSources);
  return { packages, commands: [...(await recoveries(output, manifest, indexed)), build] };
}

async function buildCommand(
  dataDirectory: string,
  manifest: Manifest | undefined,
  hasConfiguredSources: boolean,
): Promise<string> {
  if ((manifest?.sources ?? []).length > 0) return 'libretto build';
  const folder = join(dataDirectory, artifactsFolder);
  const uploads = (await hasUploads(dataDirectory)) ? ` artifact:${quoteForShell(folder)}` : '';
  return `libretto build${hasConfiguredSources ? '' : ' SOURCE…'}${uploads}`;
}

/** The commands without which a build refuses: a list had rows, or nothing proves that it had none. */
async function recoveries(
  output: Output,
  manifest: Manifest | undefined,
  indexed: readonly string[],
): Promise<readonly string[]> {
  const recorded = await recordedSerials(output);
  const announced = await announcedLists(output, undefined, manifest, recorded);
  const isOutdated = newerRecord(newestSerial(manifest, undefined), recorded) !== undefined;
  const lacksPurged = announced.purged.length > 0 && !indexed.includes(purgedPath);
  const wasWhole = (await output.facts('public', rootDocumentPath)) !== undefined;
  const unproven = manifest === undefined ? await unprovenLists(output, announced, wasWhole) : [];
  const [withdrawn] = indexed.includes(withheldPath) ? [] : announced.withheld;
  return [
    ...(isOutdated || lacksPurged || unproven.length > 0 ? ['libretto package recover-purged'] : []),
    // one command puts every row back
    ...(withdrawn === undefined
      ? []
      : [`libretto package withdraw ${withdrawn.name} ${quoteForShell(withdrawn.version)}`]),
  ];
}
