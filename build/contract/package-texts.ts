// The README and CHANGELOG of a package's versions: `index/_texts/<vendor>/<package>/<digest>.md`, each distinct text
// of a package once. The serving index assigns them to versions. The server never serves them as files.

import type { Branded } from './brand.ts';
import type { PackageName } from './name.ts';

export type TextKind = 'readme' | 'changelog';

/** The beginning of the lower-case hex SHA-256 of a text's bytes. */
export type TextDigest = Branded<string, 'TextDigest'>;

/** A longer text is cut. */
export const maxTextBytes = 512 * 1024;

export function parseTextDigest(text: string): TextDigest | undefined {
  return /^[0-9a-f]{40}$/.test(text) ? (text as TextDigest) : undefined;
}

/** Below `index/`, as the path that follows: no package has them, since no vendor starts with an underscore. */
export function textsFolder(name: PackageName): string {
  return `_texts/${name}`;
}

export function textPath(name: PackageName, digest: TextDigest): string {
  return `${textsFolder(name)}/${digest}.md`;
}

/** Chooses the README and the CHANGELOG among the files in a package's own folder. */
export function chooseTexts(files: readonly string[]): {
  readonly readme: string | undefined;
  readonly changelog: string | undefined;
} {
  return { readme: chooseText(files, 'readme'), changelog: chooseText(files, 'changelog') };
}

const endings: readonly string[] = ['.md', '.markdown', '', '.txt'];

/**
 * The first ending that exists; of several spellings the first by their bytes, so that the result does not depend on
 * the order of a folder listing.
 */
function chooseText(files: readonly string[], kind: TextKind): string | undefined {
  for (const ending of endings) {
    const found = files.filter((file) => file.toLowerCase() === kind + ending).toSorted();
    if (found[0] !== undefined) return found[0];
  }
  return undefined;
}
