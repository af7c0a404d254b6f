// Branch names in the form in which versions are compared (composer/semver, VersionParser.php, normalizeBranch and
// parseNumericAliasPrefix).

import { phpTrim } from './php-text.ts';

const part = '(\\.(?:[0-9]+|[x*]))?';
const numericBranch = new RegExp(`^v?([0-9]+)${part}${part}${part}$`, 'i');

/** `1.x` → `1.9999999.9999999.9999999-dev`; a name that is not numeric becomes `dev-<name>`. */
export function normalizeBranch(name: string): string {
  const trimmed = phpTrim(name);
  const match = numericBranch.exec(trimmed);
  if (match === null) return `dev-${trimmed}`;
  const parts = [match[1] ?? '', match[2] ?? '.x', match[3] ?? '.x', match[4] ?? '.x'];
  return `${parts.join('').replace(/[xX*]/g, '9999999')}-dev`;
}

/**
 * `2.1.x-dev` → `2.1.`, `2.1-dev` → `2.1.`; undefined if the version is not a numeric branch (a leading `v` makes it
 * none).
 */
export function parseNumericAliasPrefix(version: string): string | undefined {
  const match = /^((?:[0-9]+\.)*[0-9]+)(?:\.x)?-dev\n?$/i.exec(version);
  return match === null ? undefined : `${match[1] ?? ''}.`;
}
