// The stability of a version by Composer's rules. The parser is no validator: it finds a stability in any text
// (composer/semver, VersionParser.php, parseStability).

import { asciiLowerCase, lastLine } from './php-text.ts';

export type Stability = 'dev' | 'alpha' | 'beta' | 'RC' | 'stable';

/** Names that may follow an `@`, as a pattern to be used without regard to case. */
export const stabilityFlags = 'stable|RC|beta|alpha|dev';

/**
 * The part of a version behind the numbers: `-beta.2`, `RC1`, `_p1`, `-dev`… Groups: the word, its digits, dev.
 * Composer's own pattern can split the digits in every possible way and needs a possessive quantifier. Here each run of
 * digits has one reading, so that the pattern takes linear time.
 */
export const modifierPattern =
  '[._-]?(?:(stable|beta|b|RC|alpha|a|patch|pl|p)([.-]?[0-9]+(?:[.-][0-9]+)*)?)?([.-]?dev)?';

const modifierAtEnd = new RegExp(`${modifierPattern}$`, 'i');

const stabilityOfWord: Readonly<Record<string, Stability>> = {
  alpha: 'alpha',
  a: 'alpha',
  beta: 'beta',
  b: 'beta',
  rc: 'RC',
};

/** Takes pretty and normalized versions. Composer uses the stability of the normalized one. */
export function parseStability(version: string): Stability {
  const text = withoutReference(version);
  if (text.startsWith('dev-') || text.endsWith('-dev')) return 'dev';
  const [beforeBuild = ''] = lastLine(asciiLowerCase(text)).split('+', 1);
  const match = modifierAtEnd.exec(beforeBuild);
  if (match?.[3] !== undefined) return 'dev';
  return stabilityOfWord[match?.[1] ?? ''] ?? 'stable';
}

/** `dev-main#abc` → `dev-main`. Only a `#` in the last line counts, if a text follows. */
function withoutReference(version: string): string {
  const line = lastLine(version);
  const hash = line.indexOf('#');
  if (hash < 0 || hash === line.length - 1) return version;
  const rest = version.endsWith('\n') ? '\n' : '';
  return version.slice(0, version.length - rest.length - line.length + hash) + rest;
}
