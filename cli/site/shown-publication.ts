// `.libretto-site/shown.json` in the folder of a catalogue: the publication that its pages show. It shows without a
// look at thousands of pages whether the catalogue is up to date.

import { join } from 'node:path';
import { isJsonObject } from '../../build/contract/json.ts';
import type { Publication } from '../../build/contract/publication.ts';
import { readIfThere, writeIfChanged } from './site-files.ts';
import { markerFolder } from './site-record.ts';
import { parseJson } from '../../build/shared/json/parse-json.ts';

type PublicationStamp = Pick<Publication, 'serial' | 'published_at'>;

const shownPath = `${markerFolder}/shown.json`;

/** Called when all pages of the publication are written. Throws StorageError. */
export async function writeShown(folder: string, { serial, published_at }: PublicationStamp): Promise<void> {
  await writeIfChanged(folder, shownPath, `${JSON.stringify({ serial, published_at })}\n`);
}

/** undefined: no catalogue was completed in this folder. Throws StorageError. */
export function readShown(folder: string): PublicationStamp | undefined {
  const bytes = readIfThere(join(folder, shownPath));
  const json = bytes === undefined ? undefined : parseJson(bytes.toString('utf8'));
  if (!isJsonObject(json)) return undefined;
  const { serial, published_at } = json;
  return typeof serial === 'number' && typeof published_at === 'string' ? { serial, published_at } : undefined;
}

/** A restored backup can have the serial of another publication. */
export function isShown(shown: PublicationStamp | undefined, { serial, published_at }: PublicationStamp): boolean {
  return shown?.serial === serial && shown.published_at === published_at;
}
