// Scans a folder of packages as a build does, and returns the result in a form that tests can compare.

import { createDirectorySource, type DirectorySourceOptions } from '../../build/sources/directory/directory-source.ts';
import type { Quarantine } from '../../build/contract/quarantine.ts';
import type { Release, Scan, SourceMemory } from '../../build/sources/release.ts';
import { contentOf } from './content-of.ts';

export type ReadScan = Extract<Scan, { readonly outcome: 'read' }>;

export interface ScanOptions extends Partial<DirectorySourceOptions> {
  readonly previous?: SourceMemory | undefined;
  /** time between writing the files and the scan; default: 10 s, so that their times are trusted */
  readonly secondsLater?: number;
}

export async function scanDirectory(
  root: string,
  { previous, secondsLater = 10, ...options }: ScanOptions = {},
): Promise<Scan> {
  const source = createDirectorySource({
    root,
    dataDirectory: `${root}/var`,
    now: () => new Date(Date.now() + secondsLater * 1000),
    ...options,
  });
  const scan = await source.scan(previous);
  await source.close();
  return scan;
}

/** Fails where the folder cannot be scanned or did not change. */
export async function readDirectory(root: string, options: ScanOptions = {}): Promise<ReadScan> {
  const scan = await scanDirectory(root, options);
  if (scan.outcome !== 'read') throw new Error(`expected to read ${root}, but: ${JSON.stringify(scan)}`);
  return scan;
}

/** `acme/hello 1.0.0` for each release. */
export function labels(scan: ReadScan): string[] {
  return scan.releases.map(({ name, version }) => `${name} ${version}`).sort();
}

export function releaseOf(scan: ReadScan, label: string): Release {
  const release = scan.releases.find(({ name, version }) => `${name} ${version}` === label);
  if (release === undefined)
    throw new Error(`no ${label} among ${labels(scan).join(', ')}; refused: ${JSON.stringify(scan.quarantined)}`);
  return release;
}

/** The quarantine; fails unless there is exactly one. */
export function onlyQuarantine(scan: ReadScan): Quarantine {
  const [first, ...more] = scan.quarantined;
  if (first === undefined || more.length > 0)
    throw new Error(`expected one quarantine, got ${JSON.stringify(scan.quarantined)}`);
  return first;
}

export async function pathsOf(release: Release): Promise<string[]> {
  return (await contentOf(release).list()).files.map(({ path }) => path).sort();
}

/** A memory after it was stored and loaded. */
export function stored(memory: SourceMemory): SourceMemory {
  return JSON.parse(JSON.stringify(memory)) as SourceMemory;
}
