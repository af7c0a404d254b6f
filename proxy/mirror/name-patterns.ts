// Patterns for package names, as in the settings: `*` stands for any characters, a slash included (BasePackage.php, packageNameToRegexp).

/** True for a lower-case name that any of the patterns stands for. */
export function matchAny(patterns: readonly string[]): (name: string) => boolean {
  const whole = new Set(patterns.filter((pattern) => !pattern.includes('*')).map((pattern) => pattern.toLowerCase()));
  const others = patterns.filter((pattern) => pattern.includes('*')).map(expressionOf);
  return (name) => whole.has(name) || others.some((expression) => expression.test(name));
}

/** Whether the pattern stands for everything of the vendors it names, as `acme/*` does, and `*`. */
export function isVendorWide(pattern: string): boolean {
  return /^(?:[^/]*\/)?\*+$/.test(pattern);
}

function expressionOf(pattern: string): RegExp {
  const parts = pattern.toLowerCase().split(/\*+/).map((part) => part.replaceAll(/[.^$+?()[\]{}|\\]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join('.*')}$`);
}
