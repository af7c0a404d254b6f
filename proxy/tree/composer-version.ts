// Which Composer asks, as far as an answer depends on it. Everybody else is taken for one that can do everything.

import { coerce, lt } from 'semver';

/** `user-agent` as Composer sends it: `Composer/2.5.5 (Linux; 6.1; PHP 8.2.7; …)`. */
function composerVersion(userAgent: string | undefined): string | undefined {
  const text = /^Composer\/(\d+\.\d+(?:\.\d+)?)/.exec(userAgent ?? '')?.[1];
  return text === undefined ? undefined : coerce(text)?.version;
}

/**
 * Before 2.7 Composer took a path in the `api-url` of `security-advisories` for a file of its own machine, on which
 * `composer audit` failed; all other keys of packages.json it resolves against the registry's address.
 */
export function resolvesApiUrl(userAgent: string | undefined): boolean {
  const version = composerVersion(userAgent);
  return version === undefined || !lt(version, '2.7.0');
}
