// Distinguishes a data folder from other folders by the files and folders of a registry in it.

import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ours } from '../../build/sources/data-folder.ts';

/** Only registries have these files. */
const certain = ['public/packages.json', 'build/manifest.json', 'state.json'];

/**
 * What is left of a damaged registry. Other projects have folders of these names too, so they count only where nothing
 * else is. A folder `public` or `build` alone is no trace, and an empty folder is none either.
 */
const likely = [
  'index',
  'public/p2',
  'public/dist',
  'build/history',
  'build/sources',
  'mirror',
  'state',
  'keys',
  'artifacts',
];

/** `registry`: a data folder, perhaps a damaged one. A place that this user may not read counts as there. */
export function classifyFolder(path: string): 'registry' | 'nothing' | 'file' | 'empty' | 'other files' {
  const entries = entriesOf(path);
  if (entries === undefined) return 'nothing';
  if (entries === 'file') return 'file';
  const isThere = (trace: string): boolean => isFilled(join(path, trace));
  if (certain.some(isThere)) return 'registry';
  if (foreignEntries(entries).length === 0 && likely.some(isThere)) return 'registry';
  return entries.length === 0 ? 'empty' : 'other files';
}

/** The names in a folder that no registry puts there. Hidden files belong to the system. */
export function foreignIn(path: string): readonly string[] {
  const entries = entriesOf(path);
  return entries === undefined || entries === 'file' ? [] : foreignEntries(entries);
}

/** A folder that this user may not read has none. */
function foreignEntries(entries: readonly string[]): readonly string[] {
  return entries.filter((name) => !name.startsWith('.') && !ours.has(name));
}

function isFilled(path: string): boolean {
  const entries = entriesOf(path);
  return entries === 'file' || (entries !== undefined && entries.length > 0);
}

/** undefined: nothing is there. */
function entriesOf(path: string): readonly string[] | 'file' | undefined {
  try {
    return statSync(path).isDirectory() ? readdirSync(path) : 'file';
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    return code === 'ENOENT' || code === 'ENOTDIR' ? undefined : ['.unreadable'];
  }
}
