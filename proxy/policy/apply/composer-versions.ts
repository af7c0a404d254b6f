// Decides which versions of Composer may send requests, by their User-Agent: `Composer/2.8.1 (Linux; …)`.

import { normalizeVersion } from '../../../build/contract/version.ts';
import type { ComposerRule } from '../judge/compile-policy.ts';

/** The version of Composer that a User-Agent names; undefined: the program is not Composer. */
export function composerVersionOf(userAgent: string | undefined): string | undefined {
  return /^Composer\/([^\s;()]{1,64})/.exec(userAgent ?? '')?.[1];
}

/**
 * The rules that do not allow this version. A development version such as `2.9-dev+8f31a2c` counts as its
 * release. A version that cannot be read is not allowed.
 */
export function rulesAgainst(
  version: string,
  token: string | undefined,
  rules: readonly ComposerRule[],
): readonly ComposerRule[] {
  const numbers = /^\d+(?:\.\d+){0,3}/.exec(version)?.[0];
  const normalized = numbers === undefined ? undefined : normalizeVersion(numbers);
  return rules.filter(
    ({ given, allows }) =>
      (given.tokens === undefined || (token !== undefined && given.tokens.includes(token))) &&
      (normalized === undefined || !allows(normalized)),
  );
}
