// The common format of the lists in the folder of the serving index: a format number, and a row for each version.

import { isJsonObject, type JsonObject } from './json.ts';
import { refuseNewer } from './newer-format.ts';

/** Throws an Error that describes the fault, NewerFormat among them; the caller names the file. */
export function parseVersionList<Version>(
  text: string,
  format: number,
  parse: (row: JsonObject) => Version | undefined,
): readonly Version[] {
  const json: unknown = JSON.parse(text);
  if (!isJsonObject(json)) throw new Error('it is not a JSON object');
  refuseNewer(json['format'], format);
  if (json['format'] !== format || !Array.isArray(json['versions'])) throw new Error('format or versions is malformed');
  return json['versions'].map((row: unknown) => {
    const version = isJsonObject(row) ? parse(row) : undefined;
    if (version === undefined) throw new Error('a version is malformed');
    return version;
  });
}
