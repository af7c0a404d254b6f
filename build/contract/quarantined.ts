// `index/_quarantined.json`: the versions that the last builds left out, with the reasons, for display. No other
// function depends on this file. If it is damaged or lost, the next build that reads a source writes it again.

import { parseVersionList } from './version-list.ts';

export const quarantinedFormat = 1;

/** Below `index/`. */
export const quarantinedPath = '_quarantined.json';

export interface QuarantinedVersion {
  /** id of the source */
  readonly source: string;
  readonly code: string;
  /** for people: the fault and the repair */
  readonly message: string;
  readonly where: string;
  /** null if unknown */
  readonly name: string | null;
  readonly version: string | null;
}

export function formatQuarantined(versions: readonly QuarantinedVersion[]): string {
  const rows = versions.map(({ source, code, message, where, name, version }) => ({
    source,
    code,
    message,
    where,
    name,
    version,
  }));
  const lines = rows.map((row) => JSON.stringify(row)).toSorted();
  return `{"format": ${quarantinedFormat}, "versions": [${lines.length === 0 ? '' : `\n${lines.join(',\n')}\n`}]}\n`;
}

/** Throws an Error that describes the fault, NewerFormat among them; the caller names the file. */
export function parseQuarantined(text: string): readonly QuarantinedVersion[] {
  return parseVersionList(text, quarantinedFormat, ({ source, code, message, where, name, version }) => {
    if ([source, code, message, where].some((value) => typeof value !== 'string')) return undefined;
    return {
      source,
      code,
      message,
      where,
      name: typeof name === 'string' ? name : null,
      version: typeof version === 'string' ? version : null,
    } as QuarantinedVersion;
  });
}
