// Writes the files of a catalogue, unit by unit: the assets, the list, and each package. A unit whose digest did not
// change is not rendered. A kill at any moment leaves whole files, and a record by which the next run completes them.

import { join } from 'node:path';
import { runBatch } from '../../build/shared/concurrency/batch.ts';
import type { CatalogueFiles } from '../../proxy/console/catalogue/render-page.tsx';
import { areThere, listOwnFiles, readIfThere, removeFile, writeIfChanged } from './site-files.ts';
import {
  formatSiteRecord,
  parseSiteRecord,
  siteRecordPath,
  unknownRecord,
  type RecordedUnit,
  type SiteRecord,
} from './site-record.ts';

const filesAtOnce = 8;

/** Files that are rendered together. */
export interface SiteUnit {
  readonly key: string;
  /** of everything that the files show */
  readonly digest: string;
  readonly render: () => Promise<CatalogueFiles>;
}

/** Numbers of files. */
export interface WrittenFiles {
  readonly written: number;
  readonly removed: number;
}

/** `folder`: locked by this process. `onUnit`: called after each unit that was rendered. Throws StorageError. */
export async function writeUnits(
  folder: string,
  units: readonly SiteUnit[],
  onUnit: (unit: SiteUnit, done: number, total: number) => void,
): Promise<WrittenFiles> {
  const before = readRecord(folder);
  const kept = new Map(units.flatMap(({ key, digest }) => unchangedUnit(folder, before, key, digest)));
  const stale = units.filter(({ key }) => !kept.has(key));
  const isSame = before.complete && stale.length === 0 && before.units.size === kept.size;
  if (isSame) return { written: 0, removed: 0 };
  // from here on a killed run leaves pages that this record does not call unchanged
  await writeRecord(folder, { complete: false, units: kept });
  const after = new Map<string, RecordedUnit>(kept);
  let written = 0;
  for (const [at, unit] of stale.entries()) {
    const files = await unit.render();
    const wrote = await runBatch([...files], filesAtOnce, ([path, content]) => writeIfChanged(folder, path, content));
    written += wrote.filter(Boolean).length;
    after.set(unit.key, { digest: unit.digest, files: [...files.keys()] });
    onUnit(unit, at + 1, stale.length);
  }
  const removed = await removeOthers(folder, before, after);
  await writeRecord(folder, { complete: true, units: after });
  return { written, removed };
}

function unchangedUnit(
  folder: string,
  { units }: SiteRecord,
  key: string,
  digest: string,
): readonly (readonly [string, RecordedUnit])[] {
  const known = units.get(key);
  return known !== undefined && known.digest === digest && areThere(folder, known.files) ? [[key, known]] : [];
}

/** After a run that did not end, every file of a catalogue that no unit names is removed. */
async function removeOthers(
  folder: string,
  before: SiteRecord,
  after: ReadonlyMap<string, RecordedUnit>,
): Promise<number> {
  const named = new Set([...after.values()].flatMap(({ files }) => files));
  const former = before.complete ? [...before.units.values()].flatMap(({ files }) => files) : listOwnFiles(folder);
  const gone = former.filter((path) => !named.has(path));
  for (const path of gone) await removeFile(folder, path);
  return gone.length;
}

function readRecord(folder: string): SiteRecord {
  const bytes = readIfThere(join(folder, siteRecordPath));
  return bytes === undefined ? unknownRecord : parseSiteRecord(bytes.toString('utf8'));
}

async function writeRecord(folder: string, record: SiteRecord): Promise<void> {
  await writeIfChanged(folder, siteRecordPath, formatSiteRecord(record));
}
