// Which publication a builder has begun last: the manifest takes its serial before anything else of it moves (I5).
// While that is also the announced one, no publication is under way, and none was cut off.

import { isJsonObject } from './json.ts';

/** Below build/. */
export const manifestPath = 'manifest.json';

/** undefined: it says none. */
export function parseManifestSerial(text: string): number | undefined {
  try {
    const json: unknown = JSON.parse(text);
    const serial = isJsonObject(json) ? json['serial'] : undefined;
    return typeof serial === 'number' ? serial : undefined;
  } catch {
    return undefined; // a damaged manifest is as good as none
  }
}
