// Reads the serial of the publication that a builder began last. The manifest gets this serial before any other file of
// the publication changes (I5). While the announcement has the same serial, no publication is running or incomplete.

import { isJsonObject } from './json.ts';

/** Below build/. */
export const manifestPath = 'manifest.json';

/** undefined: the text has no serial. */
export function parseManifestSerial(text: string): number | undefined {
  try {
    const json: unknown = JSON.parse(text);
    const serial = isJsonObject(json) ? json['serial'] : undefined;
    return typeof serial === 'number' ? serial : undefined;
  } catch {
    return undefined; // a damaged manifest is as good as none
  }
}
