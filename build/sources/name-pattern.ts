// Patterns for package names, as Composer has them for repositories (BasePackage.php, packageNameToRegexp): `*` stands
// for any characters, a slash included, and case does not matter.

/** What a pattern may look like: a whole name, or anything with a `*` in it. */
export const namePatternGrammar = '^(?=.*[/*])[A-Za-z0-9*][A-Za-z0-9_.*-]*(?:/[A-Za-z0-9*][A-Za-z0-9_.*-]*)?$';

const grammar = new RegExp(namePatternGrammar);

/** Two parts of a name, and the slash between them. */
const longestPattern = 201;

export function isNamePattern(text: string): boolean {
  return text.length <= longestPattern && grammar.test(text);
}

/** Says of a package name whether `pattern` stands for it. */
export function matchName(pattern: string): (name: string) => boolean {
  const parts = pattern.split(/\*+/).map((part) => part.replaceAll('.', '\\.'));
  const expression = new RegExp(`^${parts.join('.*')}$`, 'i');
  return (name) => expression.test(name);
}

/** True for a name that any of the patterns stands for. */
export function matchAnyName(patterns: readonly string[]): (name: string) => boolean {
  const matchers = patterns.map(matchName);
  return (name) => matchers.some((matches) => matches(name));
}
