// The numbered version a branch also goes by, as Composer finds it when it loads a package (ArrayLoader.php,
// getBranchAlias). A constraint like `^1.0` matches `dev-main` only through the alias.

import { isJsonObject, type JsonObject } from '../contract/json.ts';
import { normalizeBranch, parseNumericAliasPrefix } from '../contract/normalize-branch.ts';
import { asciiLowerCase } from '../contract/php-text.ts';
import type { NormalizedVersion } from '../contract/version.ts';

/** The alias of the default branch if its composer.json defines none. */
const defaultBranchAlias = '9999999-dev' as NormalizedVersion;

/** `version` is the pretty one. Undefined for a version that is no branch, or has no alias. */
export function branchAliasOf(
  composerJson: JsonObject,
  version: string,
  defaultBranch: boolean,
): NormalizedVersion | undefined {
  if (!version.startsWith('dev-') && !version.endsWith('-dev')) return undefined;
  const { extra } = composerJson;
  const aliases = isJsonObject(extra) ? extra['branch-alias'] : undefined;
  for (const [branch, target] of isJsonObject(aliases) ? Object.entries(aliases) : []) {
    const alias =
      typeof target === 'string' && asciiLowerCase(branch) === asciiLowerCase(version)
        ? aliasTarget(branch, target)
        : undefined;
    if (alias !== undefined) return alias;
  }
  return defaultBranch && parseNumericAliasPrefix(version.replace(/^v/, '')) === undefined
    ? defaultBranchAlias
    : undefined;
}

/**
 * Only a numbered branch can be a target, and for a numbered branch only one with the same beginning: `1.x-dev` →
 * `1.5.x-dev`.
 */
function aliasTarget(branch: string, target: string): NormalizedVersion | undefined {
  if (!target.endsWith('-dev')) return undefined;
  if (target === defaultBranchAlias) return defaultBranchAlias;
  const normalized = normalizeBranch(target.slice(0, -'-dev'.length));
  if (!normalized.endsWith('-dev')) return undefined;
  const [from, to] = [parseNumericAliasPrefix(branch), parseNumericAliasPrefix(target)];
  return from !== undefined && to !== undefined && !to.startsWith(from) ? undefined : (normalized as NormalizedVersion);
}
