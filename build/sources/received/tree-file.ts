// Files of a tree that was built elsewhere and copied here. They are untrusted: a path must lead to a regular file
// inside the tree, and messages never repeat a file's content.

import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { NewerFormat } from '../../contract/newer-format.ts';
import { BuildRefused } from '../../contract/refusals.ts';
import { createPause } from '../../files/pause.ts';
import { readUnchanged } from '../../files/read-file.ts';
import { QuarantineError } from '../../contract/quarantine.ts';

/** Far above any document; a larger file is refused. */
const maxFileBytes = 256 * 1024 * 1024;

const copyAgain =
  'Copy the whole tree again, once the build that makes it has ended, and receive it then. Nothing was changed.';

/** A tree that lacks a file, or contradicts itself. */
export class IncompleteTree extends BuildRefused {
  /** the file, below the tree, and what is wrong with it */
  readonly fault: string;

  constructor(root: string, path: string, fault: string) {
    super(`${join(root, path)} ${fault}: this tree is incomplete. ${copyAgain}`);
    this.fault = `${path} ${fault}`;
  }
}

export function incomplete(root: string, path: string, fault: string): IncompleteTree {
  return new IncompleteTree(root, path, fault);
}

/** Absolute; `root` without symlinks, `path` below it. Throws BuildRefused for a missing file or a symbolic link. */
export function pathInTree(root: string, path: string): string {
  const wanted = join(root, path);
  let real: string;
  try {
    real = realpathSync(wanted);
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
      throw incomplete(root, path, 'is missing');
    throw incomplete(root, path, 'cannot be read');
  }
  if (real !== wanted) throw incomplete(root, path, 'is a symbolic link, or is reached through one');
  return wanted;
}

/** Throws BuildRefused. */
export async function readTreeFile(root: string, path: string): Promise<Buffer> {
  try {
    return await readUnchanged(pathInTree(root, path), { maxBytes: maxFileBytes }, createPause());
  } catch (error) {
    if (error instanceof QuarantineError) throw new BuildRefused(`${error.message} ${copyAgain}`, { cause: error });
    throw error;
  }
}

/**
 * The parsed content of a file of the tree. Throws BuildRefused for a damaged file, and for a file of a newer Libretto.
 */
export function parseTreeFile<Parsed>(root: string, path: string, parse: () => Parsed): Parsed {
  try {
    return parse();
  } catch (error) {
    if (error instanceof NewerFormat)
      throw new BuildRefused(`${join(root, path)}: ${error.message}. Nothing was changed.`, { cause: error });
    throw incomplete(root, path, 'is damaged');
  }
}
