// `index/_quarantined.json`: the versions that the last builds left out and why, for whoever shows them. Nothing depends on it: damaged or lost it is
// written again by the next build that reads a source.

import { isJsonObject } from './json.ts';
import { refuseNewer } from './newer-format.ts';

export const quarantinedFormat = 1;

/** Below `index/`. */
export const quarantinedPath = '_quarantined.json';

export interface QuarantinedVersion {
  /** id of the source */
  readonly source: string;
  readonly code: string;
  /** for people: what is wrong and what to do */
  readonly message: string;
  readonly where: string;
  /** as far as it is known */
  readonly name: string | null;
  readonly version: string | null;
}

export function formatQuarantined(versions: readonly QuarantinedVersion[]): string {
  const rows = versions.map(({ source, code, message, where, name, version }) => ({ source, code, message, where, name, version }));
  const lines = rows.map((row) => JSON.stringify(row)).toSorted();
  return `{"format": ${quarantinedFormat}, "versions": [${lines.length === 0 ? '' : `\n${lines.join(',\n')}\n`}]}\n`;
}

/** Throws an Error that says what is wrong with it, NewerFormat among them; the caller names the file. */
export function parseQuarantined(text: string): readonly QuarantinedVersion[] {
  const json: unknown = JSON.parse(text);
  if (!isJsonObject(json)) throw new Error('it is not a JSON object');
  refuseNewer(json['format'], quarantinedFormat);
  if (json['format'] !== quarantinedFormat || !Array.isArray(json['versions'])) throw new Error('format or versions is malformed');
  return json['versions'].map((row: unknown) => {
    if (!isJsonObject(row)) throw new Error('a version is malformed');
    const { source, code, message, where, name, version } = row;
    if ([source, code, message, where].some((value) => typeof value !== 'string')) throw new Error('a version is malformed');
    return { source, code, message, where, name: typeof name === 'string' ? name : null, version: typeof version === 'string' ? version : null } as QuarantinedVersion;
  });
}
