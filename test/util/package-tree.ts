// Builds folders of test packages: a map of paths to contents becomes files, links and FIFOs in a fresh temporary
// folder. Everything is synchronous, and `remove` deletes everything.

import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A file's bytes, a file with its mode, a symbolic link, a FIFO, or an object that becomes JSON. */
export type TreeEntry =
  | string
  | Uint8Array
  | { readonly content: string | Uint8Array; readonly mode: number }
  | { readonly link: string }
  | { readonly fifo: true }
  | { readonly json: unknown };

/** Paths with forward slashes; one that ends in a slash is an empty folder. */
export type Tree = Readonly<Record<string, TreeEntry>>;

export interface TemporaryTree {
  /** absolute */
  readonly root: string;
  /** absolute path of a file below it */
  readonly path: (...segments: string[]) => string;
  /** adds files, or overwrites them */
  readonly write: (tree: Tree) => void;
  /** deletes a file or folder */
  readonly delete: (path: string) => void;
  readonly remove: () => void;
}

/** A fresh folder below the system's temporary one, or below `parent`, with the files of `tree`. */
export function temporaryTree(tree: Tree = {}, parent = tmpdir()): TemporaryTree {
  const root = mkdtempSync(join(parent, 'libretto-tree-'));
  writeTree(root, tree);
  return {
    root,
    path: (...segments) => join(root, ...segments),
    write: (more) => writeTree(root, more),
    delete: (path) => rmSync(join(root, path), { recursive: true, force: true }),
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** Writes `tree` below the existing or new folder `root`. */
export function writeTree(root: string, tree: Tree): void {
  mkdirSync(root, { recursive: true });
  for (const [path, entry] of Object.entries(tree)) writeEntry(join(root, path), path, entry);
}

function writeEntry(target: string, path: string, entry: TreeEntry): void {
  if (path.endsWith('/')) {
    mkdirSync(target, { recursive: true });
    return;
  }
  mkdirSync(dirname(target), { recursive: true });
  if (typeof entry === 'string' || entry instanceof Uint8Array) writeFileSync(target, entry);
  else if ('link' in entry) symlinkSync(entry.link, target);
  else if ('fifo' in entry) execFileSync('mkfifo', [target]);
  else if ('json' in entry) writeFileSync(target, `${JSON.stringify(entry.json, null, 2)}\n`);
  else {
    writeFileSync(target, entry.content);
    chmodSync(target, entry.mode);
  }
}

/**
 * Sets the mtime of all files, for example to an earlier time than the seconds in which a scan does not trust a file.
 */
export function touch(paths: readonly string[], time: Date): void {
  for (const path of paths) utimesSync(path, time, time);
}

/** A small library as a tree: its composer.json (`fields` override the default ones) and one class. */
export function libraryTree(name: string, fields: Readonly<Record<string, unknown>> = {}): Tree {
  const namespace = name.split('/').map(studly).join('\\');
  const className = studly(name.split('/')[1] ?? 'Thing');
  return {
    'composer.json': {
      json: {
        name,
        description: `The ${name} library.`,
        license: 'MIT',
        autoload: { 'psr-4': { [`${namespace}\\`]: 'src/' } },
        ...fields,
      },
    },
    [`src/${className}.php`]: `<?php\n\nnamespace ${namespace};\n\nfinal class ${className}\n{\n    public const NAME = '${name}';\n}\n`,
  };
}

/** The same tree below a folder: `below('acme/hello', libraryTree('acme/hello'))`. */
export function below(folder: string, tree: Tree): Tree {
  return Object.fromEntries(Object.entries(tree).map(([path, entry]) => [`${folder}/${path}`, entry]));
}

function studly(text: string): string {
  return text.replace(/(?:^|[^a-z0-9]+)([a-z0-9])/gi, (_, letter: string) => letter.toUpperCase());
}
