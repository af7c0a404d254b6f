// What the builder remembers of one source: `build/sources/<id>.json`. A cache: without it the source is read again, and nothing else is lost.

import { isJsonObject, type JsonValue } from '../contract/json.ts';
import type { Output } from '../output/output.ts';
import type { Quarantine } from '../sources/quarantine.ts';
import type { SourceMemory } from '../sources/release.ts';

/** Moves when what is remembered, or how a source is read, changes its meaning: everything is then read again. */
export const memoryFormat = 1;

export interface RememberedSource {
  readonly memory: SourceMemory;
  /** digest of the options it was read with, '' for none: with others it has to be read again */
  readonly options: string;
  /** package name → digest of the releases this source had for it when it was last published */
  readonly packages: Readonly<Record<string, string>>;
  readonly quarantined: readonly Quarantine[];
}

export function memoryPath(id: string): string {
  return `sources/${id}.json`;
}

export function formatMemory(remembered: RememberedSource): string {
  return `${JSON.stringify({ format: memoryFormat, ...remembered })}\n`;
}

/** undefined where there is none, or none that can be read: it only saves work. */
export async function readMemory(output: Output, id: string): Promise<RememberedSource | undefined> {
  const text = await output.read('build', memoryPath(id));
  if (text === undefined) return undefined;
  try {
    const json: unknown = JSON.parse(text);
    if (!isJsonObject(json) || json['format'] !== memoryFormat) return undefined;
    const { memory, options, packages, quarantined } = json;
    if (!isJsonObject(memory) || typeof memory['fingerprint'] !== 'string' || !isJsonObject(packages) || !Array.isArray(quarantined)) return undefined;
    return {
      memory: { fingerprint: memory['fingerprint'], detail: (memory['detail'] ?? null) as JsonValue },
      options: typeof options === 'string' ? options : '',
      packages: packages as Readonly<Record<string, string>>,
      quarantined: quarantined as unknown as readonly Quarantine[],
    };
  } catch {
    // Not JSON any more: the same as none.
    return undefined;
  }
}
