// Reads the record of publications: each one names the one before it.

import { publicationPath } from '../contract/paths.ts';
import { parsePublication } from '../contract/publication.ts';
import type { Output } from '../output/output.ts';
import { parseOwnFile } from '../output/parse-own-file.ts';
import { BuildRefused } from '../contract/refusals.ts';
import { historyFolder, readPublicationRecord, serialOfRecord, type PublicationRecord } from './record.ts';

/**
 * Newest first. Interrupted publications that have not been completed are absent. Throws BuildRefused for a tree of a
 * newer Libretto.
 */
export async function readHistory(output: Output): Promise<readonly PublicationRecord[]> {
  return recordsFrom(output, await presentSerial(output), 0);
}

/** Every readable record on disk, oldest first, without the announcement. */
export async function recordsOnDisk(output: Pick<Output, 'read' | 'list'>): Promise<readonly PublicationRecord[]> {
  const records: PublicationRecord[] = [];
  for (const serial of (await recordedSerials(output)).toSorted((one, other) => one - other)) {
    const record = await readPublicationRecord(output, serial);
    if (record !== undefined) records.push(record);
  }
  return records;
}

/** The serials of the records on disk, readable or not; in no order. */
export async function recordedSerials(output: Pick<Output, 'list'>): Promise<readonly number[]> {
  return (await output.list('build', historyFolder)).flatMap((path) => serialOfRecord(path) ?? []);
}

/** The serial of the publication that readers see; 0 for none. */
export async function presentSerial(output: Output): Promise<number> {
  const head = await output.read('index', publicationPath);
  return head === undefined ? 0 : (parseOwnFile(`index/${publicationPath}`, () => parsePublication(head))?.serial ?? 0);
}

/**
 * The records after publication `serial`, newest first. Throws BuildRefused if the recorded history does not reach that
 * publication.
 */
export async function recordsSince(output: Output, serial: number): Promise<readonly PublicationRecord[]> {
  const present = await presentSerial(output);
  if (serial > present)
    throw new BuildRefused(
      present === 0
        ? 'Nothing was published yet.'
        : `There is no publication ${serial} yet: the current one is ${present}. \`libretto history list\` lists them.`,
    );
  const records = await recordsFrom(output, present, serial);
  const reached = records.at(-1)?.previous ?? present;
  if (reached === serial && serial > 0) return records;
  const known = (await readHistory(output))
    .flatMap((record) => [record.serial, record.previous])
    .filter((known) => known > 0);
  const range =
    known.length === 0
      ? 'No publication before the present one is recorded.'
      : `The record goes from ${Math.min(...known)} to ${present}; \`libretto history list\` lists it.`;
  throw new BuildRefused(`Publication ${serial} is unknown: it never existed, or is no longer recorded. ${range}`);
}

/** The list ends at the first missing file. */
async function recordsFrom(output: Output, serial: number, until: number): Promise<readonly PublicationRecord[]> {
  const records: PublicationRecord[] = [];
  let next = serial;
  while (next > until) {
    const record = await readPublicationRecord(output, next);
    if (record === undefined) break;
    records.push(record);
    next = record.previous;
  }
  return records;
}
