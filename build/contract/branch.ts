// The version a git branch becomes (VcsRepository.php, the loop over branches).

import { parseConstraint } from './constraint.ts';
import { normalizeBranch } from './normalize-branch.ts';
import type { NormalizedVersion } from './version.ts';

export type VersionOrSkip =
  | { readonly version: string; readonly normalized: NormalizedVersion }
  | { readonly skip: string };

/**
 * `main` → `dev-main`, `1.0` → `1.0.x-dev`, `v2` → `v2.x-dev`. A name that Composer could never require (it holds a
 * space, a comma or `|`) is skipped, with the reason. A `version` in the branch's composer.json has no effect.
 */
export function branchVersion(branch: string): VersionOrSkip {
  const normalized = normalizeBranch(branch);
  if ('refusal' in parseConstraint(normalized))
    return {
      skip: `branch ${branch}: Composer cannot require it, because its name is not valid in a version constraint`,
    };
  // `#` starts a reference in a constraint (dev-main#abc1234), so that Composer writes it as + in a version.
  if (normalized.startsWith('dev-'))
    return {
      version: `dev-${branch.replaceAll('#', '+')}`,
      normalized: normalized.replaceAll('#', '+') as NormalizedVersion,
    };
  const prefix = branch.startsWith('v') ? 'v' : '';
  return { version: prefix + normalized.replace(/(?:\.9{7})+/g, '.x'), normalized: normalized as NormalizedVersion };
}
