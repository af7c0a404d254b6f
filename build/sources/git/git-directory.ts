// Finds the git directory of a work tree's root or of a bare repository. The search examines only the given path, and
// no parent folder. So a folder inside a repository never counts as that repository.

import { readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';

export interface GitDirectory {
  /** holds HEAD */
  readonly own: string;
  /** holds refs and objects; another one for a linked work tree */
  readonly common: string;
}

/** The git directory of the repository at this path, absolute; undefined: there is none. */
export function findGitDirectory(given: string): GitDirectory | undefined {
  const path = resolve(given);
  const inside = join(path, '.git');
  const kind = kindOf(inside);
  if (kind === 'folder') return describe(inside);
  if (kind === 'file') {
    const target = /^gitdir: ([^\n]+)\n?$/.exec(readFileSync(inside, 'utf8'))?.[1];
    return target === undefined ? undefined : describe(resolve(path, target));
  }
  return describe(path);
}

function describe(own: string): GitDirectory | undefined {
  if (kindOf(join(own, 'HEAD')) !== 'file') return undefined;
  const pointer = join(own, 'commondir');
  const common = kindOf(pointer) === 'file' ? resolve(own, readFileSync(pointer, 'utf8').trimEnd()) : own;
  return kindOf(join(common, 'objects')) === 'folder' ? { own, common } : undefined;
}

function kindOf(path: string): 'file' | 'folder' | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory() === true) return 'folder';
  return found?.isFile() === true ? 'file' : undefined;
}
