// Versions as Composer normalizes them, which is not semver (composer/semver 3.4, VersionParser.php, normalize). A
// port, held to the original by the vectors under test/vectors. Every pattern takes linear time.

import type { Branded } from './brand.ts';
import { normalizeBranch } from './normalize-branch.ts';
import { asciiLowerCase, lastLine, phpTrim, whiteSpace } from './php-text.ts';
import { modifierPattern, parseStability, stabilityFlags } from './stability.ts';

/**
 * `1.2.0.0`, `1.0.0.0-RC1`, `20240131`, `2.9999999.9999999.9999999-dev`, `dev-main`: the form in which versions are
 * compared.
 */
export type NormalizedVersion = Branded<string, 'NormalizedVersion'>;

/** `<version> as <alias>`, as in a requirement. */
export const aliasPattern = new RegExp(`^([^,${whiteSpace}]+) +as +([^,${whiteSpace}]+)\\n?$`);

const stabilityFlag = new RegExp(`@(?:${stabilityFlags})\\n?$`, 'i');
const buildMetadata = new RegExp(`^([^,+${whiteSpace}]+)\\+[^${whiteSpace}]+\\n?$`);
const numbered = new RegExp(`^v?([0-9]{1,5})(\\.[0-9]+)?(\\.[0-9]+)?(\\.[0-9]+)?${modifierPattern}\\n?$`, 'i');
const dated = new RegExp(`^v?([0-9]{4}(?:[.:-]?[0-9]{2}){1,6}(?:[.:-]?[0-9]{1,3}){0,2})${modifierPattern}\\n?$`, 'i');

const fullModifier: Readonly<Record<string, string>> = { a: 'alpha', b: 'beta', p: 'patch', pl: 'patch', rc: 'RC' };

/** Branch names that were versions in Composer 1. */
const formerDefaults: ReadonlySet<string> = new Set(['master', 'trunk', 'default']);

/** The normalized version, or undefined if Composer refuses the text with "Invalid version string". */
export function normalizeVersion(text: string): NormalizedVersion | undefined {
  let version = phpTrim(text);
  version = aliasPattern.exec(version)?.[1] ?? version;
  version = version.replace(stabilityFlag, '');
  if (formerDefaults.has(version)) version = `dev-${version}`;
  if (/^dev-/i.test(version)) return branded(`dev-${version.slice(4)}`);
  version = buildMetadata.exec(version)?.[1] ?? version;
  const normalized = normalizeNumbered(version) ?? normalizeDated(version) ?? normalizeDevBranch(version);
  return normalized === undefined ? undefined : branded(normalized);
}

/**
 * True if the version may change its content and belongs in the `~dev` document. Takes the normalized version: a label
 * such as `DEV-main` would be misread.
 */
export function isDevVersion(normalized: string): boolean {
  return parseStability(normalized) === 'dev';
}

function branded(normalized: string): NormalizedVersion {
  return normalized as NormalizedVersion;
}

function normalizeNumbered(version: string): string | undefined {
  const match = numbered.exec(version);
  if (match === null) return undefined;
  const [, major = '', minor = '.0', patch = '.0', fourth = '.0', word, digits, dev] = match;
  return withModifier(major + minor + patch + fourth, word, digits, dev);
}

function normalizeDated(version: string): string | undefined {
  const match = dated.exec(version);
  if (match === null) return undefined;
  const [, date = '', word, digits, dev] = match;
  return withModifier(date.replace(/[^0-9]/g, '.'), word, digits, dev);
}

/**
 * A lower-case `stable` drops everything behind it, even dev; in any other case the rest remains. Composer does the
 * same.
 */
function withModifier(
  numbers: string,
  word: string | undefined,
  digits: string | undefined,
  dev: string | undefined,
): string {
  if (word === 'stable') return numbers;
  const lower = asciiLowerCase(word ?? '');
  const modifier = lower === '' ? '' : `-${fullModifier[lower] ?? lower}${(digits ?? '').replace(/^[.-]+/, '')}`;
  return numbers + modifier + (dev === undefined ? '' : '-dev');
}

/** `1.x-dev`: only a numeric branch may carry the suffix, any other needs the `dev-` prefix. */
function normalizeDevBranch(version: string): string | undefined {
  const line = lastLine(version);
  if (!/dev$/i.test(line)) return undefined;
  const normalized = normalizeBranch(line.slice(0, -3).replace(/[.-]$/, ''));
  return normalized.includes('dev-') ? undefined : normalized;
}
