// Distinguishes a data folder from other folders by the files and folders of a registry in it.

import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Files and folders of registries. A folder `public` or `build` alone is no trace: other projects have them too. An
 * empty folder is no trace either.
 */
const traces = [
  'index',
  'public/packages.json',
  'public/p2',
  'public/dist',
  'build/manifest.json',
  'build/history',
  'build/sources',
  'mirror',
  'state',
  'state.json',
  'keys',
  'artifacts',
];

/** `registry`: a data folder, perhaps a damaged one. A place that this user may not read counts as there. */
export function lookAtFolder(path: string): 'registry' | 'nothing' | 'file' | 'empty' | 'other files' {
  const entries = entriesOf(path);
  if (entries === undefined) return 'nothing';
  if (entries === 'file') return 'file';
  if (traces.some((trace) => isFilled(join(path, trace)))) return 'registry';
  return entries.length === 0 ? 'empty' : 'other files';
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
    return code === 'ENOENT' || code === 'ENOTDIR' ? undefined : ['unreadable'];
  }
}
