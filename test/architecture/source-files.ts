// Reads the repository's own source files for the architecture tests: their text and their imports.

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

export const root = new URL('../..', import.meta.url).pathname;

export interface SourceFile {
  /** relative to the repository, forward slashes */
  readonly path: string;
  readonly text: string;
  readonly imports: readonly Import[];
}

export interface Import {
  /** as written */
  readonly specifier: string;
  /** a file of this repository, relative to its root; undefined for a package or a node: module */
  readonly target: string | undefined;
}

/** Every .ts, .tsx and .mjs file below these folders. */
export function sourceFiles(...folders: readonly string[]): SourceFile[] {
  return folders.flatMap((folder) =>
    readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile() && /\.(?:tsx?|mjs)$/.test(entry.name))
      .map((entry) => readSource(relative(root, join(entry.parentPath, entry.name))))
      .sort((a, b) => (a.path < b.path ? -1 : 1)),
  );
}

function readSource(path: string): SourceFile {
  const text = readFileSync(join(root, path), 'utf8');
  const code = withoutComments(text);
  const specifiers = [
    ...code.matchAll(/^\s*(?:import|export)\s(?:[^'";]*?\sfrom\s)?\s*['"]([^'"]+)['"]/gm),
    ...code.matchAll(/\bimport\(\s*['"]([^'"]+)['"]\s*\)/g),
    ...code.matchAll(/\brequire\(\s*['"]([^'"]+)['"]\s*\)/g),
  ].map((match) => match[1] ?? '');
  return {
    path,
    text,
    imports: specifiers.map((specifier) => ({
      specifier,
      target: specifier.startsWith('.') ? relative(root, join(root, dirname(path), specifier)) : undefined,
    })),
  };
}

/** The code of a file: comments blanked out, so that a rule is not broken by being explained. */
export function withoutComments(text: string): string {
  return text.replaceAll(/^\s*\/\/.*$/gm, '').replaceAll(/\/\*[\s\S]*?\*\//g, '');
}
