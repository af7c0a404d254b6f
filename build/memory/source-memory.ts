// The builder's memory of one source: `build/sources/<id>.json`. The memory is a cache: after its loss, a build reads
// the source again.

import { isJsonObject, type JsonValue } from '../contract/json.ts';
import type { PackageName } from '../contract/name.ts';
import { refuseNewer } from '../contract/newer-format.ts';
import type { Output } from '../output/output.ts';
import { parseOwnFile } from '../output/parse-own-file.ts';
import type { Quarantine } from '../contract/quarantine.ts';
import type { SourceMemory } from '../sources/release.ts';

/**
 * Increased when the meaning of the memory, or the way to read a source, changes: the next build then reads everything
 * again.
 */
export const memoryFormat = 1;

export interface RememberedSource {
  readonly memory: SourceMemory;
  /** digest of the options it was read with, '' for none: with others it has to be read again */
  readonly options: string;
  /** package name → digest of the releases this source had for it when it was last published */
  readonly packages: Readonly<Record<string, string>>;
  readonly quarantined: readonly Quarantine[];
  /** the absolute path of a source outside the data folder, in case the data folder moves */
  readonly place?: string;
  /** releases that are purged, and that the source has; absent for none */
  readonly blocked?: readonly RememberedBlock[];
}

export interface RememberedBlock {
  readonly name: PackageName;
  readonly version: string;
  /** for people */
  readonly where: string;
  /** `purgedKey` of the tombstone */
  readonly tombstone: string;
}

export function memoryPath(id: string): string {
  return `sources/${id}.json`;
}

export function formatSourceMemory(remembered: RememberedSource): string {
  return `${JSON.stringify({ format: memoryFormat, ...remembered })}\n`;
}

/** The ids of the sources that have a memory. */
export async function rememberedIds(output: Pick<Output, 'list'>): Promise<readonly string[]> {
  return (await output.list('build', 'sources')).flatMap(
    (path) => /^sources\/([a-z]+-[0-9a-f]+)\.json$/.exec(path)?.[1] ?? [],
  );
}

/**
 * undefined for a missing memory, or one of an older format: a memory only saves work. `onDamage` receives the path of
 * an unreadable one. Throws BuildRefused for one of a newer Libretto.
 */
export async function readMemory(
  output: Output,
  id: string,
  onDamage: (path: string) => void = () => undefined,
): Promise<RememberedSource | undefined> {
  const text = await output.read('build', memoryPath(id));
  if (text === undefined) return undefined;
  const path = `build/${memoryPath(id)}`;
  const found = parseOwnFile(path, () => parseMemory(text));
  if (found === undefined) onDamage(path);
  return found === 'outdated' ? undefined : found;
}

function parseMemory(text: string): RememberedSource | 'outdated' | undefined {
  const json: unknown = JSON.parse(text);
  if (!isJsonObject(json)) return undefined;
  const { format, memory, options, packages, quarantined, place, blocked } = json;
  refuseNewer(format, memoryFormat);
  if (typeof format === 'number' && format < memoryFormat) return 'outdated';
  if (
    format !== memoryFormat ||
    !isJsonObject(memory) ||
    typeof memory['fingerprint'] !== 'string' ||
    !isJsonObject(packages) ||
    !Array.isArray(quarantined)
  )
    return undefined;
  return {
    memory: { fingerprint: memory['fingerprint'], detail: (memory['detail'] ?? null) as JsonValue },
    options: typeof options === 'string' ? options : '',
    packages: packages as Readonly<Record<string, string>>,
    quarantined: quarantined as unknown as readonly Quarantine[],
    ...(typeof place === 'string' ? { place } : {}),
    ...(Array.isArray(blocked) ? { blocked: blocked as unknown as readonly RememberedBlock[] } : {}),
  };
}
