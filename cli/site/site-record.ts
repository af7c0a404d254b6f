// `.libretto-site/record.json` in the folder of a catalogue: which files Libretto wrote there, and from what. A page is
// rendered again only if its digest changed. Pure.

import { isJsonObject, type JsonObject } from '../../build/contract/json.ts';
import { parseRelativePath } from '../../build/contract/relative-path.ts';
import { parseJson } from '../../build/shared/json/parse-json.ts';

/** Marks a folder as a catalogue, and holds the record and the lock. */
export const markerFolder = '.libretto-site';
export const siteRecordPath = `${markerFolder}/record.json`;

const recordFormat = 1;

export interface RecordedUnit {
  /** of everything that the files show */
  readonly digest: string;
  /** below the folder of the catalogue */
  readonly files: readonly string[];
}

export interface SiteRecord {
  /** false: a run has begun and not ended, so the folder can have files that no unit names */
  readonly complete: boolean;
  readonly units: ReadonlyMap<string, RecordedUnit>;
}

/** Of a folder whose files are not known. */
export const unknownRecord: SiteRecord = { complete: false, units: new Map() };

/** Equal records give equal text, in any order of their units. */
export function formatSiteRecord({ complete, units }: SiteRecord): string {
  const lines = [...units]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, { digest, files }]) => `  ${JSON.stringify(key)}: ${JSON.stringify({ digest, files })}`);
  return `{"format": ${recordFormat}, "complete": ${complete}, "units": {\n${lines.join(',\n')}\n}}\n`;
}

/** A damaged record, or one of another format, is an unknown one: all pages are then rendered and compared. */
export function parseSiteRecord(text: string): SiteRecord {
  const json = parseJson(text);
  if (!isJsonObject(json) || json['format'] !== recordFormat || !isJsonObject(json['units'])) return unknownRecord;
  const units = Object.entries(json['units']).map(([key, unit]) => [key, parseUnit(unit)] as const);
  const known = units.flatMap(([key, unit]) => (unit === undefined ? [] : [[key, unit] as const]));
  return { complete: json['complete'] === true && known.length === units.length, units: new Map(known) };
}

function parseUnit(unit: JsonObject[string]): RecordedUnit | undefined {
  if (!isJsonObject(unit)) return undefined;
  const { digest, files } = unit;
  return typeof digest === 'string' && Array.isArray(files) && files.every(isOwnPath) ? { digest, files } : undefined;
}

/** A path that a catalogue can have: the record may have been edited, and must not lead out of the folder. */
export function isOwnPath(path: unknown): path is string {
  return (
    typeof path === 'string' &&
    /^(?:index\.html|page-\d+\.html|assets\/[^/]+|packages\/.+)$/.test(path) &&
    'path' in parseRelativePath(path)
  );
}
