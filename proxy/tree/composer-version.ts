// Reads the version of Composer from a request, where an answer depends on the version. Other clients are treated like
// the newest Composer.

/** `user-agent` as Composer sends it: `Composer/2.5.5 (Linux; 6.1; PHP 8.2.7; …)`. */
function composerVersion(
  userAgent: string | undefined,
): { readonly major: number; readonly minor: number } | undefined {
  const [, major, minor] = /^Composer\/(\d+)\.(\d+)/.exec(userAgent ?? '') ?? [];
  return minor === undefined ? undefined : { major: Number(major), minor: Number(minor) };
}

/**
 * Before 2.7 Composer took a path in the `api-url` of `security-advisories` for a file of its own machine, on which
 * `composer audit` failed; all other keys of packages.json it resolves against the registry's address.
 */
export function resolvesApiUrl(userAgent: string | undefined): boolean {
  const version = composerVersion(userAgent);
  if (version === undefined || version.major > 2) return true;
  return version.major === 2 && version.minor >= 7;
}
