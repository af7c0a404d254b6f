// `verify` checks the builder's manifest and the announcement of the last publication.

import { isAsWritten } from '../contract/checksum.ts';
import { NewerFormat } from '../contract/newer-format.ts';
import { publicationPath } from '../contract/paths.ts';
import { parsePublication, type Publication } from '../contract/publication.ts';
import { BuildRefused } from '../contract/refusals.ts';
import type { AnnouncedLists } from '../contract/announced-lists.ts';
import { recordedSerials } from '../history/read-history.ts';
import { announcedLists, newerRecord, newestSerial } from '../memory/announced.ts';
import { describeOutdated } from '../memory/tree-damage.ts';
import { manifestPath, readManifest, unknownSettings, type Manifest } from '../memory/manifest.ts';
import { readMemory } from '../memory/source-memory.ts';
import { isWithoutRecords, repairWithoutRecords } from '../memory/tree-memory.ts';
import type { Output } from '../output/output.ts';
import { wasPublished } from '../scan/lost-announcement.ts';
import { indexFault, type Fault, type Repairs } from './verify-fault.ts';

export interface CheckedMemory {
  readonly manifest: Manifest | undefined;
  readonly publication: Publication | undefined;
  readonly announced: AnnouncedLists;
  /** history has a later publication than both */
  readonly outdated: boolean;
}

/** Checks both files and the times of both against history. `faults` gets what is wrong with them. */
export async function verifyMemory(output: Output, faults: Fault[]): Promise<CheckedMemory> {
  const manifest = await verifyManifest(output, faults);
  const publication = await verifyAnnouncement(output, manifest, faults);
  const recorded = await recordedSerials(output);
  const newer = newerRecord(newestSerial(manifest, publication), recorded);
  const place = { path: `index/${publicationPath}` };
  if (newer !== undefined) faults.push({ code: 'SERIAL_BEHIND', ...place, message: describeOutdated(newer) });
  const announced = await announcedLists(output, publication, manifest, recorded);
  return { manifest, publication, announced, outdated: newer !== undefined };
}

/**
 * The builder's memory is a cache. Damage to the memory of a source is no fault; a file that a newer Libretto wrote is
 * one.
 */
async function verifyManifest(output: Output, faults: Fault[]): Promise<Manifest | undefined> {
  const unlessNewer = async <Found>(path: string, read: () => Promise<Found>): Promise<Found | undefined> => {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof BuildRefused) || !(error.cause instanceof NewerFormat)) throw error;
      faults.push(indexFault(error.cause, { path: `build/${path}` }, ''));
      return undefined;
    }
  };
  for (const file of await output.list('build', 'sources')) {
    if (file.endsWith('.json'))
      await unlessNewer(file, () => readMemory(output, file.slice('sources/'.length, -'.json'.length)));
  }
  const manifest = await unlessNewer(manifestPath, () => readManifest(output));
  return manifest;
}

/** Notices a manifest that was changed after it was written. `faults` has those of the announcement and the lists. */
export async function verifyManifestBytes(output: Output, repairs: Repairs, faults: Fault[]): Promise<void> {
  const text = await output.read('build', manifestPath);
  if (text !== undefined && !isAsWritten(text) && !faults.some(({ path }) => path === `build/${manifestPath}`))
    faults.push({
      code: 'MALFORMED_INDEX',
      path: `build/${manifestPath}`,
      message: `It was changed after it was written: its checksum is wrong. ${repairs.manifest}`,
    });
}

/** `manifest` names the sources too, unless it is lost or an older version wrote it. */
function repairAnnouncement(how: 'run' | 'remove it and run', manifest: Manifest | undefined): string {
  const sources =
    (manifest?.sources ?? []).length > 0
      ? `, which writes it again: build/${manifestPath} names the sources.`
      : ' with every source named, and artifact:DATA/artifacts for uploads: the build writes it again. No other file ' +
        'names the sources.';
  return `Restore it from a backup; or ${how} \`libretto build\`${sources}`;
}

async function repairMissing(output: Output, manifest: Manifest | undefined): Promise<string> {
  return (await isWithoutRecords(output)) ? repairWithoutRecords : repairAnnouncement('run', manifest);
}

async function verifyAnnouncement(
  output: Output,
  manifest: Manifest | undefined,
  faults: Fault[],
): Promise<Publication | undefined> {
  const place = { path: `index/${publicationPath}` };
  const text = await output.read('index', publicationPath);
  try {
    const publication = parsePublication(text ?? '');
    if (text !== undefined && !isAsWritten(text))
      faults.push({
        code: 'MALFORMED_INDEX',
        ...place,
        message:
          `It was changed after it was written: its checksum is wrong. ` +
          `${repairAnnouncement('remove it and run', manifest)}`,
      });
    return publication;
  } catch (error) {
    if (text === undefined && isFirstPublication(manifest)) return undefined;
    if (text !== undefined || (await wasPublished(output)))
      faults.push(
        text === undefined
          ? {
              code: 'MISSING_FILE',
              ...place,
              message: `The announcement of the last publication is missing. ${await repairMissing(output, manifest)}`,
            }
          : indexFault(error, place, repairAnnouncement('remove it and run', manifest)),
      );
    return undefined;
  }
}

/**
 * True if the very first publication is running, or stopped before its last step. Without packages, only the unknown
 * settings of its manifest show that.
 */
export function isFirstPublication(manifest: Manifest | undefined): boolean {
  if (manifest === undefined) return false;
  return manifest.placing.length > 0 || (manifest.serial === 1 && manifest.settings === unknownSettings);
}

/**
 * undefined: the last publication is complete. Otherwise the archives of the running or interrupted publication: no
 * document names them yet, and the next build uses or removes them.
 */
export function unfinishedArchives(
  publication: Publication | undefined,
  manifest: Manifest | undefined,
  faults: Fault[],
): Manifest['placing'] | undefined {
  if (manifest === undefined || publication?.serial === manifest.serial) return undefined;
  if (publication === undefined || publication.serial < manifest.serial) return manifest.placing;
  faults.push({
    code: 'SERIAL_BEHIND',
    path: `build/${manifestPath}`,
    message:
      `It is of publication ${manifest.serial}, and the tree of the later ${publication.serial}: ` +
      'one of the two files was replaced by hand. The next build compares everything and continues from the ' +
      'later publication.',
  });
  return undefined;
}
