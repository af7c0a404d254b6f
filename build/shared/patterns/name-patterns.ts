// Patterns for package names, as in the settings: `*` stands for any characters, a slash included (BasePackage.php,
// packageNameToRegexp).

/** True for a lower-case name that any of the patterns stands for. */
export function matchAny(patterns: readonly string[]): (name: string) => boolean {
  const whole = new Set(patterns.filter((pattern) => !pattern.includes('*')).map((pattern) => pattern.toLowerCase()));
  const others = patterns
    .filter((pattern) => pattern.includes('*'))
    .map((pattern) => pattern.toLowerCase().split(/\*+/));
  return (name) => whole.has(name) || others.some((parts) => matchesParts(parts, name));
}

/** Whether the pattern stands for everything of the vendors it names, as `acme/*` does, and `*`. */
export function isVendorWide(pattern: string): boolean {
  return /^(?:[^/]*\/)?\*+$/.test(pattern);
}

/**
 * Each part is looked for behind the one before it. Not an expression: one with many stars takes for ever, and
 * upstreams send patterns too.
 */
function matchesParts(parts: readonly string[], name: string): boolean {
  const [first = '', ...rest] = parts;
  const last = rest.pop() ?? '';
  const end = name.length - last.length;
  if (!name.startsWith(first) || !name.endsWith(last)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return at <= end;
}
